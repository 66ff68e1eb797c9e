"""Numbers about the service in Prometheus' text format, without any library for it."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from threading import Lock

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
TEXTS = (1, 2, 4, 8, 16, 32, 64)

Labels = tuple[tuple[str, str], ...]


class Counter:
    """Only grows."""

    kind = "counter"

    def __init__(self, help: str) -> None:
        self.help = help
        self._values: dict[Labels, float] = defaultdict(float)

    def add(self, amount: float = 1.0, **labels: str) -> None:
        self._values[_key(labels)] += amount

    def lines(self, name: str) -> Iterator[str]:
        for labels, value in self._values.items():
            yield _line(name, labels, value)


class Gauge:
    """Asked for when somebody reads it: a value for each set of labels."""

    kind = "gauge"

    def __init__(self, help: str, read: Callable[[], Mapping[Labels, float]]) -> None:
        self.help = help
        self._read = read

    def lines(self, name: str) -> Iterator[str]:
        for labels, value in self._read().items():
            yield _line(name, labels, value)


class Histogram:
    """How many values lie at or below each bound."""

    kind = "histogram"

    def __init__(self, help: str, bounds: tuple[float, ...]) -> None:
        self.help = help
        self._bounds = bounds
        self._counts: dict[Labels, list[int]] = defaultdict(lambda: [0] * (len(bounds) + 1))
        self._sums: dict[Labels, float] = defaultdict(float)

    def add(self, value: float, **labels: str) -> None:
        key = _key(labels)
        self._counts[key][bisect_left(self._bounds, value)] += 1
        self._sums[key] += value

    def lines(self, name: str) -> Iterator[str]:
        for labels, counts in self._counts.items():
            below = 0
            for bound, count in zip((*map(str, self._bounds), "+Inf"), counts, strict=True):
                below += count
                yield _line(f"{name}_bucket", (*labels, ("le", bound)), below)
            yield _line(f"{name}_sum", labels, self._sums[labels])
            yield _line(f"{name}_count", labels, below)


class Metrics:
    """What the service counts; threads may count at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way = 0
        self._requests = Counter("Requests answered, by route and status; 499 are those that left.")
        self._seconds = Histogram("Seconds from a request to its answer.", SECONDS)
        self._batches = Histogram("Texts that were worked on together.", TEXTS)
        self._tokens = Counter("Tokens of the texts that were worked on.")
        self._gone = Counter("Texts that left before they were done.")
        self._all: dict[str, Counter | Gauge | Histogram] = {
            "saccade_requests_total": self._requests,
            "saccade_request_seconds": self._seconds,
            "saccade_batch_texts": self._batches,
            "saccade_tokens_total": self._tokens,
            "saccade_gone_texts_total": self._gone,
            "saccade_requests_under_way": Gauge("Requests being answered.", lambda: {(): float(self._under_way)}),
        }

    def gauge(self, name: str, help: str, read: Callable[[], Mapping[Labels, float]]) -> None:
        self._all[name] = Gauge(help, read)

    def began(self) -> None:
        with self._lock:
            self._under_way += 1

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Ends what ``began``."""
        with self._lock:
            self._under_way -= 1
            self._requests.add(route=route, status=str(status))
            self._seconds.add(seconds, route=route)

    def worked(self, model: str, texts: int, tokens: int, gone: int) -> None:
        with self._lock:
            self._batches.add(texts, model=model)
            self._tokens.add(tokens, model=model)
            self._gone.add(gone, model=model)

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            lines: list[str] = []
            for name, one in self._all.items():
                lines += [f"# HELP {name} {one.help}", f"# TYPE {name} {one.kind}", *one.lines(name)]
        return "\n".join(lines) + "\n"


def _key(labels: Mapping[str, str]) -> Labels:
    return tuple(sorted(labels.items()))


def _line(name: str, labels: Labels, value: float) -> str:
    said = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    number = str(int(value)) if value == int(value) else repr(value)
    return f"{name}{{{said}}} {number}" if said else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
