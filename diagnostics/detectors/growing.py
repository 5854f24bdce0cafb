"""The memory of causal detectors: of a series that has grown since, only the new points are looked at.

What a causal detector says of a point never changes when points follow. So its answers can be kept, and a run that is
judged again after every step costs its new points and a comparison of the old ones. The answers are those that it would
give without a memory, bit for bit: an input that is not the old one with more behind it is judged anew.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from diagnostics.model.growing_array import Growing, continues
from diagnostics.model.series import NO_VALUES, Steps, Values

Detector = TypeVar("Detector", bound=Callable[..., Values])
Judge = TypeVar("Judge", bound=Callable[..., Any])
Inputs = tuple[npt.NDArray[Any], ...]
Extend = Callable[[Inputs, int, Any], tuple[Values, Any]]
"""From the inputs, how many points were judged before, and the state left then: answers to the rest, the new state."""

Summary = TypeVar("Summary")
Resume = Callable[[Values, int, Summary | None], Summary]
"""From the values, how many of them are in the summary, and the summary of those (None of none): that of all values."""
Carry = Callable[[Inputs, tuple[int, ...], Summary | None], Summary]
"""The same of several arrays, each with its own number of values that are in the summary."""


@dataclass(slots=True)
class _Kept:
    """A detector's last inputs (N,), its answers to them, and the state that it goes on from."""

    inputs: Inputs
    answers: Growing[np.float64] = field(default_factory=lambda: Growing(NO_VALUES))
    state: Any = None

    def goes_on(self, inputs: Inputs) -> bool:
        """Whether the old inputs are the beginnings of these."""
        return all(continues(new, old) for old, new in zip(self.inputs, inputs, strict=True))

    def grow(self, inputs: Inputs, answers: Values, state: Any) -> None:
        """Add the answers to what is new in these inputs."""
        self.answers.append(answers)
        self.inputs, self.state = inputs, state


@dataclass(slots=True)
class Memory:
    """What the detectors of each rule said, found again by their place: rule, detector, parameters, order of calls."""

    _kept: dict[Hashable, _Kept] = field(default_factory=dict)
    _summaries: dict[Hashable, tuple[Inputs, Any]] = field(default_factory=dict)
    _calls: Counter[Hashable] = field(default_factory=Counter)
    _facts: dict[Hashable, tuple[Values, Any]] = field(default_factory=dict)
    _rule: str = ""
    _used: defaultdict[str, set[Hashable]] = field(default_factory=lambda: defaultdict(set))
    _before: dict[str, set[Hashable]] = field(default_factory=dict)

    def look_again(self) -> None:
        """Begin another look at the run: what was said of whole series holds no longer."""
        self._facts.clear()

    def fact(self, name: Hashable, values: Values, judge: Callable[[Values], Any]) -> Any:
        """What is known about all the values, found once in a look however many rules ask."""
        key = (name, values.ctypes.data, len(values))
        if key not in self._facts:
            self._facts[key] = values, judge(values)  # the values are kept, so that their place stays theirs
        return self._facts[key][1]

    def answers(self, place: Hashable, inputs: Inputs, extend: Extend) -> Values:
        """(N,) The detector's answers to all points of its inputs (N,), computed for the new ones only."""
        key = self._key(place)
        kept = self._kept.get(key)
        if kept is None or not kept.goes_on(inputs):
            kept = self._kept[key] = _Kept(tuple(item[:0] for item in inputs))
        if len(kept.answers) < len(inputs[0]):
            kept.grow(inputs, *extend(inputs, len(kept.answers), kept.state))
        return kept.answers.view()

    def summary(self, place: Hashable, inputs: Inputs, carry: Carry[Summary]) -> Summary:
        """What is known of all the arrays, found from what is new in them and what was known of the rest."""
        key = self._key(place)
        old, known = self._summaries.pop(key, (inputs, None))
        if known is None or not all(map(continues, inputs, old)):
            found = carry(inputs, (0,) * len(inputs), None)
        else:
            has_grown = any(len(new) > len(before) for new, before in zip(inputs, old, strict=True))
            found = carry(inputs, tuple(map(len, old)), known) if has_grown else known
        self._summaries[key] = inputs, found
        return found

    def _key(self, place: Hashable) -> Hashable:
        self._calls[place] += 1
        key = self._rule, place, self._calls[place]
        self._used[self._rule].add(key)
        return key

    def _forget_unused(self) -> None:
        """Let go of what the rule asked for when it last looked and does not ask for any more."""
        used, before = self._used[self._rule], self._before.get(self._rule, set())
        for key in before - used:
            self._kept.pop(key, None)
            self._summaries.pop(key, None)
        self._before[self._rule], self._used[self._rule] = used, set()

    @contextmanager
    def of_rule(self, name: str) -> Iterator[None]:
        """Within it detectors use this memory, for the rule of that name."""
        self._rule = name
        self._calls.clear()
        token = _ACTIVE.set(self)
        try:
            yield
        finally:
            _ACTIVE.reset(token)
            self._forget_unused()


_ACTIVE: ContextVar[Memory | None] = ContextVar("memory of detectors", default=None)


def looks_back(reach: Callable[..., int]) -> Callable[[Detector], Detector]:
    """A detector whose answer depends on the point and `reach(its parameters)` points before it, and no others."""

    def remember(detector: Detector) -> Detector:
        @wraps(detector)
        def remembering(values: Values, *args: Any, **kwargs: Any) -> Values:
            def extend(inputs: Inputs, known: int, state: Any) -> tuple[Values, Any]:
                start = max(0, known - reach(*args, **kwargs))
                return detector(inputs[0][start:], *args, **kwargs)[known - start :], None

            return resumed((detector.__name__, args, tuple(kwargs.items())), (values,), extend)

        return cast(Detector, remembering)

    return remember


def found_once(judge: Judge) -> Judge:
    """What is known about a whole series, for which several rules ask."""

    @wraps(judge)
    def remembering(values: Values, *args: Any, **kwargs: Any) -> Any:
        memory = _ACTIVE.get()
        if memory is None:
            return judge(values, *args, **kwargs)
        place = (judge.__name__, args, tuple(kwargs.items()))
        return memory.fact(place, values, lambda values: judge(values, *args, **kwargs))

    return cast(Judge, remembering)


def pointwise(function: Callable[..., Values], *inputs: Values | Steps | float) -> Values:
    """(N,) `function(*inputs)`, whose answer at a point depends on the inputs (N,) at that point, and on numbers.

    The function must have a name of its own and take all that it depends on as an argument.
    """
    series = tuple(item for item in inputs if isinstance(item, np.ndarray))
    numbers = tuple(item for item in inputs if not isinstance(item, np.ndarray))

    def extend(series: Inputs, known: int, state: Any) -> tuple[Values, Any]:
        fresh = iter(item[known:] for item in series)
        return function(*(next(fresh) if isinstance(item, np.ndarray) else item for item in inputs)), None

    return resumed((function.__name__, numbers), series, extend)


def resumed(place: Hashable, inputs: Inputs, extend: Extend) -> Values:
    """(N,) The answers of a detector that goes on from where it stood, with the memory in use, if any."""
    memory = _ACTIVE.get()
    return extend(inputs, 0, None)[0] if memory is None else memory.answers(place, inputs, extend)


def settled(points: int) -> int:
    """So many points, less one in 64 of them at most: the same number for many steps in a row, once there are many.

    For a number about all points that sets the limit of each: every one has to be judged anew where it changes.
    """
    return points - points % (1 << max(0, points.bit_length() - 7))


def summed_up(place: Hashable, values: Values, resume: Resume[Summary]) -> Summary:
    """What `resume` finds out about all the values (N,), going on from where it stood, with the memory in use, if any.

    It must find the same whether it is given the values at once or in parts.
    """
    return carried(place, (values,), lambda inputs, known, summary: resume(inputs[0], known[0], summary))


def carried(place: Hashable, inputs: Inputs, carry: Carry[Summary]) -> Summary:
    """The same of several arrays, which need not have one length; the summary may be changed in place."""
    memory = _ACTIVE.get()
    return carry(inputs, (0,) * len(inputs), None) if memory is None else memory.summary(place, inputs, carry)
