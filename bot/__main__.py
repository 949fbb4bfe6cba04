"""The command `boneyard`, its subcommands for operators, and those of `bot.tools`."""

import gc
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bot.tools import arena_cli, cli
from data.private import ours_alone

app = typer.Typer(
    name="boneyard",
    help="Play Triominoes and related tile games in Discord, or in a page on this machine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
cli.mount(app)
arena_cli.mount(app)


def _say_version(wanted: bool) -> None:
    if wanted:
        from bot.core.environment import this_version

        typer.echo(f"boneyard {this_version()}")
        raise typer.Exit


@app.callback()
def boneyard(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    """Play Triominoes and related tile games in Discord, or in a page on this machine."""


@app.command()
def play(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The first port to try.")] = 8710,
    data: Annotated[Path | None, typer.Option(help="Folder for the channel and its matches.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser if there is a screen.")] = True,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Make a new key, so that old addresses stop working.")
    ] = False,
) -> None:
    """Play in a page on this machine, without a token or an account.

    The address contains a key. Matches are stored in the playground folder; BONEYARD_DATABASE_URL is not used.
    """
    with _at_once():
        from bot.operating.first_sight import front
        from bot.playground.launch import play as open_playground

    raise typer.Exit(open_playground(port=port, data=data, browser=browser, front=front(), new_key=new_key))


@app.command()
def run(
    local: Annotated[str | None, typer.Option(hidden=True, help="The address of a local Discord.")] = None,
    shards: Annotated[
        int | None,
        typer.Option(envvar="BONEYARD_SHARDS", help="Total number of shards; default: what Discord recommends."),
    ] = None,
    shard_ids: Annotated[
        str, typer.Option(envvar="BONEYARD_SHARD_IDS", help="Shards of this process, such as 0-3; default: all.")
    ] = "",
) -> None:
    """Run the bot in Discord, with the token in DISCORD_TOKEN.

    Several processes can share one PostgreSQL database: give all the same --shards and each different --shard-ids.
    """
    with _at_once():
        from bot.core.environment import from_environment
        from bot.operating.run import run as run_bot
        from bot.operating.sharding import division

    try:
        mine = division(shards, shard_ids)
    except ValueError as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(1) from None
    raise typer.Exit(run_bot(from_environment(), local=local, shards=mine))


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to create.", show_default=False)]) -> None:
    """Copy the database to a file. The bot can keep running."""
    with _at_once():
        from bot.core.environment import from_environment
        from bot.operating.backup import backup as copy_to

    with _one_line_on_failure():
        typer.echo(copy_to(from_environment().database_url, file))


@app.command()
def restore(
    file: Annotated[Path | None, typer.Argument(help="A file that `boneyard backup` made.", show_default=False)] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="DATABASE_URL",
            help="On PostgreSQL, after pg_restore: the database that the restored one replaces.",
        ),
    ] = None,
) -> None:
    """Replace the database by a backup. Stop the bot first."""
    with _at_once():
        import asyncio

        from bot.core.environment import from_environment, now
        from bot.operating.backup import caught_up
        from bot.operating.backup import restore as put_back

    if (file is None) == (since is None):
        raise typer.BadParameter("name a backup, or --since for a PostgreSQL database that was put back")
    with _one_line_on_failure():
        url = from_environment().database_url
        for line in put_back(url, file, now) if file else asyncio.run(caught_up(url, str(since), now)):
            typer.echo(line)


@app.command()
def recount() -> None:
    """Compute ratings and leaderboards again from all results. Stop the bot first."""
    with _at_once():
        import asyncio

        from bot.core.environment import from_environment
        from bot.operating.backup import recount as worked_out

    with _one_line_on_failure():
        typer.echo(asyncio.run(worked_out(from_environment().database_url)))


@app.command("move")
def move_database(
    database: Annotated[
        str | None, typer.Argument(metavar="DATABASE_URL", help="postgresql://USER@HOST/NAME.", show_default=False)
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Allow a moved file to be used again.")] = False,
) -> None:
    """Move all data from the file to an empty PostgreSQL database. Stop the bot first."""
    with _at_once():
        import asyncio

        from bot.core.environment import from_environment, now
        from bot.operating.adopt import transferred, undone

    if undo == (database is not None):
        raise typer.BadParameter("name a database, or say --undo")
    with _one_line_on_failure():
        url = from_environment().database_url
        # An empty argument, as of an unset variable, is no request to undo.
        for line in [undone(url)] if database is None else asyncio.run(transferred(url, database, now)):
            typer.echo(line)


@app.command()
def adopt(
    application: Annotated[int, typer.Argument(min=1, help="The application id of the new owner.")],
    former: Annotated[int, typer.Option("--from", min=1, help="The application id of the present owner.")],
) -> None:
    """Give the database to a bot with another application id. Stop the bot first."""
    with _at_once():
        import asyncio

        from bot.core.environment import from_environment
        from bot.operating.adopt import adopted

    with _one_line_on_failure():
        typer.echo(asyncio.run(adopted(from_environment().database_url, application, former)))


@app.command()
def doctor() -> None:
    """Check what the bot needs on this machine and print what to fix. Exit status 1 if there is something to fix."""
    with _at_once():
        from bot.core.environment import from_environment, now
        from bot.operating.doctor import look_over

    findings = look_over(from_environment(), now())
    for finding in findings:
        typer.echo(finding)
    raise typer.Exit(0 if all(finding.good for finding in findings) else 1)


@app.command()
def smoke(
    server: Annotated[int, typer.Option(min=1, help="The id of a test server that has the bot.")],
    channel: Annotated[
        int | None, typer.Option(min=1, help="A text channel there; default: the first suitable one.")
    ] = None,
    among_others: Annotated[
        bool,
        typer.Option("--among-others", help="Run although the bot is on other servers too. They are not affected."),
    ] = False,
    local: Annotated[str | None, typer.Option(hidden=True, help="The address of a local Discord.")] = None,
) -> None:
    """Test the bot in Discord, with the token in DISCORD_TOKEN: permissions, commands, one match, rate limits.

    It deletes what it created. Exit status 1 if there is something to fix. Use a separate application for tests.
    """
    with _at_once():
        from bot.core.environment import from_environment
        from bot.operating.smoke import Errand, run_smoke

    errand = Errand(server=server, channel=channel, among_others=among_others)
    raise typer.Exit(run_smoke(from_environment().token, errand, typer.echo, local=local))


@app.command()
def health() -> None:
    """Ask the bot on this machine for its health, at BONEYARD_STATUS. Exit status 1 if it is unhealthy.

    Use it as the health check of a container. `boneyard doctor` runs checks without a running bot.
    """
    from bot.core.environment import from_environment
    from bot.operating.status import StatusAddress, reported

    status = from_environment().status
    if status is None:
        typer.echo(
            "BONEYARD_STATUS is not set, so the bot does not report its health. Try BONEYARD_STATUS=9464.", err=True
        )
        raise typer.Exit(2)
    try:
        good, told = reported(StatusAddress.read(status))
    except ValueError as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(told, nl=False)
    raise typer.Exit(0 if good else 1)


@contextmanager
def _at_once() -> Iterator[None]:
    """Keep what is imported inside out of garbage collection: these modules stay loaded."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _one_line_on_failure() -> Iterator[None]:
    from data.store.connection.faults import DatabaseUnavailable
    from data.store.connection.store_errors import StoreUnavailable
    from data.store.operations.copies import CopyFailed

    try:
        yield
    except (CopyFailed, StoreUnavailable) as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(1) from error
    except DatabaseUnavailable as trouble:  # the store has logged it with the remedy
        raise typer.Exit(1) from trouble
    except OSError as error:
        if error.filename is None:  # a closed pipe ends silently
            raise
        what = f"{error.filename}: {error.strerror}"
        typer.echo(f"boneyard: {what}. Name another file, or be the user whose it is.", err=True)
        raise typer.Exit(1) from error


def main() -> None:
    ours_alone()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file name may be undecodable, and a terminal may lack letters
        sys.stdout.reconfigure(errors="backslashreplace")
    app()


if __name__ == "__main__":
    main()
