"""``fairbrief view``: all the evidence of saved audits, page by page, in a browser on this machine."""
