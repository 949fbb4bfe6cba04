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
from data.private import restrict_umask

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


def _print_version(wanted: bool) -> None:
    if wanted:
        from bot.core.environment import read_version

        typer.echo(f"boneyard {read_version()}")
        raise typer.Exit


@app.callback()
def boneyard(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
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
    with _freeze_imports():
        from bot.operating.first_sight import build_front
        from bot.playground.launch import play as open_playground

    raise typer.Exit(open_playground(port=port, data=data, browser=browser, welcome=build_front(), new_key=new_key))


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
    with _freeze_imports():
        from bot.core.environment import hide_secrets, read_settings
        from bot.operating.run import run as run_bot
        from bot.operating.sharding import parse_shards

    try:
        own_shards = parse_shards(shards, shard_ids)
    except ValueError as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(1) from None
    settings = read_settings()
    hide_secrets()
    raise typer.Exit(run_bot(settings, local=local, shards=own_shards))


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to create.", show_default=False)]) -> None:
    """Copy the database to a file. The bot can keep running."""
    with _freeze_imports():
        from bot.core.environment import read_settings
        from bot.operating.backup import backup as copy_database

    with _exit_on_failure():
        typer.echo(copy_database(read_settings().database_url, file))


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
    with _freeze_imports():
        import asyncio

        from bot.core.environment import read_clock, read_settings
        from bot.operating.backup import catch_up_database
        from bot.operating.backup import restore as restore_backup

    if (file is None) == (since is None):
        raise typer.BadParameter("name a backup, or --since for a PostgreSQL database that was put back")
    with _exit_on_failure():
        url = read_settings().database_url
        for line in (
            restore_backup(url, file, read_clock)
            if file
            else asyncio.run(catch_up_database(url, str(since), read_clock))
        ):
            typer.echo(line)


@app.command()
def recount() -> None:
    """Compute ratings and leaderboards again from all results. Stop the bot first."""
    with _freeze_imports():
        import asyncio

        from bot.core.environment import read_settings
        from bot.operating.backup import recount as recompute_results

    with _exit_on_failure():
        typer.echo(asyncio.run(recompute_results(read_settings().database_url)))


@app.command("move")
def move_database(
    database: Annotated[
        str | None, typer.Argument(metavar="DATABASE_URL", help="postgresql://USER@HOST/NAME.", show_default=False)
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Allow a moved file to be used again.")] = False,
) -> None:
    """Move all data from the file to an empty PostgreSQL database. Stop the bot first."""
    with _freeze_imports():
        import asyncio

        from bot.core.environment import read_clock, read_settings
        from bot.operating.adopt import transfer_database, undo_move

    if undo == (database is not None):
        raise typer.BadParameter("name a database, or say --undo")
    with _exit_on_failure():
        url = read_settings().database_url
        # An empty argument, as of an unset variable, is no request to undo.
        for line in [undo_move(url)] if database is None else asyncio.run(transfer_database(url, database, read_clock)):
            typer.echo(line)


@app.command()
def adopt(
    application: Annotated[int, typer.Argument(min=1, help="The application id of the new owner.")],
    former: Annotated[int, typer.Option("--from", min=1, help="The application id of the present owner.")],
) -> None:
    """Give the database to a bot with another application id. Stop the bot first."""
    with _freeze_imports():
        import asyncio

        from bot.core.environment import read_settings
        from bot.operating.adopt import adopt_database

    with _exit_on_failure():
        typer.echo(asyncio.run(adopt_database(read_settings().database_url, application, former)))


@app.command()
def doctor() -> None:
    """Check what the bot needs on this machine and print what to fix. Exit status 1 if there is something to fix."""
    with _freeze_imports():
        from bot.core.environment import read_clock, read_settings
        from bot.operating.doctor import run_checks

    findings = run_checks(read_settings(), read_clock())
    for finding in findings:
        typer.echo(finding)
    raise typer.Exit(0 if all(finding.is_ok for finding in findings) else 1)


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
    with _freeze_imports():
        from bot.core.environment import read_settings
        from bot.operating.smoke import SmokeTestOptions, run_smoke

    options = SmokeTestOptions(server=server, channel=channel, allow_other_guilds=among_others)
    raise typer.Exit(run_smoke(read_settings().token, options, typer.echo, local=local))


@app.command()
def health() -> None:
    """Ask the bot on this machine for its health, at BONEYARD_STATUS. Exit status 1 if it is unhealthy.

    Use it as the health check of a container. `boneyard doctor` runs checks without a running bot.
    """
    from bot.core.environment import read_settings
    from bot.operating.status import StatusAddress, fetch_report

    status = read_settings().status
    if status is None:
        typer.echo(
            "BONEYARD_STATUS is not set, so the bot does not report its health. Try BONEYARD_STATUS=9464.", err=True
        )
        raise typer.Exit(2)
    try:
        good, report = fetch_report(StatusAddress.parse(status))
    except ValueError as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(report, nl=False)
    raise typer.Exit(0 if good else 1)


@contextmanager
def _freeze_imports() -> Iterator[None]:
    """Keep what is imported inside out of garbage collection: these modules stay loaded."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _exit_on_failure() -> Iterator[None]:
    from data.store.connection.faults import DatabaseUnavailable
    from data.store.connection.store_errors import CopyError, StoreUnavailable

    try:
        yield
    except (CopyError, StoreUnavailable) as error:
        typer.echo(f"boneyard: {error}", err=True)
        raise typer.Exit(1) from error
    except DatabaseUnavailable as trouble:  # the store has logged it with the remedy
        raise typer.Exit(1) from trouble
    except OSError as error:
        if error.filename is None:  # a closed pipe ends silently
            raise
        reason = f"{error.filename}: {error.strerror}"
        typer.echo(f"boneyard: {reason}. Name another file, or be the user whose it is.", err=True)
        raise typer.Exit(1) from error


def main() -> None:
    restrict_umask()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file name may be undecodable, and a terminal may lack letters
        sys.stdout.reconfigure(errors="backslashreplace")
    app()


if __name__ == "__main__":
    main()
