"""Loads, once and for all processes of the fuzzer, what opening a run of any format loads and caches.

The server that every case's process is forked from imports this module; see `tests.fuzz.processes`.
"""

import tempfile
from pathlib import Path

import psutil  # noqa: F401 - judging a process imports it
import pyarrow.parquet  # noqa: F401 - as for parquet
import yaml  # noqa: F401 - as for YAML

from tests.fuzz.kinds import KINDS  # noqa: F401 - as for making a case
from tests.fuzz.look import look
from tests.fuzz.seeds import SEEDS

_STARTING_THREADS = frozenset({"completions", "samples-parquet"})  # pyarrow's, which a fork would lose

with tempfile.TemporaryDirectory() as _place:
    for _name, _seeds in SEEDS.items():
        for _number, _seed in enumerate(_seeds if _name not in _STARTING_THREADS else ()):
            _seed(Path(_place) / f"{_name}-{_number}")
    look(Path(_place))
