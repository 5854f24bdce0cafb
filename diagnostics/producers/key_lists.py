"""The keys that a producer's runs log, by its newest source: each is mapped, or left out with a reason.

`keys/` holds one TOML file for each producer: `version`, `source`, `axes` (keys that are the step itself), `[[logs]]`
with a `title`, the `trainer` that reads them, whether a run `is_default`, and `keys`; `[ignored]` gives reasons for
patterns of tags without the transport's prefix. `{a,b}` in a key stands for both, `<name>` for a name of the user's.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trainer import Trainer
from diagnostics.producers.transport import trainers_name

LISTED = ("trl", "verl", "nemo-rl", "prime-rl", "slime", "skyrl", "openrlhf", "areal", "roll")
"""Producers with a list."""
_CHOICE = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class LoggedKeys:
    """The keys of one kind of run of a producer, by what becomes of them; none should be `unknown`."""

    producer: str
    version: str
    source: str
    title: str
    is_default: bool
    mapped: tuple[str, ...]
    ignored: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many keys there are."""
        return len(self.mapped) + len(self.ignored) + len(self.unknown)

    @property
    def mapped_share(self) -> float:
        """The share that is a metric of the vocabulary."""
        return len(self.mapped) / self.count

    @property
    def known_share(self) -> float:
        """The share that is mapped or left out with a reason."""
        return 1 - len(self.unknown) / self.count


def key_lists(producer: str) -> Iterator[LoggedKeys]:
    """Every kind of run of a producer that has a list."""
    listed = _document(producer)
    axes = frozenset(listed.get("axes", ()))
    trainers = {trainer.name: trainer for known in PRODUCERS for trainer in known.trainers}
    for log in listed["logs"]:
        keys = [key for pattern in log["keys"] for key in spelled_out(pattern) if key not in axes]
        yield _sorted(producer, listed, log, trainers[log["trainer"]], keys)


def ignored_patterns(producer: str) -> Mapping[str, str]:
    """Patterns of the tags that are left out on purpose, each with the reason; empty for a producer without a list."""
    found: Mapping[str, str] = _document(producer).get("ignored", {}) if producer in LISTED else {}
    return found


@lru_cache(maxsize=1 << 16)
def is_ignored(producer: str, tag: str) -> bool:
    """Whether a tag without the transport's prefix is left out on purpose."""
    pattern = _ignored(producer)
    return pattern is not None and pattern.match(tag) is not None


def spelled_out(pattern: str) -> Iterator[str]:
    """The keys that a pattern stands for: `a/{b,c}/<name>` is `a/b/name` and `a/c/name`."""
    choice = _CHOICE.search(pattern)
    if choice is None:
        yield _NAME.sub(r"\1", pattern)
        return
    for word in choice[1].split(","):
        yield from spelled_out(pattern[: choice.start()] + word + pattern[choice.end() :])


def _sorted(
    producer: str, listed: Mapping[str, Any], log: Mapping[str, Any], trainer: Trainer, keys: list[str]
) -> LoggedKeys:
    mapped: list[str] = []
    ignored: list[str] = []
    unknown: list[str] = []
    for key in dict.fromkeys(keys):
        tag = trainers_name(key)
        place = mapped if trainer.metric_of(tag) else ignored if is_ignored(producer, tag) else unknown
        place.append(key)
    return LoggedKeys(
        producer,
        listed["version"],
        listed["source"],
        log["title"],
        log.get("is_default", True),
        tuple(mapped),
        tuple(ignored),
        tuple(unknown),
    )


@cache
def _document(producer: str) -> dict[str, Any]:
    return tomllib.loads(files("diagnostics.producers").joinpath("keys", f"{producer}.toml").read_text("utf-8"))


@cache
def _ignored(producer: str) -> re.Pattern[str] | None:
    patterns = ignored_patterns(producer)
    return re.compile("|".join(map(translate, patterns))) if patterns else None
