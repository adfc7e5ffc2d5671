"""A torch network as `fit.Learner`: AdamW, weights averaged, steps held in bounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import torch
from torch import Tensor, nn

from vision.train.nets import running_mean

B = TypeVar("B")


class TorchLearner(Generic[B]):
    """`net` with the loss that teaches it. `memory`: how slowly the average of its weights follows
    (0-1), None for none. `best`: the weights worth keeping, the averaged ones where there are any.
    """

    def __init__(
        self,
        net: nn.Module,
        loss: Callable[[nn.Module, B], Tensor],
        path: Path,
        *,
        decay: float = 1e-4,
        memory: float | None = 0.998,
    ) -> None:
        self.net, self._loss, self._path = net.to(memory_format=torch.channels_last), loss, path
        self._mean = None if memory is None else running_mean(self.net, memory)
        self._optimiser = torch.optim.AdamW(self.net.parameters(), weight_decay=decay)

    @property
    def best(self) -> nn.Module:
        """The network with the weights worth keeping."""
        return self.net if self._mean is None else self._mean.module

    def step(self, batch: B, rate: float, momentum: float) -> float:
        """The loss of a batch, after one step against it."""
        for group in self._optimiser.param_groups:
            group["lr"], group["betas"] = rate, (momentum, 0.999)
        value = self._loss(self.net, batch)
        self._optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self._optimiser.step()
        if self._mean is not None:
            self._mean.update_parameters(self.net)
        return float(value.detach())

    def save(self) -> None:
        """Keep the weights as they are now."""
        torch.save(self.best.state_dict(), self._path)


def one_core(seed: int) -> None:
    """Nothing; what follows is drawn from the seed and runs on one core."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)


def begin_from(net: nn.Module, path: Path | None, *, strict: bool = True) -> nn.Module:
    """The network with the weights of a checkpoint, or as it is."""
    if path is not None:
        net.load_state_dict(torch.load(path), strict=strict)
    return net


def halved() -> torch.autocast:
    """A context in which a network's forward runs in bfloat16 where the processor multiplies in it:
    half the time on one core; losses and weights stay in full precision. A processor that only
    imitates it takes six times as long, so there the forward stays in full precision too.
    """
    return torch.autocast("cpu", torch.bfloat16, enabled=_has_bfloat16())


def half_precision(net: nn.Module, x: Tensor) -> Tensor:
    """What a network says, `halved`."""
    x = x.contiguous(memory_format=torch.channels_last)
    with halved():
        return net(x)


def _has_bfloat16() -> bool:
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))
