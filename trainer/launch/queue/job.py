"""A job of the queue: what is to run, where it stands, and which process it is."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from diagnostics.language import VARIABLES, current_language
from diagnostics.runlog.process import ProcessIdentity

KEPT_VARIABLES = (
    *("PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "LANG", "LC_ALL"),
    *("HF_HOME", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_DATASETS_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"),
    *("SLURM_CONF", "RAY_API_SERVER_ADDRESS", "RAY_ADDRESS"),
    *("WANDB_MODE", "WANDB_DIR", "TRACKIO_DIR", "RLVITALS_LANG", "TOKENIZERS_PARALLELISM"),
)
"""Variables of whoever submits that are stored with a job. No secret is among them: the queue is a file."""
_PATHS = ("cwd", "run_dir", "child_of")


class State(StrEnum):
    """Where a job stands; `stopping` is running still."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    FINISHED = "finished"
    FAILED = "failed"
    KILLED = "killed"


ENDED = (State.FINISHED, State.FAILED, State.KILLED)


@dataclass(frozen=True, slots=True)
class Spec:
    """What is to run; it never changes.

    `argv` is executed as it is, without a shell. `words` are what its user gave: `train grpo …`, or the command itself.
    `run_dir` is where its logs appear, None where that is not known. `asks` is the slot that it takes: "cpu", "gpu" for
    any GPU, or a slot's own name, such as "gpu-1". `recipe` and `given` name the launch recipe that made the command,
    and the values that were given to it; `child_of` is the path of the run whose diagnosis asked for it. `executor` is
    the cluster on which it runs: then it takes no slot of this machine.
    """

    name: str
    words: tuple[str, ...]
    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    run_dir: Path | None = None
    asks: str = "cpu"
    recipe: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    child_of: Path | None = None
    executor: str = ""

    @property
    def is_training(self) -> bool:
        """Whether the bundled trainer runs it."""
        return not self.recipe and self.words[:1] == ("train",)

    def with_environment(self, more: Mapping[str, str]) -> Self:
        """The same with further variables."""
        return replace(self, environment={**self.environment, **more})

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """The spec that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        for name in _PATHS:
            values[name] = None if values[name] is None else Path(values[name])
        return cls(**{**values, "words": tuple(values["words"]), "argv": tuple(values["argv"])})

    def to_json(self) -> bytes:
        """As the queue stores it: ASCII, for names may hold bytes that are no UTF-8."""
        values = asdict(self)
        for name in _PATHS:
            values[name] = None if values[name] is None else str(values[name])
        return json.dumps(values).encode("ascii")


@dataclass(frozen=True, slots=True)
class Job:
    """A spec with its place in the queue. Times are seconds since the epoch.

    `position` orders the queued ones. `process` is the one that the command runs in, once it runs. `detail` is a
    sentence on how it ended. `wish` is "stop" or "kill" where its user asked for that.
    """

    id: int
    spec: Spec
    state: State
    position: int
    attempts: int
    created: float
    began: float | None = None
    ended: float | None = None
    slot: str | None = None
    process: ProcessIdentity | None = None
    exit_code: int | None = None
    detail: str = ""
    wish: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it runs any more, and nothing will."""
        return self.state in ENDED

    @property
    def holds_slot(self) -> bool:
        """Whether it runs."""
        return self.state in (State.RUNNING, State.STOPPING)


def kept_environment() -> dict[str, str]:
    """The variables of this process that a job keeps, and the language of who submits it."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, VARIABLES[0]: current_language()}
