"""Sinks: TensorBoard and Weights & Biases, which get the metrics too. The run directory does not depend on them."""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

PREFIX = "train/"
"""TRL's, so that dashboards made for TRL show our runs."""

_log = logging.getLogger(__name__)


class Sink(Protocol):
    """A place that takes one row of metrics per step."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class TensorBoardSink:
    """Event files in <run>/tensorboard; NaN is written as NaN."""

    def __init__(self, directory: Path, config: Mapping[str, Any]) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - a second to import, only when asked for

        self._writer: Any = SummaryWriter(str(directory / "tensorboard"), flush_secs=2)
        self._writer.add_text("args/text_summary", "\n".join(f"    {name}: {value}" for name, value in config.items()))

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(PREFIX + name, value, step)

    def close(self) -> None:
        self._writer.close()


class WandbSink:
    """A Weights & Biases run in <run>/wandb: online with an API key or WANDB_MODE, else offline, never a question."""

    def __init__(self, directory: Path, config: Mapping[str, Any]) -> None:
        import wandb

        if not any(os.environ.get(name) for name in ("WANDB_MODE", "WANDB_API_KEY")):
            os.environ["WANDB_MODE"] = "offline"
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "rlvitals"),
            name=directory.name,
            dir=str(directory),
            config=dict(config),
            settings=wandb.Settings(silent=True, console="off"),
        )
        self._run.define_metric("*", step_metric=f"{PREFIX}global_step", step_sync=True)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        row = {PREFIX + name: value for name, value in metrics.items()}
        self._run.log({**row, f"{PREFIX}global_step": step})

    def close(self) -> None:
        self._run.finish()


_KINDS: Mapping[str, Callable[[Path, Mapping[str, Any]], Sink]] = {"tensorboard": TensorBoardSink, "wandb": WandbSink}


class Sinks:
    """All sinks of a training. One that fails is left out from then on, with a warning: it never ends the training."""

    def __init__(self, names: Sequence[str], directory: Path, config: Mapping[str, Any]) -> None:
        self._open: dict[str, Sink] = {}
        for name in names:
            if name in _KINDS:
                with self._leaving_out(name):
                    self._open[name] = _KINDS[name](directory, config)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Give one step's metrics to every sink that still works."""
        for name, sink in list(self._open.items()):
            with self._leaving_out(name):
                sink.log(step, metrics)

    def close(self) -> None:
        """Flush and close every sink that still works."""
        for name, sink in list(self._open.items()):
            with self._leaving_out(name):
                sink.close()

    @contextmanager
    def _leaving_out(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # third parties' writers fail in ways of their own; the training goes on
            self._open.pop(name, None)
            _log.warning("%s gets no more metrics: %s: %s", name, type(error).__name__, error)
