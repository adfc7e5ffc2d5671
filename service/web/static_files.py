"""The pages' own files, text among them packed once for every browser that takes it so. (E)

Scripts and style sheets are served as they are written, comments and all: packed, they weigh a
third or less of it. Everything is answered from memory within the event loop: a crowd that asks for
thousands of files at once must not queue up before the few threads that others wait for.
"""

from __future__ import annotations

import functools
import gzip
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

TEXT: Final = frozenset({".css", ".js", ".json", ".svg"})
"""Endings of what is worth packing; pictures and fonts are packed already."""
_RANGE: Final = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


@functools.lru_cache(maxsize=256)
def gzipped(path: Path, modified_ns: int) -> bytes:
    """The file's gzip bytes; made once for each version of the file."""
    return gzip.compress(path.read_bytes(), mtime=0)


@functools.lru_cache(maxsize=256)
def as_written(path: Path, modified_ns: int) -> bytes:
    """The file's own bytes; read once for each version of the file."""
    return path.read_bytes()


@functools.lru_cache(maxsize=256)
def headers_of(path: Path, modified_ns: int, *, packed: bool) -> dict[str, str]:
    """What is said of the file before its bytes; made once for each version of the file."""
    whole = FileResponse(path, stat_result=path.stat())
    headers = {
        "content-type": whole.headers["content-type"],
        "last-modified": whole.headers["last-modified"],
        "etag": whole.headers["etag"],
        "accept-ranges": "bytes",
    }
    if path.suffix in TEXT:
        headers["vary"] = "accept-encoding"
    if packed:
        headers["content-encoding"] = "gzip"
        # Another representation of the same file has a tag of its own.
        headers["etag"] = f'{headers["etag"][:-1]}-gzip"'
    return headers


class PackedFiles(StaticFiles):
    """Files of a folder, as `StaticFiles` serves them, text as gzip to whoever accepts it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._known: dict[str, Path] = {}
        """Where files were found: to make sure that a path leads nowhere else costs more than all
        the rest."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Where a file lies, and what the disk says of it; None where there is none."""
        known = self._known.get(path)
        if known is not None:
            with suppress(OSError):
                return str(known), known.stat()
        full_path, found = super().lookup_path(path)
        if found is not None:
            self._known[path] = Path(full_path)
        return full_path, found

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or what an If-None-Match or a Range makes of it. Raises 404, 405."""
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"allow": "GET, HEAD"})
        try:
            full_path, found = self.lookup_path(path)
            if found is None or not stat.S_ISREG(found.st_mode):
                raise HTTPException(404)
            return self.file_response(full_path, found, scope)
        except (OSError, ValueError) as error:
            # A name that is too long, or no name at all.
            raise HTTPException(404) from error

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        path, asked, version = Path(full_path), Headers(scope=scope), stat_result.st_mtime_ns
        takes_gzip = "range" not in asked and "gzip" in asked.get("accept-encoding", "")
        packed = path.suffix in TEXT and takes_gzip
        headers = headers_of(path, version, packed=packed)
        if self.is_not_modified(Headers(headers), asked):
            return NotModifiedResponse(Headers(headers))
        data = (gzipped if packed else as_written)(path, version)
        if "if-range" in asked or (part := part_asked(asked.get("range", ""), len(data))) is None:
            return Response(data, status_code, headers)
        if not part:
            return Response(b"", 416, headers | {"content-range": f"bytes */{len(data)}"})
        here = f"bytes {part.start}-{part.stop - 1}/{len(data)}"
        return Response(data[part.start : part.stop], 206, headers | {"content-range": here})


def part_asked(text: str, size: int) -> range | None:
    """Which bytes a Range header asks for, an empty range where there are none such; None for no
    header, and for one of several parts, which may be answered with the whole.
    """
    match = _RANGE.fullmatch(text.replace(" ", ""))
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        return range(max(0, size - int(match[2])), size)
    return range(int(match[1]), min(int(match[2]) + 1 if match[2] else size, size))
