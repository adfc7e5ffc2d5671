"""Scenes for OBS, as the file that its *Scene Collection > Import* reads; pure."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Final, TypedDict
from urllib.parse import urlencode

LAYOUTS: Final = {
    "corner": "Board in the corner",
    "line": "Score line",
    "side": "Column at the side",
    "full": "Board large",
    "pip": "Board and camera",
}
WIDTH, HEIGHT = 1920, 1080


class BrowserSettings(TypedDict):
    """What OBS keeps of a browser source."""

    url: str
    width: int
    height: int
    shutdown: bool
    restart_when_active: bool


class SceneItem(TypedDict):
    """A source in a scene, where it is put by itself: at the corner, as large as it is."""

    name: str
    source_uuid: str
    id: int
    visible: bool


class SceneSettings(TypedDict):
    """What OBS keeps of a scene."""

    id_counter: int
    custom_size: bool
    items: list[SceneItem]


class ObsSource(TypedDict):
    """A source; OBS counts a scene as one."""

    id: str
    versioned_id: str
    name: str
    uuid: str
    settings: BrowserSettings | SceneSettings


class SceneName(TypedDict):
    """A scene's place in the list."""

    name: str


class SceneCollection(TypedDict):
    """The file."""

    name: str
    current_scene: str
    current_program_scene: str
    scene_order: list[SceneName]
    sources: list[ObsSource]


def scene_collection(overlay: str, asked: Mapping[str, str]) -> SceneCollection:
    """A collection with a scene for each layout, each with the overlay as its only source; `asked`
    goes into every address.
    """
    sources: list[ObsSource] = []
    for layout, title in LAYOUTS.items():
        address = f"{overlay}?{urlencode({**asked, 'layout': layout})}"
        browser = _source(
            "browser_source",
            f"takhte {layout}",
            {
                "url": address,
                "width": WIDTH,
                "height": HEIGHT,
                "shutdown": True,
                "restart_when_active": True,
            },
        )
        item: SceneItem = {
            "name": browser["name"],
            "source_uuid": browser["uuid"],
            "id": 1,
            "visible": True,
        }
        scene: SceneSettings = {"id_counter": 1, "custom_size": False, "items": [item]}
        sources += [browser, _source("scene", _scene_name(title), scene)]
    first = _scene_name(LAYOUTS["corner"])
    return {
        "name": "takhte",
        "current_scene": first,
        "current_program_scene": first,
        "scene_order": [{"name": _scene_name(title)} for title in LAYOUTS.values()],
        "sources": sources,
    }


def _scene_name(title: str) -> str:
    return f"takhte: {title}"


def _source(kind: str, name: str, settings: BrowserSettings | SceneSettings) -> ObsSource:
    # The same for the same name, so that a second import takes the first one's place.
    ident = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
    return {"id": kind, "versioned_id": kind, "name": name, "uuid": ident, "settings": settings}
