"""Fault injection: named faults that induce a known pathology in a training, each with its true cause.

`rlvitals train grpo --fault NAME` injects one from the start, `--fault_step K` from step K on.
"""

from collections.abc import Mapping
from types import MappingProxyType

from trainer.faults import data, engine, learning, rewards, sampling
from trainer.faults.fault import Case, Fault, Sign

__all__ = ["FAULTS", "Case", "Fault", "Sign"]

FAULTS: Mapping[str, Fault] = MappingProxyType(
    {fault.name: fault for fault in (*learning.FAULTS, *sampling.FAULTS, *engine.FAULTS, *rewards.FAULTS, *data.FAULTS)}
)
