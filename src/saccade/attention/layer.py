"""What all attention layers have in common: heads, and a listener while somebody looks."""

from torch import nn

from saccade.attention.attend import Listener


class AttentionLayer(nn.Module):
    """A layer that attends; ``listener`` is set by the recorder for as long as somebody looks."""

    def __init__(self, *, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.listener: Listener | None = None
