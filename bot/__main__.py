"""The command `boneyard`: play, run, judge, perft, replay."""

from pathlib import Path
from typing import Annotated

import typer

from bot.referee import cli as referee

app = typer.Typer(
    name="boneyard",
    help="Triominoes and its family, turn by turn: in a page on this machine, or in Discord.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
referee.mount(app)


@app.command()
def play(
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8710,
    data: Annotated[Path | None, typer.Option(help="Where to keep the channel and the matches.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser, where there is a screen.")] = True,
) -> None:
    """Play on this machine: no token, no account, just a page."""
    from bot.playground.play import play as open_playground

    raise typer.Exit(open_playground(port=port, data=data, browser=browser))


@app.command()
def run(
    local: Annotated[str | None, typer.Option(hidden=True, help="The address of a local Discord.")] = None,
) -> None:
    """Run the bot in Discord, with the token in DISCORD_TOKEN."""
    from bot.run import run as run_bot
    from bot.settings import from_environment

    raise typer.Exit(run_bot(from_environment(), local=local))


def main() -> None:
    """The entry point."""
    app()


if __name__ == "__main__":
    main()
