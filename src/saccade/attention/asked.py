"""What somebody wants to see of a model, and to change in it, said before it runs."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from torch import nn

from saccade.attention.edits import Edit
from saccade.attention.record import Recorder, Watch, record


@dataclass(frozen=True)
class Asked:
    """Names or patterns of ``layers``, the ``edits`` to make, and the query whose calculation is wanted."""

    layers: tuple[str, ...] = ("*",)
    edits: tuple[Edit, ...] = ()
    watch: Watch | None = None

    def wants(self, layer: str) -> bool:
        """Whether the layer is one of those to be seen, not only changed or watched."""
        return any(fnmatchcase(layer, pattern) for pattern in self.layers)

    def recorder(self, model: nn.Module) -> Recorder:
        """A recorder of this model that does so."""
        seen = record(model, self.layers)
        for edit in self.edits:
            seen.apply(edit)
        if self.watch is not None:
            seen.watch(self.watch.layer, head=self.watch.head, query=self.watch.query)
        return seen


EVERYTHING = Asked()
