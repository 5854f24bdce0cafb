"""The settings of several runs side by side: which differ, which are equal, and which of them are defaults."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.comparison.setting_groups import group_of, rank
from diagnostics.model.run import Run
from diagnostics.model.settings import as_number
from diagnostics.model.setup import version_of
from diagnostics.producers.nested_config import flattened
from diagnostics.producers.table import producer_named

_WORDS: Mapping[str, object] = {"true": True, "false": False, "none": None, "null": None, "": None}
_Key = tuple[str, str]  # whether a name is a canonical "setting" or an "argument", and the name


@dataclass(frozen=True, slots=True)
class SettingValue:
    """What one run is set to, under which argument, and whether that is its producer's default (None: not known)."""

    argument: str
    value: Any
    is_default: bool | None = None

    def equals(self, other: "SettingValue") -> bool:
        """Whether both mean the same: 1e-6 is "1e-06", true is "True"."""
        return bool(comparable(self.value) == comparable(other.value))


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting of all runs, in their order: None where a run's log does not say it and no default is known.

    `argument` is what the first run that states it calls it, `setting` the canonical name, None for an argument that
    stands for none.
    """

    argument: str
    setting: str | None
    group: str
    values: tuple[SettingValue | None, ...]

    @property
    def differs(self) -> bool:
        """Whether two runs state it differently."""
        return len({comparable(item.value) for item in self._known}) > 1

    def differs_at(self, place: int) -> bool:
        """Whether the run at a place and the baseline state it differently."""
        base, item = self.values[0], self.values[place]
        return base is not None and item is not None and not item.equals(base)

    @property
    def _known(self) -> list[SettingValue]:
        return [item for item in self.values if item is not None]


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """The settings of several runs.

    `differing` are in the order of their groups; `equal` are stated alike by every run that logs settings, `partial` by
    some of them alone. `silent` are the places of the runs that log no settings at all.
    """

    differing: tuple[SettingRow, ...]
    equal: tuple[SettingRow, ...]
    partial: tuple[SettingRow, ...]
    silent: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many settings are known of any run."""
        return len(self.differing) + len(self.equal) + len(self.partial)


def settings_table(runs: Sequence[Run]) -> SettingsTable:
    """The settings of these runs, matched across producers by their canonical names."""
    silent = tuple(index for index, run in enumerate(runs) if not run.config)
    rows = list(_rows([_settings_of(run) for run in runs]))
    differing = (row for row in rows if row.differs)
    alike = [row for row in rows if not row.differs]
    return SettingsTable(
        differing=tuple(sorted(differing, key=lambda row: rank(row.group))),
        equal=tuple(row for row in alike if _is_stated_by_all(row, silent)),
        partial=tuple(row for row in alike if not _is_stated_by_all(row, silent)),
        silent=silent,
    )


def comparable(value: Any) -> Any:
    """A form in which equal settings are equal, however a tracker wrote them; hashable."""
    number = as_number(value)
    if number is not None:
        return number
    if isinstance(value, list | tuple):
        return tuple(map(comparable, value))
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower(), value)
    return value if value is None or isinstance(value, bool) else repr(value)


def _rows(found: Sequence[Mapping[_Key, SettingValue]]) -> Iterator[SettingRow]:
    for key in dict.fromkeys(key for settings in found for key in settings):
        values = tuple(settings.get(key) for settings in found)
        argument = next(item.argument for item in values if item is not None)
        setting = key[1] if key[0] == "setting" else None
        yield SettingRow(argument, setting, group_of(argument, setting), values)


def _is_stated_by_all(row: SettingRow, silent: Iterable[int]) -> bool:
    left_out = set(silent)
    return all(item is not None for index, item in enumerate(row.values) if index not in left_out)


def _settings_of(run: Run) -> dict[_Key, SettingValue]:
    """What a run states, by canonical name where there is one, and its producer's defaults for what it does not."""
    config = flattened(run.config)
    defaults = _defaults(run) if config else {}
    known = run.settings.known
    stated = {
        ("setting", name): SettingValue(item.parameter, item.value, _is_default(item.value, name, defaults))
        for name, item in known.items()
    }
    assumed = {
        ("setting", name): SettingValue(run.settings.argument(name) or name, value, is_default=True)
        for name, value in defaults.items()
        if name not in known
    }
    taken = {item.parameter for item in known.values()}
    rest = {("argument", name): SettingValue(name, value) for name, value in config.items() if name not in taken}
    return {**stated, **rest, **assumed}


def _defaults(run: Run) -> Mapping[str, object]:
    """The defaults of a run's producer; none where they depend on a version that the log does not tell."""
    producer, version = producer_named(run.producer), version_of(run.producer_version)
    if version is None and producer.has_versioned_defaults:
        return {}
    return producer.defaults_of(run.algorithm, version)


def _is_default(value: Any, name: str, defaults: Mapping[str, object]) -> bool | None:
    return comparable(value) == comparable(defaults[name]) if name in defaults else None
