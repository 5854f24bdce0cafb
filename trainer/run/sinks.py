"""Sinks: TensorBoard and Weights & Biases, which also get the metrics. The run directory does not depend on them."""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, Protocol

from diagnostics.model.vocabulary import EVAL_PREFIX

PREFIX = "train/"
"""TRL's prefix, so that dashboards made for TRL show our runs."""

LONGEST_QUEUE = 500
"""Steps that may be queued for a sink before the training waits for it."""

_log = logging.getLogger(__name__)


Histograms = Mapping[str, Mapping[str, Any]]
"""Name → `edges` and `counts`, as `trainer.run.histograms` builds them."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The run's description for its sinks."""

    directory: Path
    config: Mapping[str, Any]
    run_id: str | None = None
    last_step: int | None = None
    """The step that a resumed training continues from; anything a sink has beyond it is void. None for a new
    training."""


class Sink(Protocol):
    """Receives one row of metrics per step, and the histograms of some steps."""

    def log(self, step: int, metrics: Mapping[str, float], histograms: Histograms) -> None: ...

    def close(self) -> None: ...


class TensorBoardSink:
    """Event files in <run>/tensorboard; NaN is written as NaN."""

    def __init__(self, origin: Origin) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - a second to import, only when asked for

        purge_step = None if origin.last_step is None else origin.last_step + 1
        self._writer: Any = SummaryWriter(str(origin.directory / "tensorboard"), purge_step=purge_step, flush_secs=2)
        options = "\n".join(f"    {name}: {value}" for name, value in origin.config.items())
        self._writer.add_text("args/text_summary", options)

    def log(self, step: int, metrics: Mapping[str, float], histograms: Histograms) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(tag_of(name), value, step)
        for name, bins in histograms.items():
            if bins["counts"]:
                self._writer.add_histogram_raw(tag_of(name), **_raw(bins["edges"], bins["counts"]), global_step=step)

    def close(self) -> None:
        self._writer.close()


class WandbSink:
    """A Weights & Biases run in <run>/wandb: online with an API key or WANDB_MODE, else offline; never prompts."""

    def __init__(self, origin: Origin) -> None:
        import wandb

        if not any(os.environ.get(name) for name in ("WANDB_MODE", "WANDB_API_KEY")):
            os.environ["WANDB_MODE"] = "offline"
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "rlvitals"),
            id=origin.run_id,
            resume="allow",
            name=origin.directory.name,
            dir=str(origin.directory),
            config=dict(origin.config),
            settings=wandb.Settings(silent=True, console="off"),
        )
        self._run.define_metric("*", step_metric=f"{PREFIX}global_step", step_sync=True)

    def log(self, step: int, metrics: Mapping[str, float], histograms: Histograms) -> None:
        import wandb

        row: dict[str, Any] = {tag_of(name): value for name, value in metrics.items()}
        row |= {
            tag_of(name): wandb.Histogram(np_histogram=(bins["counts"], bins["edges"]))
            for name, bins in histograms.items()
            if bins["counts"]
        }
        self._run.log({**row, f"{PREFIX}global_step": step})

    def close(self) -> None:
        self._run.finish()


_KINDS: Mapping[str, Callable[[Origin], Sink]] = {"tensorboard": TensorBoardSink, "wandb": WandbSink}


class Sinks:
    """All sinks of a training. A sink that fails is dropped with a warning; it never ends the training."""

    def __init__(self, names: Sequence[str], origin: Origin) -> None:
        self._workers = [_Worker(name, origin) for name in names if name in _KINDS]

    def log(self, step: int, metrics: Mapping[str, float], histograms: Histograms | None = None) -> None:
        """Queue one step's metrics and histograms for every sink; background threads write them in step order."""
        for worker in self._workers:
            worker.put(step, metrics, histograms or {})

    def close(self) -> None:
        """Wait until every sink has written its queue, and close it."""
        for worker in self._workers:
            worker.finish()


class _Worker:
    """The thread that writes one sink: third-party writers take longer per row than the rest of the log."""

    def __init__(self, name: str, origin: Origin) -> None:
        self._name = name
        self._rows: Queue[tuple[int, Mapping[str, float], Histograms] | None] = Queue(LONGEST_QUEUE)
        self._sink: Sink | None = None
        with self._leaving_out():
            self._sink = _KINDS[name](origin)
        self._thread = Thread(target=self._write, name=f"rlvitals-{name}", daemon=True)
        self._thread.start()

    def put(self, step: int, metrics: Mapping[str, float], histograms: Histograms) -> None:
        """Queue a row; blocks only if the sink is hundreds of steps behind."""
        if self._sink is not None:
            self._rows.put((step, dict(metrics), histograms))

    def finish(self) -> None:
        """Write the queue and close the sink."""
        self._rows.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (row := self._rows.get()) is not None:
            if self._sink is not None:
                with self._leaving_out():
                    self._sink.log(*row)
        if self._sink is not None:
            with self._leaving_out():
                self._sink.close()

    @contextmanager
    def _leaving_out(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # third-party writers can fail in any way; the training continues
            self._sink = None
            _log.warning("%s gets no more metrics: %s: %s", self._name, type(error).__name__, error)


def tag_of(name: str) -> str:
    """A metric's tag: TRL's prefix for training metrics; evaluation metrics already have their own."""
    return name if name.startswith(EVAL_PREFIX) else PREFIX + name


def _raw(edges: Sequence[float], counts: Sequence[int]) -> dict[str, Any]:
    """The arguments of `add_histogram_raw`. The moments it needs are computed from the bin centres."""
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return {
        "min": edges[0],
        "max": edges[-1],
        "num": sum(counts),
        "sum": sum(count * middle for count, middle in zip(counts, middles, strict=True)),
        "sum_squares": sum(count * middle**2 for count, middle in zip(counts, middles, strict=True)),
        "bucket_limits": list(edges[1:]),
        "bucket_counts": list(counts),
    }
