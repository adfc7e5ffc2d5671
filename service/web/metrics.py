"""Prometheus metrics of the web process, in a registry of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from service.web.desk import Desk


class _Tables(Collector):
    """What is read from the desks when somebody asks."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self.desks = desks

    def collect(self) -> Iterable[GaugeMetricFamily]:
        up = GaugeMetricFamily(
            "takhte_table_up", "1 while the table's own process answers", labels=["table"]
        )
        seq = GaugeMetricFamily(
            "takhte_journal_entries", "entries in the journal", labels=["table"]
        )
        viewers = GaugeMetricFamily("takhte_viewers", "open live feeds", labels=["table", "view"])
        alerts = GaugeMetricFamily(
            "takhte_alerts_open", "alerts that nobody has acknowledged", labels=["table"]
        )
        for name, desk in self.desks.items():
            up.add_metric([name], float(desk.connected))
            seq.add_metric([name], float(desk.live["seq"] if desk.live else 0))
            alerts.add_metric(
                [name],
                float(
                    sum(not (a["acknowledged_by"] or a.get("settled")) for a in desk.live["alerts"])
                )
                if desk.live
                else 0.0,
            )
            for view, feed in desk.feeds.items():
                viewers.add_metric([name, view], float(feed.viewers))
            for audience, feed in desk.gallery.feeds.items():
                viewers.add_metric([name, f"picture-{audience}"], float(feed.viewers))
        return [up, seq, viewers, alerts]


class Metrics:
    """The registry and the counters that routes touch."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_Tables(desks))
        ProcessCollector(registry=self.registry)
        self.orders = Counter(
            "takhte_orders",
            "orders forwarded to the table",
            ["order", "outcome"],
            registry=self.registry,
        )
        self.answer = Histogram(
            "takhte_order_seconds",
            "seconds until the table acknowledged an order",
            registry=self.registry,
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
        )
        self.lag = Histogram(
            "takhte_page_lag_seconds",
            "seconds by which the page's own loop came late to a tick, ten times a second",
            registry=self.registry,
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
        )

    def text(self) -> bytes:
        """All metrics in Prometheus's own format."""
        return generate_latest(self.registry)
