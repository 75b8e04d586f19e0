"""The command `phylon`."""


def main() -> None:
    from phylon.cli.app import app  # here, so that importing a part of the CLI does not load all of it

    app()
