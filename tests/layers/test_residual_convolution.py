import subprocess
import sys

import torch
from torch import nn

from saccade.layers.residual_convolution import Thinned

# Heap that is written beyond its end may go unnoticed for long: glibc looks at every piece that is freed.
NARROW = """
import torch
from saccade.layers.residual_convolution import BasicBlock
torch.set_num_threads(1)
block = BasicBlock(4, 8, stride=2)
for pictures in (1, 2, 3, 7, 16):
    for _ in range(20):
        x = torch.randn(pictures, 4, 16, 16).to(memory_format=torch.channels_last).requires_grad_()
        block(x).square().sum().backward()
"""


def test_it_is_a_convolution_with_a_stride() -> None:
    torch.manual_seed(1)
    thinned, plain = Thinned(5, 7, step=2), nn.Conv2d(5, 7, 1, stride=2, bias=False)
    plain.load_state_dict(thinned.state_dict())
    for side in (8, 9):
        x = torch.randn(3, 5, side, side)
        torch.testing.assert_close(thinned(x), plain(x))


def test_few_channels_that_lie_last_spoil_no_memory() -> None:
    done = subprocess.run([sys.executable, "-c", NARROW], env={"MALLOC_CHECK_": "3"}, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
