"""Trainings that the callback follows: its run directory holds all that the trainer's own logs beside it hold."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from diagnostics.readers.base import RunRef
from diagnostics.readers.openings import hold_one_training
from diagnostics.readers.run_parts import OWN, SAMPLES, STATE
from diagnostics.runlog import BESIDE_OUTPUTS

_NAME = re.compile(rf"{BESIDE_OUTPUTS}(-\d+)?")


def without_followed(refs: Sequence[RunRef]) -> list[RunRef]:
    """Leave out the logs in a trainer's output folder that hold the values of a run directory of the callback there.

    Its tables of samples go with them, unless another log of the folder stays, whose they may be.
    """
    followers = defaultdict[Path, list[RunRef]](list)
    for ref in refs:
        if ref.format == OWN and _NAME.fullmatch(ref.path.name):
            followers[ref.path.parent].append(ref)
    if not followers:
        return list(refs)
    gone = {id(ref) for folder, own in followers.items() for ref in _covered(folder, own, refs)}
    return [ref for ref in refs if id(ref) not in gone]


def _covered(folder: Path, own: Sequence[RunRef], refs: Sequence[RunRef]) -> list[RunRef]:
    inside = [ref for ref in refs if ref.format != OWN and ref.path.is_relative_to(folder)]
    logs = [ref for ref in inside if ref.format not in SAMPLES]
    covered = [ref for ref in logs if _is_covered(ref, own)]
    tables = [ref for ref in inside if ref.format in SAMPLES]
    return covered + (tables if len(covered) == len(logs) else [])


def _is_covered(ref: RunRef, own: Sequence[RunRef]) -> bool:
    """By its values; a checkpoint's state also where they say too little, if there is one run that it can be of."""
    verdicts = [hold_one_training(ref, each) for each in own]
    return True in verdicts or (ref.format == STATE and verdicts == [None])
