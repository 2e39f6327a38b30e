"""What is done with audits that were written down: compare, gate, rank."""
