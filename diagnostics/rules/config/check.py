"""What a pre-flight check is: a document that judges settings, its limits with their sources, and what it can find."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from diagnostics.model.messages import Message, Value, format_setting
from diagnostics.model.outcome import Fix, Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Setup

Limits = Mapping[str, float]
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of a check, with its unit and where the number comes from."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Concern:
    """The settings are worth a look: how bad it is, the sentence, the names of the settings, what to change."""

    severity: Severity
    message: Message
    parameters: tuple[str, ...]
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Fine:
    """The check looked and found nothing; what it measured and the limit, where it measures."""

    measured: float | None = None
    limit: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The check could not look: why, and what would let it."""

    message: Message
    enable: Message


Finding = Concern | Fine | Unknown


class Check(ABC):
    """One pre-flight check. Its docstring is its document: the first line says what it finds, the rest why it matters.

    `algorithms` empty: any. `quirk`: what of the producer's it is about. `reads` are the settings without which it
    cannot look; the first is the one that it is about. `texts` are its English templates: sentences, and `why`, which
    stands beside its fix.
    """

    code: str
    name: str
    grade: str
    source: str
    reads: tuple[str, ...]
    texts: Mapping[str, str]
    algorithms: frozenset[str] = frozenset()
    quirk: Quirk | None = None
    limits: Mapping[str, Limit] = MappingProxyType({})

    @abstractmethod
    def judge(self, setup: Setup, limits: Limits) -> Finding:
        """Judge a setup in which all that it `reads` is known."""

    def applies(self, setup: Setup) -> bool:
        """Whether the check means anything; where the algorithm is unknown, the settings that are given decide."""
        if self.quirk is not None and self.quirk not in setup.quirks:
            return False
        if setup.algorithm == "unknown":
            known = [setup.get(name) for name in self.reads]
            return bool(known) and all(setting is not None and setting.is_given for setting in known)
        return not self.algorithms or setup.algorithm in self.algorithms

    @property
    def summary(self) -> str:
        """The first line of the document."""
        return self._document[0]

    @property
    def reasons(self) -> str:
        """The rest of the document, as one paragraph."""
        return " ".join(line.strip() for line in self._document[1:] if line.strip())

    @property
    def templates(self) -> dict[str, str]:
        """The English templates under their full ids, `pf-top-k.fired`."""
        return {f"{self.name}.{key}": text for key, text in self.texts.items()}

    def say(self, key: str, **values: Value) -> Message:
        """A message of this check."""
        return Message(f"{self.name}.{key}", values)

    def concern(
        self,
        severity: Severity,
        setting: Setting,
        *,
        key: str = "fired",
        suggested: Any = None,
        measured: float | None = None,
        limit: float | None = None,
        unit: str = "",
        **values: Value,
    ) -> Concern:
        """A finding about one setting, with the fix that changes it.

        Its sentence may use parameter, value, limit, suggested, and origin: words that say who set it where it was
        not the user.
        """
        why = (Fix(setting.parameter, setting.value, suggested, self.say("why"), self.source),)
        words: dict[str, Value] = {
            "parameter": setting.parameter,
            "value": format_setting(setting.value),
            "origin": _ORIGINS[setting.origin],
            "limit": "" if limit is None else f"{limit:.3g}",
            "suggested": format_setting(suggested),
        }
        return Concern(
            severity,
            self.say(key, **{**words, **values}),
            (setting.parameter,),
            setting.number if measured is None else measured,
            limit,
            unit,
            why if "why" in self.texts else (),
        )

    def unknown(self, why: str, enable: str, **values: Value) -> Unknown:
        """Skipped, in this check's own words: the keys of two of its texts."""
        return Unknown(self.say(why, **values), self.say(enable, **values))

    @property
    def _document(self) -> list[str]:
        return inspect.cleandoc(type(self).__doc__ or "").splitlines()


def fixed(entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """The entries as a check's class holds them: nobody changes them."""
    return MappingProxyType(dict(entries))


_ORIGINS = {
    "config": "",
    "generation_config": " (from the model's generation_config.json)",
    "default": " (the default)",
}
