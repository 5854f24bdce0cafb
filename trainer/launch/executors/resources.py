"""What a job asks of a cluster, in Slurm's and submitit's own names, each value checked before it reaches a script."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from diagnostics.language import N_
from trainer.config.options import ConfigError

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:@+/&|*-]{0,199}")
_MEMORY = re.compile(r"[1-9]\d{0,8}[KMGT]?")
_TIME = re.compile(r"[1-9]\d{0,8}|\d{1,8}:\d\d|(\d{1,4}-)?\d{1,6}:\d\d:\d\d|\d{1,4}-\d{1,6}(:\d\d)?")
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class ResourceHelp:
    """What a resource is, and what holds where it is not named; both are sentences without their points."""

    meaning: str
    unnamed: str


RESOURCE_HELP: Mapping[str, ResourceHelp] = {
    "nodes": ResourceHelp(N_("machines"), N_("one")),
    "gpus_per_node": ResourceHelp(N_("GPUs on each machine; each process takes one"), N_("none")),
    "tasks_per_node": ResourceHelp(N_("processes on each machine"), N_("one for each GPU, else one")),
    "cpus_per_task": ResourceHelp(N_("cores for each process"), N_("the cluster's default")),
    "mem": ResourceHelp(N_("memory on each machine, such as 16G"), N_("the cluster's default")),
    "time": ResourceHelp(N_("time limit in minutes, or D-HH:MM:SS"), N_("the partition's limit")),
    "partition": ResourceHelp(N_("partition of the cluster"), N_("the cluster's default")),
    "account": ResourceHelp(N_("account that pays"), N_("your default")),
    "qos": ResourceHelp(N_("quality of service"), N_("the cluster's default")),
    "constraint": ResourceHelp(N_("features that a machine must have, such as h100"), N_("any machine")),
    "signal_delay_s": ResourceHelp(
        N_("seconds before the time limit at which the checkpoint is saved; more than a step takes"), N_("90 s")
    ),
}
"""Every resource by name."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job asks for; None leaves it to the cluster."""

    nodes: int = 1
    gpus_per_node: int = 0
    tasks_per_node: int | None = None
    cpus_per_task: int | None = None
    mem: str | None = None
    time: str | None = None
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    signal_delay_s: int = 90

    @classmethod
    def parse(cls, words: Mapping[str, str]) -> Self:
        """The resources that these words give; an empty word leaves one to the cluster.

        Raises:
            ConfigError: A value is none that Slurm takes; the message says which.
        """
        values: dict[str, Any] = {name: _parsed(name, word.strip()) for name, word in words.items() if word.strip()}
        return cls(**values)

    def placed(self, processes: int) -> Self:
        """These resources for a training of so many processes, or as many as they give it where it is only one.

        Raises:
            ConfigError: The processes cannot be spread evenly, or another number is asked for on each machine.
        """
        if processes == 1:
            return self._with(self.tasks_per_node or max(1, self.gpus_per_node))
        each, rest = divmod(processes, self.nodes)
        if rest or (self.tasks_per_node or each) != each:
            asked = f"{self.tasks_per_node} on each" if self.tasks_per_node else "the same number on each"
            raise ConfigError(
                f"num_processes is {processes}, which {self.nodes} nodes with {asked} do not make; "
                "leave tasks_per_node out, or give a multiple of nodes"
            )
        return self._with(each)

    @property
    def processes(self) -> int:
        """Processes in all; `placed` has settled how many a node has."""
        return self.nodes * (self.tasks_per_node or 1)

    def to_dict(self) -> dict[str, Any]:
        """What is asked for, by name, without what is left to the cluster."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def _with(self, tasks_per_node: int) -> Self:
        return type(self)(**{**asdict(self), "tasks_per_node": tasks_per_node})


_LEAST = {"nodes": 1, "gpus_per_node": 0, "tasks_per_node": 1, "cpus_per_task": 1, "signal_delay_s": 1}
_FORMS = {
    "mem": (_MEMORY, "a number with K, M, G or T behind it, such as 16G"),
    "time": (_TIME, "minutes, or D-HH:MM:SS"),
}


def _parsed(name: str, word: str) -> int | str:
    if name in _LEAST:
        return _whole(name, word, _LEAST[name])
    pattern, wanted = _FORMS.get(name, (_NAME, "a name that Slurm could have"))
    if not pattern.fullmatch(word):
        raise ConfigError(f"{name} must be {wanted}, not {word!r}")
    return word


def _whole(name: str, word: str, least: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word) or not least <= int(word) <= _MOST:
        raise ConfigError(f"{name} must be a whole number from {least} to {_MOST:,}, not {word!r}")
    return int(word)
