"""`python -m paranym`."""

from paranym.cli.app import main

if __name__ == "__main__":
    main()
