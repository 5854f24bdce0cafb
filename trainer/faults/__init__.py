"""Sick on purpose: named faults that induce their pathology in a training, each with its true cause; no torch here.

`rlvitals train grpo --fault NAME` trains with one from the start, `--fault_step K` switches it on at step K.
"""

from collections.abc import Mapping
from types import MappingProxyType

from trainer.faults import data, learning, rewards, sampling
from trainer.faults.fault import Case, Fault, Sign

__all__ = ["FAULTS", "Case", "Fault", "Sign"]

FAULTS: Mapping[str, Fault] = MappingProxyType(
    {fault.name: fault for fault in (*learning.FAULTS, *sampling.FAULTS, *rewards.FAULTS, *data.FAULTS)}
)
