"""``python -m fairbrief`` is the command ``fairbrief``."""

from fairbrief.cli import main

if __name__ == "__main__":
    main()
