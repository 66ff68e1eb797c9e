"""Recording: look at, and change, the weights of any attention layer of any model while it runs.

    with record(model, layers="decoder.*.cross") as seen:
        run.translate("a small red circle is left of two blue squares")
    seen["decoder.2.cross"].weights_BHQK

While nobody records, a layer's ``listener`` is None and nothing is paid. Recording never changes the output; only
``edit`` does. Shapes: B sentences, N rows of one call (sentences × beams), H heads, Q queries, K keys.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention.attend import CloseListener
from saccade.attention.calculation import Calculation, calculation
from saccade.attention.edits import Edit, edited
from saccade.attention.layer import AttentionLayer
from saccade.attention.operands import OneQuery, Operands
from saccade.attention.seen import Attended
from saccade.errors import ModelError

READS = "encoder."  # how the names of layers begin that look from source to source


def clearest_cross(layers: Iterable[str]) -> str | None:
    """The cross-attention to read when nobody chose: the last layer but one, which tends to align best, or the only."""
    cross = [name for name in layers if name.endswith(".cross")]
    return cross[max(0, len(cross) - 2)] if cross else None


def attention_layers(model: nn.Module) -> dict[str, AttentionLayer]:
    """The attention layers of a model under the names people say: ``encoder.0.self``, ``decoder.2.cross``.

    Those that read come before those that write, in whatever order the model holds its parts.
    """
    found = {
        name.replace("layers.", "").removesuffix("_attention"): module
        for name, module in model.named_modules()
        if isinstance(module, AttentionLayer)
    }
    return {name: found[name] for name in sorted(found, key=lambda name: not name.startswith(READS))}


@dataclass(frozen=True)
class Watch:
    """The query of one head of one layer whose calculation is wanted."""

    layer: str
    head: int
    query: int


@dataclass(frozen=True)
class Written:
    """One sentence of a batch and the tokens it is about: ``read`` by the decoder, ``target`` written after each.

    ``rows`` says in which row of the decoder's batch a returned hypothesis stood at each step of the search; None when
    the whole target was given at once.
    """

    index: int
    sentence: int
    rows: tuple[int, ...] | None
    source: tuple[str, ...]
    target: tuple[str, ...]
    read: tuple[str, ...]


@dataclass
class Recording:
    """What one layer did: every call, and after decoding the weights of each returned sentence, with its tokens."""

    layer: str
    calls: list[Tensor] = field(default_factory=list)
    sentences: dict[int, Attended] = field(default_factory=dict)
    calculations: dict[int, Calculation] = field(default_factory=dict)

    @property
    def attended(self) -> tuple[Attended, ...]:
        """One entry for each returned sentence, in the order of the input."""
        return tuple(self.sentences[index] for index in sorted(self.sentences))

    @property
    def weights_BHQK(self) -> Tensor:
        """The weights of all sentences (shorter ones padded with zeros), or of the one call that was made."""
        if self.sentences:
            each = [a.weights_HQK for a in self.attended]
            queries, keys = (max(w.shape[axis] for w in each) for axis in (1, 2))
            padded = each[0].new_zeros(len(each), each[0].shape[0], queries, keys)
            for row, weights in enumerate(each):
                padded[row, :, : weights.shape[1], : weights.shape[2]] = weights
            return padded
        if len(self.calls) == 1:
            return self.calls[0]
        raise ModelError(f"{self.layer} was called {len(self.calls)} times since recording began: look at .calls")


class Tap(CloseListener):
    """The listener of one layer: keeps what it sees and applies the edits."""

    def __init__(self, recorder: "Recorder", layer: str) -> None:
        self.recorder = recorder
        self.recording = Recording(layer)
        self.edits: list[Edit] = []
        self.watch: Watch | None = None
        self.watched: OneQuery | None = None

    @property
    def close(self) -> bool:
        return self.watch is not None

    def take(self, operands: Operands) -> None:
        if self.watch is not None and 0 <= (place := self.watch.query - self._first) < operands.queries:
            self.watched = operands.of(self.watch.head, place)

    def see(self, weights_NHQK: Tensor) -> Tensor | None:
        used = edited(weights_NHQK, self.edits, first=self._first) if self.edits else None
        kept = weights_NHQK if used is None else used
        self.recording.calls.append(kept.detach().to("cpu", torch.float32, copy=True))
        return used

    def gather(self, written: Sequence[Written]) -> None:
        """A batch is done, and this is what belongs to it."""
        recording, name = self.recording, self.recording.layer
        for one in written:
            attended = recording.sentences[one.index] = _resolve(name, recording.calls, one)
            watch = self.watch
            if watch is not None and self.watched is not None and watch.query < len(attended.queries):
                row = one.sentence if one.rows is None or name.startswith(READS) else one.rows[watch.query]
                recording.calculations[one.index] = calculation(
                    self.watched, row, attended, head=watch.head, query=watch.query
                )
        recording.calls.clear()
        self.watched = None

    @property
    def _first(self) -> int:
        """The position in its text of the first query of the call under way."""
        return sum(call.shape[2] for call in self.recording.calls) if self.recorder.decoding else 0


class Recorder:
    """Listens to the chosen layers between ``__enter__`` and ``__exit__``; what was seen stays readable after."""

    def __init__(self, model: nn.Module, layers: str | Sequence[str] = "*") -> None:
        self._layers = attention_layers(model)
        patterns = [layers] if isinstance(layers, str) else list(layers)
        chosen = [name for name in self._layers if any(fnmatchcase(name, p) for p in patterns)]
        for pattern in patterns:
            if pattern != "*" and not any(fnmatchcase(name, pattern) for name in self._layers):
                raise ModelError(self._unknown(pattern))
        self._taps = {name: Tap(self, name) for name in chosen}
        self._active = False
        self.decoding = False

    def __enter__(self) -> Self:
        for name in self._taps:
            self._check_free(name)
        self._active = True
        for name, tap in self._taps.items():
            self._layers[name].listener = tap
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._active = False
        for name, tap in self._taps.items():
            if self._layers[name].listener is tap:
                self._layers[name].listener = None

    def __getitem__(self, layer: str) -> Recording:
        if layer not in self._layers:
            raise ModelError(self._unknown(layer))
        if layer not in self._taps:
            raise ModelError(
                f"{layer} is not among the recorded layers ({', '.join(self._taps)}): name it in record(…, layers=…)"
            )
        return self._taps[layer].recording

    def __iter__(self) -> Iterator[str]:
        return iter(self._taps)

    def edit(
        self,
        layer: str,
        *,
        weights: float | None = None,
        temperature: float | None = None,
        head: int | None = None,
        query: int | None = None,
        key: int | None = None,
    ) -> None:
        """From now on use ``weights`` in ``layer``: for one head or all, one query position or all, one key or all.

        The others are left as they are, so a row may no longer sum to one: what is said is what is used. Or attend at
        another ``temperature``: w'_k ∝ w_k^(1/τ), which is what scores divided by τ would give.
        """
        self.apply(Edit(layer, weights, temperature, head, query, key))

    def apply(self, edit: Edit) -> None:
        """The same for an edit that is written down already."""
        self._check_head(edit.layer, edit.head)
        self._tap(edit.layer).edits.append(edit)

    def watch(self, layer: str, *, head: int, query: int) -> None:
        """From now on keep what goes into one query of one head, for ``calculation``; one in a recording."""
        self._check_head(layer, head)
        if query < 0:
            raise ModelError(f"query {query}: positions count from 0, from the first token on")
        for tap in self._taps.values():
            tap.watch = None
        self._tap(layer).watch = Watch(layer, head, query)

    def calculation(self, sentence: int = 0) -> Calculation:
        """How the watched query of a returned sentence came to its context, step by step."""
        tap = next((tap for tap in self._taps.values() if tap.watch is not None), None)
        if tap is None or tap.watch is None:
            raise ModelError("no query is watched: name one with watch(layer, head=…, query=…) before the model runs")
        recording, watch = tap.recording, tap.watch
        if sentence in recording.calculations:
            return recording.calculations[sentence]
        if sentence in recording.sentences:
            queries = len(recording.sentences[sentence].queries)
            raise ModelError(f"{watch.layer} has queries 0 to {queries - 1} in this text, not {watch.query}")
        raise ModelError(f"{watch.layer} was not used for sentence {sentence} since recording began")

    def start(self) -> None:
        """A decoding begins: what was seen before is forgotten."""
        self.decoding = True
        for tap in self._taps.values():
            tap.recording.calls.clear()
            tap.recording.sentences.clear()
            tap.recording.calculations.clear()

    def finish(self) -> None:
        """The decoding is over: calls of the model are whole again, not steps of a text."""
        self.decoding = False

    def gather(self, written: Sequence[Written]) -> None:
        """A batch is done: picks out, for each of its sentences, the weights that belong to what was returned."""
        for tap in self._taps.values():
            tap.gather(written)

    def weights_along(self, layer: str, rows: Sequence[int], keys: int) -> Tensor:
        """(H, Q, K): the weights of one hypothesis, before its batch is gathered; ``rows`` as in ``Written``."""
        return _along(self[layer].calls, rows, keys)

    def _tap(self, layer: str) -> Tap:
        """The listener of a layer; one that is not recorded yet gets one now."""
        if layer not in self._taps:
            tap = Tap(self, layer)
            if self._active:
                self._check_free(layer)
                self._layers[layer].listener = tap
            self._taps[layer] = tap
        return self._taps[layer]

    def _check_head(self, layer: str, head: int | None) -> None:
        if layer not in self._layers:
            raise ModelError(self._unknown(layer))
        heads = self._layers[layer].heads
        if head is not None and not 0 <= head < heads:
            raise ModelError(f"{layer} has heads 0 to {heads - 1}, not {head}")

    def _check_free(self, name: str) -> None:
        if self._layers[name].listener is not None:
            raise ModelError(f"{name} is being recorded already: leave the first recording before the second")

    def _unknown(self, asked: str) -> str:
        near = get_close_matches(asked, self._layers, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"no attention layer {asked!r}{hint}; this model has {', '.join(self._layers) or 'none'}"


def _resolve(layer: str, calls: Sequence[Tensor], one: Written) -> Attended:
    encoding = layer.startswith(READS)
    queries = one.source if encoding else one.target
    keys = one.source if encoding or layer.endswith(".cross") else one.read
    if encoding or one.rows is None:
        whole_NHQK = _whole(calls, keys=len(keys))
        return Attended(layer, whole_NHQK[one.sentence, :, : len(queries), : len(keys)], queries, keys)
    return Attended(layer, _along(calls, one.rows, len(keys)), queries, keys)


def _along(calls: Sequence[Tensor], rows: Sequence[int], keys: int) -> Tensor:
    """One query for each step, from the row in which the hypothesis then stood."""
    weights_HQK = calls[0].new_zeros(calls[0].shape[1], len(rows), keys)
    for step, row in enumerate(rows):
        seen_HK = calls[step][row, :, 0, :keys]
        weights_HQK[:, step, : seen_HK.shape[1]] = seen_HK
    return weights_HQK


def _whole(calls: Sequence[Tensor], *, keys: int) -> Tensor:
    """The calls of a layer that goes word by word, as one (N, H, Q, K); what a word could not see yet has no weight.

    There are at least so many ``keys``: the last word of a text is one that no word looked back at.
    """
    longest = max(keys, *(call.shape[3] for call in calls))
    return torch.cat([pad(call, (0, longest - call.shape[3])) for call in calls], dim=2)


def record(model: Any, layers: str | Sequence[str] = "*") -> Recorder:
    """Record the attention of a model, or of a run's model. ``layers``: names or patterns (``decoder.*.cross``)."""
    return Recorder(getattr(model, "model", model), layers)


def recorders(model: nn.Module) -> list[Recorder]:
    """Those who listen to this model now, so that decoding can tell them what it returned."""
    found: dict[int, Recorder] = {}
    for layer in attention_layers(model).values():
        if isinstance(layer.listener, Tap):
            found[id(layer.listener.recorder)] = layer.listener.recorder
    return list(found.values())
