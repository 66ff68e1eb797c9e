"""What all attention layers have in common: heads, and a listener while somebody looks."""

from torch import Tensor, nn

from saccade.attention.attend import CloseListener, Listener
from saccade.attention.operands import Operands


class AttentionLayer(nn.Module):
    """A layer that attends; ``listener`` is set by the recorder for as long as somebody looks.

    ``within`` is a listener that is part of the model: it may keep the weights for a loss, or choose one of the keys.
    What the recorder then sees is what was used.
    """

    def __init__(self, *, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.listener: Listener | None = None
        self.within: Listener | None = None

    @property
    def heard(self) -> Listener | None:
        """All who listen, one after the other."""
        if self.within is None or self.listener is None:
            return self.within or self.listener
        return _Both(self.within, self.listener)


class _Both(CloseListener):
    def __init__(self, first: Listener, second: Listener) -> None:
        self._first = first
        self._second = second

    @property
    def close(self) -> bool:
        return isinstance(self._second, CloseListener) and self._second.close

    def take(self, operands: Operands) -> None:
        if isinstance(self._second, CloseListener):
            self._second.take(operands)

    def see(self, weights_NHQK: Tensor) -> Tensor | None:
        changed = self._first.see(weights_NHQK)
        again = self._second.see(weights_NHQK if changed is None else changed)
        return changed if again is None else again
