"""The committed ground truth: the rules, causes and peers' findings that count as correct for each fault."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("expected.toml")
LEVELS = ("info", "warning", "critical")
PEERS = ("rldoctor", "rlprobe", "rlwatch")


@dataclass(frozen=True, slots=True)
class Expected:
    """What counts as correct for one fault; `peers` has the findings of each other package.

    `alarms` are the severities at which one of `rules` counts. `causes` are correct with any algorithm; `only` lists
    those that are correct with one algorithm, if that matters.
    """

    rules: frozenset[str]
    causes: tuple[str, ...]
    only: Mapping[str, tuple[str, ...]]
    peers: Mapping[str, frozenset[str]]
    alarms: frozenset[str]

    def causes_with(self, algorithm: str) -> tuple[str, ...]:
        """The correct causes for this algorithm, else those for any."""
        return self.only.get(algorithm, self.causes)


@cache
def read_expected() -> Mapping[str, Expected]:
    """Fault → what counts as correct."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return {
        fault: Expected(
            rules=frozenset(entry["rules"]),
            causes=tuple(entry["causes"]),
            only={algorithm: tuple(causes) for algorithm, causes in entry.get("causes_with", {}).items()},
            alarms=frozenset(LEVELS[LEVELS.index(entry.get("least", "warning")) :]),
            peers={peer: frozenset(entry[peer]) for peer in PEERS},
        )
        for fault, entry in table.items()
    }
