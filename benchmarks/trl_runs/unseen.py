"""Faults that leave no sign in a log: the committed table of those found beside their healthy twins."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("unseen.toml")
INTRODUCTION = """\
### What the logs do not show

Where a sick run of this part was laid beside its healthy twin, and the metrics and samples of its log show no sign of
the fault. These runs count as missed. The list is `benchmarks/trl_runs/unseen.toml`.
"""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A fault, with which algorithm and log it is not seen, and why."""

    fault: str
    where: str
    why: str


def read_unseen() -> list[Unseen]:
    """The rows of the table, in its order."""
    return [Unseen(**row) for row in tomllib.loads(TABLE.read_text("utf-8"))["unseen"]]


def unseen_table() -> str:
    """The table in Markdown, under its heading."""
    rows = [f"| `{row.fault}` | {row.where} | {row.why} |" for row in read_unseen()]
    return "\n".join([INTRODUCTION, "| fault | where | why |", "|---|---|---|", *rows, ""])
