"""Limits: the documented numbers of a rule, which a user may override."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, dataclass_transform


@dataclass(frozen=True, slots=True)
class LimitDoc:
    """One limit as documentation: the field's name, its default, unit and source."""

    name: str
    value: float
    unit: str
    source: str


class _Declared(NamedTuple):
    value: float
    unit: str
    source: str


def limit(value: float, unit: str, source: str) -> Any:
    """A field of a rule's Limits: its default with the unit and where the number comes from."""
    return _Declared(value, unit, source)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class RuleLimits:
    """Base of a rule's `Limits`, whose fields are annotated numbers declared by `limit`. Instances are immutable.

    It behaves like a frozen dataclass without generated code: `dataclass` compiles six methods per class, about a
    millisecond for each of a hundred rules whenever the program starts.
    """

    docs: ClassVar[tuple[LimitDoc, ...]] = ()
    """Each limit with its default, unit and source, in the order of the class."""

    def __init_subclass__(cls) -> None:
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, _Declared)}
        cls.docs = tuple(LimitDoc(name, *value) for name, value in declared.items())
        for name, value in declared.items():
            setattr(cls, name, value.value)

    def __init__(self, **values: float) -> None:
        known = self.values()
        if unknown := values.keys() - known.keys():
            raise TypeError(f"{type(self).__qualname__} has no limit called {', '.join(sorted(unknown))}")
        self.__dict__.update(values)

    def values(self) -> dict[str, float]:
        """The limits by name."""
        return {doc.name: getattr(self, doc.name) for doc in self.docs}

    def replaced(self, **values: float) -> Self:
        """The limits with some of them replaced. Raises TypeError for a name that does not exist."""
        return type(self)(**{**self.values(), **values})

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"limits are immutable; {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, RuleLimits) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash(tuple(self.values().values()))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={value}' for name, value in self.values().items())})"
