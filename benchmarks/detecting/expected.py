"""The committed table of right answers: for each fault the rules, causes and peers' findings that count as right."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("expected.toml")
PEERS = ("rldoctor", "rlprobe", "rlwatch")


@dataclass(frozen=True, slots=True)
class Expected:
    """What counts as right for one fault; `peers` has the findings of each other package."""

    rules: frozenset[str]
    causes: tuple[str, ...]
    peers: Mapping[str, frozenset[str]]


@cache
def read_expected() -> Mapping[str, Expected]:
    """Fault → what counts as right."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return {
        fault: Expected(
            rules=frozenset(entry["rules"]),
            causes=tuple(entry["causes"]),
            peers={peer: frozenset(entry[peer]) for peer in PEERS},
        )
        for fault, entry in table.items()
    }
