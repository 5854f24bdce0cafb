"""The derived series of a run: computed when asked for, and never of a metric that the run logs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from diagnostics.derivations.from_samples import SampleTables
from diagnostics.derivations.from_series import derive
from diagnostics.derivations.table import BY_TARGET, SAMPLES, Formula
from diagnostics.model.series import Series
from diagnostics.model.settings import Settings


@dataclass(frozen=True, slots=True)
class DerivedSeries(Mapping[str, Series]):
    """What follows from a run's series, settings and samples, by canonical name. `tables`: None where the samples are
    a selection, from which nothing follows."""

    series: Mapping[str, Series]
    settings: Settings
    tables: SampleTables | None = None
    _found: dict[str, Series | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getitem__(self, name: str) -> Series:
        if name not in self._found:
            self._found[name] = self._derived(name)
        found = self._found[name]
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in BY_TARGET if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _derived(self, name: str) -> Series | None:
        """By the first formula that gives it; where the metric is logged, none is tried."""
        logged = self.series.get(name)
        if name not in BY_TARGET or (logged is not None and len(logged)):
            return None
        ways = (self._by(formula) for formula in BY_TARGET[name])
        return next((found for found in ways if found is not None), None)

    def _by(self, formula: Formula) -> Series | None:
        if SAMPLES not in formula.inputs:
            return derive(formula, self.series, self.settings)
        has_others = all(name in self.series for name in formula.inputs if name != SAMPLES)
        return self.tables.derive(formula) if self.tables is not None and has_others else None
