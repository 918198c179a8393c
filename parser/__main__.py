"""`python -m parser` is the same as the command `arcspeed`."""

from parser.cli import main

if __name__ == "__main__":
    main()
