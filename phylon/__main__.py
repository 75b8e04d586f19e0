"""`python -m phylon` is the command `phylon`."""

from phylon.cli import main

main()
