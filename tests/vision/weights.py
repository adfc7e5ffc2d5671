"""The networks that the tests of this room read with: loaded once, each when it is first needed."""

from __future__ import annotations

from vision.networks import Networks

NETWORKS = Networks()
