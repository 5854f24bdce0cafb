"""The keys of the dashboard: what each does, page by page; the scripts handle what stands here, and `?` lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

JUMP, HELP = "jump", "help"


@dataclass(frozen=True, slots=True)
class Key:
    """Keys, as browsers name them, with what each of them does, and one sentence about them all."""

    keys: tuple[str, ...]
    acts: tuple[str, ...]
    words: str


EVERYWHERE = (
    Key(("Ctrl+k",), (JUMP,), "jump to a run, a metric, a rule or a page"),
    Key(("?",), (HELP,), "this list"),
)
RUNS = (
    Key(("j", "k"), ("next", "previous"), "next and previous run; Enter opens it"),
    Key(("x",), ("select",), "select the run"),
    Key(("c",), ("compare",), "compare what is selected"),
    Key(("/",), ("filter",), "filter"),
)
SAMPLES = (
    Key(("j", "k"), ("next", "previous"), "next and previous sample"),
    Key(("ArrowLeft", "ArrowRight"), ("step_before", "step_after"), "the step before and after"),
    Key(("d",), ("difference",), "difference to the first step with samples"),
    Key(("/",), ("find",), "find in text"),
)
CHART_GESTURES = (
    ("drag", "zoom into these steps, in every chart"),
    ("Shift + drag", "move along the steps"),
    ("click", "choose a step for the whole page"),
    ("double click", "show every step again"),
)
"""What the mouse does over a chart, and its words."""

_LABELS = {"ArrowLeft": "←", "ArrowRight": "→"}


def handled(keys: Sequence[Key]) -> Mapping[str, str]:
    """What a script does for each key."""
    return {name: act for key in keys for name, act in zip(key.keys, key.acts, strict=True)}


def listed(keys: Sequence[Key]) -> list[Mapping[str, object]]:
    """The keys as a reader sees them."""
    return [{"keys": [_LABELS.get(name, name) for name in key.keys], "words": key.words} for key in keys]
