"""Making what is audited: inputs, summaries, their units and people's judgements, from single files to experiments."""
