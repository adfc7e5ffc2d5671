"""Who is let in now, and ending it: a lost phone is an official no longer. (E)"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParam

from service.web.access import SESSION_ID, Access
from service.web.api import FAILURES
from service.web.authority import open_lines_of, problem, visitor_of
from service.web.schema import DeviceOut, Devices

router = APIRouter(prefix="/api/v1/devices", tags=["access"])
Ident = Annotated[str, PathParam(pattern=rf"^[0-9a-f]{{{SESSION_ID}}}$")]


@router.get("", response_model=Devices, responses={k: v for k, v in FAILURES.items() if k != 404})
async def devices(request: Request) -> Devices:
    """Every device that was paired and everybody who signed in, while it lasts."""
    access: Access = request.app.state.access
    return Devices(
        devices=[
            DeviceOut(
                id=found.ident,
                name=found.visitor.name,
                role=found.visitor.role.value,
                side=found.visitor.side,
                tables=None if found.visitor.tables is None else sorted(found.visitor.tables),
                since=found.since,
            )
            for found in access.sessions()
        ]
    )


@router.delete("/{ident}", response_model=Devices, responses=FAILURES)
async def end_device(request: Request, ident: Ident) -> Devices:
    """End it: it is a guest from now on, and what it has open is closed."""
    access: Access = request.app.state.access
    if not access.end_named(ident):
        raise problem(404, "no_device", "the id of a device that is let in", ident)
    open_lines_of(request).close_ended()
    access.audit(visitor_of(request).name, f"device {ident} ended")
    return await devices(request)
