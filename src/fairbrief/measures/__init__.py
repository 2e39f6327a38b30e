"""Pure measures, one file per family: what is asked, what is observed, how totals become values. ``t`` is `fairbrief.types`."""
