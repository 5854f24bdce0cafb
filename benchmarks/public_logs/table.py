"""The committed table of public logs: where each lies, and how two readers read its curves."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

Part = Literal["known", "apart"]
Judgement = Literal["sick", "healthy", "no-rl", "unclear"]
PARTS: tuple[Part, ...] = ("known", "apart")
TABLE = Path(__file__).with_name("logs.toml")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the second reader says of a log; `causes` are of sick ones."""

    judged: Judgement
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicLog:
    """One log and its judgement; `causes`, `rules` and `since` are of sick ones, `allowed` of healthy ones."""

    repository: str
    commit: str
    path: str
    part: Part
    producer: str
    format: str
    judged: Judgement
    why: str
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    since: int | None = None
    second: Reading | None = None

    @property
    def counts_as(self) -> Judgement:
        """The judgement; unclear where the two readers differ."""
        return self.judged if self.second is None or self.second.judged == self.judged else "unclear"

    @property
    def place(self) -> Path:
        """Where it lies below the folder of logs."""
        return Path(self.repository) / self.path

    @property
    def name(self) -> str:
        """The repository and as much of the path as a reader needs."""
        return f"{self.repository} `{'/'.join(Path(self.path).parts[-3:])}`"


def read_table(path: Path = TABLE) -> list[PublicLog]:
    """The rows in their order. Raises ValueError where a row has a field too many or too few."""
    return [_read(row, at) for at, row in enumerate(tomllib.loads(path.read_text("utf-8"))["log"], start=1)]


def _read(row: Mapping[str, Any], at: int) -> PublicLog:
    unknown = set(row) - {field.name for field in fields(PublicLog)}
    if unknown:
        raise ValueError(f"log {at} of the table has {', '.join(sorted(unknown))}, which no log has")
    try:
        second = Reading(**_frozen(row["second"])) if "second" in row else None
        return PublicLog(**{**_frozen(row), "second": second})
    except TypeError as error:
        raise ValueError(f"log {at} of the table ({row.get('path')}) is not whole: {error}") from error


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
