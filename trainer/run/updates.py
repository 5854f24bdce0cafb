"""The updates of a step: gradient accumulation over passes, optimizer steps, and the metrics of all of them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from trainer.acceleration.parallel.processes import Processes
from trainer.algorithms.experience import Tokens
from trainer.algorithms.losses import LossOut
from trainer.algorithms.means import PassMetrics, mean_over_updates
from trainer.config.training import TrainConfig
from trainer.run.histograms import StepHistograms
from trainer.run.stopwatch import Stopwatch


class Experience(Protocol):
    """What a rollout provides to learn from, one row per completion."""

    @property
    def tokens(self) -> Tokens: ...

    @property
    def logprobs_BT(self) -> Tensor: ...

    @property
    def learned_BT(self) -> Tensor: ...

    def rows(self, index_M: Tensor) -> Self: ...


class Learner(NamedTuple):
    """The trained module with its optimizer and schedule."""

    module: nn.Module
    optimizer: Optimizer
    scheduler: LambdaLR
    processes: Processes


class UpdateSummary(NamedTuple):
    """Totals of a step's updates, over all passes and processes."""

    metrics: dict[str, float]
    """The losses' metrics, and `grad_norm`, the mean over updates before clipping."""
    loss: float
    """Mean over updates."""
    learning_rate: float
    """The first submodule's rate during the updates."""
    updates: int


@dataclass(slots=True)
class Updates:
    """The updates of one step. Axes: B completions, M rows of an update, N passes, P processes, U updates."""

    learner: Learner
    config: TrainConfig
    histograms: StepHistograms
    stopwatch: Stopwatch
    _started: float = field(default_factory=time.perf_counter)
    _passes: PassMetrics = field(default_factory=PassMetrics)
    _losses: list[Tensor] = field(default_factory=list)
    _grad_norms: list[dict[str, Tensor]] = field(default_factory=list)
    _first_pass: int = 0
    """The first pass of the latest update."""

    def passes(self, batch: Any, rows_M: Tensor | None = None) -> Iterator[Any]:
        """This process's share of an experience (or of these rows of it), in passes of the per-device batch size."""
        device = self.learner.processes.accelerator.device
        if rows_M is None:
            rows_M = torch.arange(len(batch.logprobs_BT), device=device)
        self._first_pass = len(self._passes)
        self._losses.append(torch.zeros((), device=device))
        size = self.config.per_device_train_batch_size
        for part_M in self.learner.processes.passes(rows_M, size, self.learner.module):
            yield batch.rows(part_M)

    def backward(self, out: LossOut, piece: Experience, logprobs_BT: Tensor) -> None:
        """Accumulate the gradients and metrics of one pass.

        Args:
            logprobs_BT: Under the current policy.
        """
        self.learner.processes.backward(out.loss)
        self._losses[-1] += out.loss.detach()
        self._passes.add(out.metrics, piece.learned_BT, out.completion_metrics)
        self.histograms.add_ratios(logprobs_BT, piece.logprobs_BT, piece.learned_BT)

    def step(self) -> None:
        """Update the parameters with the accumulated gradients, clipped to max_grad_norm."""
        grad_norm = self.learner.processes.clip_gradients(self.learner.module, self.config.max_grad_norm)
        self._grad_norms.append({"grad_norm": grad_norm})
        self.learner.optimizer.step()
        self.learner.optimizer.zero_grad()

    def mean_of_newest(self, metric: str) -> float:
        """A metric of the latest update, over its tokens on all processes; 0 if it had no tokens to learn from."""
        total, tokens = self.learner.processes.sum(self._passes.sums(metric, self._first_pass))
        return float(total / tokens.clamp(min=1))

    def finish(self) -> UpdateSummary:
        """Advance the schedule by one step, and combine the metrics of all passes and processes."""
        learning_rate = float(self.learner.optimizer.param_groups[0]["lr"])
        self.learner.scheduler.step()
        of_passes_NM, losses_PU = self.learner.processes.gather_together(
            self._passes.rows(), torch.stack(self._losses).unsqueeze(0)
        )
        metrics = {**self._passes.combined(of_passes_NM), **mean_over_updates(self._grad_norms)}
        loss = float(losses_PU.sum(0).double().mean())
        self.stopwatch.add("update", self._started)
        return UpdateSummary(metrics, loss, learning_rate, len(self._grad_norms))
