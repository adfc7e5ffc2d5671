"""`python -m service.web`: the web process of a table, started by it as a child and by itself for a
journal at rest.
"""

from __future__ import annotations

import argparse
import logging
import os
from pathlib import Path

from service.journal.paths import socket_path
from service.web.access import tell_first_password
from service.web.app import create_app
from service.web.certificate import page_certificate
from service.web.config import WebConfig
from service.web.door import BY_ADDRESS
from service.web.serving import serve_pages


def page_options(words: list[str] | None = None) -> WebConfig:
    """The configuration that the command line gives; `words` stands in for it."""
    parser = argparse.ArgumentParser(prog="python -m service.web", description=__doc__)
    _of_the_table(parser)
    _of_its_doors(parser)
    given = parser.parse_args(words)
    socket = given.socket or socket_path(given.journal)
    certificate = page_certificate(given.https, given.name, given.data or given.journal.parent)
    return WebConfig(
        given.journal,
        socket,
        given.name,
        given.host,
        given.port,
        given.data,
        given.language,
        tuple(given.allow_host),
        given.console_port,
        tuple(given.proxy),
        picture_megabytes=given.picture_megabytes,
        picture_rate=given.picture_rate,
        https_port=given.https_port if certificate else 0,
        certificate=certificate,
        connections=given.connections,
    )


def _of_the_table(parser: argparse.ArgumentParser) -> None:
    """Which table this is, and where it is heard."""
    parser.add_argument(
        "--journal", type=Path, required=True, help="the table's journal; read only"
    )
    parser.add_argument(
        "--socket", type=Path, help="the table's Unix socket (default: beside the journal)"
    )
    parser.add_argument("--name", default="t1", help="name of the table")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument(
        "--data",
        type=Path,
        help="folder of access.db and the web's settings (default: the journal's)",
    )
    parser.add_argument(
        "--language",
        default="",
        help="language where the visitor chose none; empty follows the browser",
    )


def _of_its_doors(parser: argparse.ArgumentParser) -> None:
    """Who is let in, and what they may be sent."""
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        help="a name by which this machine is called, besides *.local",
    )
    parser.add_argument(
        "--console-port",
        type=int,
        default=0,
        help="port on the loopback of this machine's own screen; 0: none",
    )
    parser.add_argument(
        "--proxy",
        action="append",
        default=[],
        help="address of a reverse proxy whose forwarding headers are believed",
    )
    parser.add_argument(
        "--picture-megabytes",
        type=int,
        default=0,
        help="memory for the stream's pictures; 0: no picture is shared",
    )
    parser.add_argument(
        "--picture-rate", type=float, default=10.0, help="pictures a second at most"
    )
    parser.add_argument(
        "--https", default="off", help="off, own (made here), or two files CERTIFICATE,KEY"
    )
    parser.add_argument("--https-port", type=int, default=8443)
    parser.add_argument(
        "--connections", type=int, default=BY_ADDRESS, help="connections that one address may have"
    )


def main() -> int:
    os.umask(0o077)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    config = page_options()
    app = create_app(config)
    if secret := app.state.access.first_start():
        tell_first_password(secret, app.state.access.path.parent)
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


if __name__ == "__main__":
    raise SystemExit(main())
