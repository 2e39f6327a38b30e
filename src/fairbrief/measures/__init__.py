<<<<<<< HEAD
"""Pure measures, one file per family: what is asked, what is observed, how totals become values."""
=======
"""Named questions: what they observe, and how totals become values. Pure."""
>>>>>>> fa0497e (Say what a paper's protocol is)
