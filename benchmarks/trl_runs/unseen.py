"""Faults that leave no sign in a log: the committed table of those found beside their healthy twins."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

TABLE = Path(__file__).with_name("unseen.toml")
INTRODUCTION = """\
### What the logs do not show

Where a sick run of this part was laid beside its healthy twin, and the metrics and samples of its log show no sign of
the fault. These runs count as missed, but for the column "of faults with a sign". The list is
`benchmarks/trl_runs/unseen.toml`.
"""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A fault, with which algorithms and in which log it is not seen, and why."""

    fault: str
    algorithms: tuple[str, ...]
    where: str
    why: str
    lacks: Literal["", "settings", "samples"] = ""


@cache
def read_unseen() -> tuple[Unseen, ...]:
    """The rows of the table, in its order."""
    rows = tomllib.loads(TABLE.read_text("utf-8"))["unseen"]
    return tuple(Unseen(**{**row, "algorithms": tuple(row["algorithms"])}) for row in rows)


def leaves_no_sign(cell: Mapping[str, Any], held: Collection[str]) -> bool:
    """Whether the table has the fault of a run with its algorithm and in its log, whatever further conditions say.

    `held`: which of settings and samples the log holds.
    """
    return any(
        row.fault == cell["fault"] and cell["algorithm"] in row.algorithms and row.lacks not in held
        for row in read_unseen()
    )


def unseen_table() -> str:
    """The table in Markdown, under its heading."""
    rows = [f"| `{row.fault}` | {row.where} | {row.why} |" for row in read_unseen()]
    return "\n".join([INTRODUCTION, "| fault | where | why |", "|---|---|---|", *rows, ""])
