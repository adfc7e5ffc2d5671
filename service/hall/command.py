"""`takhte hall`: the hall's server, pages and model. `takhte hall rebuild` makes the model again
from the stream, `takhte hall archive` writes everything into one file, `takhte hall forget NAME`
erases a person, with the hall stopped. So that another
hall's tables are shown here, `takhte hall key` prints there what this one is told, and `takhte hall
invite NAME` here what that one is. Tables join with `takhte
join`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rules.axes import RulesetError
from rules.event import EventError
from service.appliance.forget import LONGEST, is_person
from service.hall import archive, rounds
from service.hall.app import create_hall
from service.hall.certificate import line_certificate
from service.hall.forget import forget_player
from service.hall.hall import Hall, HallConfig
from service.hall.leaf import LeafError, branches_from, invitation, main_from
from service.hall.model import remove_model
from service.journal.chain import JournalError
from service.journal.keys import table_key
from service.players.book import PlayerBookError
from service.record.archive import fingerprint
from service.referee.event import event_written
from service.settings import Settings, SettingsError, comma_separated, load_settings
from service.web.access import tell_first_password
from service.web.addresses import addresses, free_port
from service.web.certificate import page_certificate
from service.web.serving import serve_pages

log = logging.getLogger(__name__)


def configured(given: argparse.Namespace) -> HallConfig:
    """From the settings, under what the command line says. Raises SettingsError."""
    settings = load_settings(given.settings).with_values(
        hall_data=given.data,
        hall_host=given.host,
        hall_port=given.port,
        hall_console_port=given.console_port,
        hall_nats_port=given.nats_port,
        hall_https=given.https,
        hall_https_port=given.https_port,
    )
    hall = settings.hall
    data = Path(hall.data).expanduser() if hall.data else settings.data / "hall"
    hosts = comma_separated(hall.hosts)
    served = given.what == "serve"
    certificate = page_certificate(hall.https, "hall", data, hosts) if served else None
    config = HallConfig(
        data,
        hall.name,
        hall.host,
        hall.port,
        hall.nats_port,
        hall.stream_gb,
        hall.slow_after,
        settings.page.language,
        hosts,
        hall.console_port,
        comma_separated(hall.proxies),
        connections=hall.connections,
        https_port=hall.https_port if certificate else 0,
        certificate=certificate,
        encrypted=hall.encrypted and not given.plain,
        good_for=given.good_for,
    )
    try:
        branches, main = branches_from(comma_separated(hall.branches)), main_from(hall.main)
        if branches and main:
            raise LeafError("expected hall.branches or hall.main, got both: one hall is the main")
        if not re.fullmatch(r"([^:@/\s]+:\d{1,5})?", hall.leaf_address):
            raise LeafError(f"hall.leaf_address: expected HOST:PORT, got {hall.leaf_address!r}")
    except LeafError as error:
        raise SettingsError(str(error)) from None
    config = replace(
        config,
        branches=branches,
        leaf_port=hall.leaf_port,
        leaf_address=hall.leaf_address,
        main=main,
    )
    return with_event(config, settings)


def with_event(config: HallConfig, settings: Settings) -> HallConfig:
    """The hall with the event that every table of a round is told, and its own rulesets; empty for
    none. Raises SettingsError.
    """
    hall = settings.hall
    try:
        own = Path(hall.rulesets).expanduser().read_text("utf-8") if hall.rulesets else ""
        text = Path(hall.event).expanduser().read_text("utf-8") if hall.event else ""
        event = event_written(text, hall.event or "the event", own, hall.rulesets)
        return replace(config, event=event, rules_text=own)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{hall.event} or {hall.rulesets}: cannot be read ({error}); correct hall.event and"
            " hall.rulesets in the settings"
        ) from None
    except (EventError, RulesetError) as error:
        raise SettingsError(str(error)) from None


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one hall works in a folder. Raises SettingsError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "hall.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SettingsError(
                f"{folder}: another hall works here: stop it first, or give another --data"
            ) from None
        yield


def serve(config: HallConfig) -> int:
    """Until it is told to end."""
    try:
        free_port(config.host, config.port).close()
    except OSError as error:
        log.error(
            "the hall's pages cannot be served on %s:%d (%s): give another --port",
            config.host,
            config.port,
            error.strerror,
        )
        return 1
    for left in config.data.glob("archive-*.part"):
        # A download that was broken off.
        left.unlink()
    app = create_hall(config)
    if secret := app.state.access.first_start():
        tell_first_password(secret, app.state.access.path.parent)
    log.info("the hall's key: %s", fingerprint(bytes.fromhex(app.state.hall.line.public)))
    if config.main:
        log.info("its tables are shown at %s too", config.main.host)
    log.info("the wall is at http://%s:%d, boards and rounds at /hall", config.host, config.port)
    if config.console_port:
        log.info("this machine's own screen: http://127.0.0.1:%d/hall", config.console_port)
    if config.certificate is not None:
        log.info(
            "the hall's pages are encrypted on port %d; their certificate: %s",
            config.https_port,
            config.certificate.fingerprint,
        )
    serve_pages(
        app,
        config.host,
        config.port,
        config.console_port,
        config.proxies,
        config.https_port,
        config.certificate,
    )
    return 0


def invited(config: HallConfig, name: str) -> str:
    """What the branch of this name must set as `hall.main`. Raises SettingsError."""
    if name not in {branch.name for branch in config.branches}:
        known = ", ".join(branch.name for branch in config.branches) or "none"
        raise SettingsError(
            f"expected the name of a hall of hall.branches ({known}), got {name or 'none'!r}: set"
            " hall.branches first, as NAME=KEY"
        )
    text = line_certificate(config.data).text if config.encrypted else ""
    everywhere = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
    host = addresses()[0] if config.host in everywhere else config.host
    key = table_key(config.data / "hall.key")
    outside, _, port = (config.leaf_address or f"{host}:{config.leaf_port}").rpartition(":")
    return invitation(key, name, outside, int(port), text).text


async def rebuild(config: HallConfig) -> str:
    """Make the model again from the stream; says what it holds then."""
    remove_model(config.data / "model.db")
    hall = Hall(config)
    await hall.start()
    try:
        await hall.caught_up()
        size = hall.model.size()
    finally:
        await hall.stop()
    return (
        f"{size['tables']} tables, {size['entries']} entries, {size['refused']} messages refused,"
        f" from {size['number']} messages"
    )


def _parser() -> argparse.ArgumentParser:
    """The arguments of `takhte hall`."""
    parser = argparse.ArgumentParser(prog="takhte hall", description=__doc__)
    works = ("serve", "rebuild", "archive", "forget", "key", "invite")
    parser.add_argument("what", nargs="?", choices=works, default="serve")
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        help="invite: the hall that is to dial in; forget: the person",
    )
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help="settings file; see docs/settings.md"
    )
    parser.add_argument("--data", metavar="FOLDER", help="the hall's folder")
    parser.add_argument(
        "--host", help="address of pages and server; 0.0.0.0 lets the local network in"
    )
    parser.add_argument("--port", type=int, help="port of the pages")
    parser.add_argument(
        "--console-port", type=int, help="port of this machine's own screen; 0: none"
    )
    parser.add_argument(
        "--https", metavar="MODE", help="off, own (made here), or two files CERTIFICATE,KEY"
    )
    parser.add_argument("--https-port", type=int, help="port of the pages behind TLS")
    parser.add_argument("--nats-port", type=int, help="port at which tables publish")
    parser.add_argument(
        "--good-for",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="table time for which an order is good: more where it runs faster than the world's",
    )
    parser.add_argument(
        "--plain", action="store_true", help="a line that is not encrypted, for measuring"
    )
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """0 after the work is done, 1 where it could not be, 2 asked wrongly."""
    parser = _parser()
    given = parser.parse_args(words)
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    if given.what == "forget" and not is_person(given.name):
        parser.error(f"expected a name of 1 to {LONGEST} letters, got {given.name[:20]!r}")
    try:
        return _done(given.what, given.name, configured(given))
    except (OSError, JournalError, PlayerBookError) as error:
        log.error("%s", error)
        return 1


def _done(what: str, name: str, config: HallConfig) -> int:
    """The exit status of one of the command's works."""
    if what == "archive":
        hall = Hall(config)
        views = hall.views_from_model()
        found = rounds.rows(rounds.results(hall.registry.pairings(), views, 0.0))
        print(archive.write_results(config.data, hall.line.hall, hall.registry, found))
        return 0
    if what == "key":
        print(table_key(config.data / "hall.key").public_key().public_bytes_raw().hex())
        return 0
    if what == "invite":
        print(invited(config, name))
        return 0
    with alone(config.data):
        if what == "rebuild":
            print(asyncio.run(rebuild(config)))
            return 0
        if what == "forget":
            return forget_player(config, name)
        return serve(config)


if __name__ == "__main__":
    raise SystemExit(main())
