"""Webhooks over HTTP: who is told of what, made, tried and ended. (E)"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParam
from starlette.concurrency import run_in_threadpool

from service.web.api import FAILURES
from service.web.authority import problem, visitor_of
from service.web.schema import Responses
from service.web.webhook_schema import (
    DeliveryOut,
    WebhookIn,
    WebhookMadeOut,
    WebhookOut,
    WebhooksOut,
)
from service.web.webhooks import Webhook, WebhookError, Webhooks, newest_told

router = APIRouter(prefix="/api/v1/webhooks", tags=["broadcast"])
Ident = Annotated[str, PathParam(pattern=r"^[0-9a-f]{8}$")]
GIVEN: Responses = {k: v for k, v in FAILURES.items() if k != 404}


def _hooks(request: Request) -> Webhooks:
    found: Webhooks = request.app.state.webhooks
    return found


def _one(request: Request, ident: str) -> Webhook:
    found = _hooks(request).hooks.get(ident)
    if found is None:
        raise problem(404, "no_webhook", "the id of a webhook that is there", ident, "see the list")
    return found


def _shown(request: Request, hook: Webhook) -> WebhookOut:
    log = reversed(_hooks(request).log[hook.ident])
    return WebhookOut(
        id=hook.ident,
        url=hook.url,
        events=list(hook.events),
        log=[DeliveryOut(**asdict(each)) for each in log],
    )


@router.get("", response_model=WebhooksOut, responses=GIVEN)
async def webhooks(request: Request) -> WebhooksOut:
    """Every webhook with its last deliveries. Secrets are never told."""
    return WebhooksOut(webhooks=[_shown(request, hook) for hook in _hooks(request).hooks.values()])


@router.post("", response_model=WebhookMadeOut, status_code=201, responses=GIVEN)
async def make_webhook(request: Request, given: WebhookIn) -> WebhookMadeOut:
    """Send entries of these kinds there from now on, as late as the feed `push`.

    The answer holds the secret that signs them; it is told this once.
    """
    desks = request.app.state.desks
    sent = {name: await run_in_threadpool(newest_told, desk) for name, desk in desks.items()}
    try:
        hook = _hooks(request).add(given.url, given.events, sent)
    except WebhookError as error:
        raise problem(422, "no_webhook", str(error), given.url, "see docs/api.md") from error
    request.app.state.access.audit(visitor_of(request).name, f"webhook to {hook.url}")
    return WebhookMadeOut(**_shown(request, hook).model_dump(), secret=hook.secret)


@router.delete("/{ident}", response_model=WebhooksOut, responses=FAILURES)
async def end_webhook(request: Request, ident: Ident) -> WebhooksOut:
    """Send nothing there any more."""
    hook = _one(request, ident)
    _hooks(request).remove(ident)
    request.app.state.access.audit(visitor_of(request).name, f"webhook to {hook.url} ended")
    return await webhooks(request)


@router.post("/{ident}/ping", response_model=DeliveryOut, responses=FAILURES)
async def ping_webhook(request: Request, ident: Ident) -> DeliveryOut:
    """Send a `ping` there now, signed like everything, and say what came of it."""
    return DeliveryOut(**asdict(await _hooks(request).ping(_one(request, ident))))
