"""What a server counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """The figures of one server, in a registry of its own. *count_sessions* says how many sessions there are now."""

    def __init__(self, count_sessions: Callable[[], int]) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Gauge("intercode_sessions", "Sessions that are open", registry=registry).set_function(count_sessions)
        self.closed = Counter("intercode_sessions_closed", "Sessions that ended", ["reason"], registry=registry)
        self.refused = Counter("intercode_sessions_refused", "Sessions refused for want of room", registry=registry)
        self.episodes = Counter("intercode_episodes", "Episodes that ended", ["status"], registry=registry)
        self.machine_errors = Counter(
            "intercode_machine_errors", "Failures of the machine", ["error"], registry=registry
        )
        self.seconds = Histogram(
            "intercode_seconds", "Seconds that a reset or a step took", ["call"], registry=registry, buckets=BUCKETS
        )

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self.registry)
