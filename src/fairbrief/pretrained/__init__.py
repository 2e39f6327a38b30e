"""Models on this machine: where their weights lie, and where and how they run."""
