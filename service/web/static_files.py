"""The pages' own files, text among them packed once for every browser that takes it so. (E)

Scripts and style sheets are served as they are written, comments and all: packed, they weigh a
third or less of it.
"""

from __future__ import annotations

import functools
import gzip
import os
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

TEXT: Final = frozenset({".css", ".js", ".json", ".svg"})
"""Endings of what is worth packing; pictures and fonts are packed already."""


@functools.lru_cache(maxsize=256)
def gzipped(path: Path, modified_ns: int) -> bytes:
    """The file's gzip bytes; made once for each version of the file."""
    return gzip.compress(path.read_bytes(), mtime=0)


class PackedFiles(StaticFiles):
    """Files of a folder, as `StaticFiles` serves them, text as gzip to whoever accepts it."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        path, asked = Path(full_path), Headers(scope=scope)
        if path.suffix not in TEXT:
            return super().file_response(full_path, stat_result, scope, status_code)
        if "range" in asked or "gzip" not in asked.get("accept-encoding", ""):
            plain = super().file_response(full_path, stat_result, scope, status_code)
            plain.headers["vary"] = "accept-encoding"
            return plain
        whole = FileResponse(full_path, stat_result=stat_result)
        headers = {
            "content-type": whole.headers["content-type"],
            "last-modified": whole.headers["last-modified"],
            # Another representation of the same file has a tag of its own.
            "etag": f'{whole.headers["etag"][:-1]}-gzip"',
            "vary": "accept-encoding",
            "content-encoding": "gzip",
        }
        if self.is_not_modified(Headers(headers), asked):
            return NotModifiedResponse(Headers(headers))
        return Response(gzipped(path, stat_result.st_mtime_ns), status_code, headers)
