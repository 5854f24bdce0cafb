"""The keys of the dashboard: what each does, page by page; the scripts handle what stands here, and `?` lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.language import N_, _

JUMP, HELP = "jump", "help"


@dataclass(frozen=True, slots=True)
class Key:
    """Keys, as browsers name them, with what each of them does, and one sentence about them all."""

    keys: tuple[str, ...]
    acts: tuple[str, ...]
    words: str


EVERYWHERE = (
    Key(("Ctrl+k",), (JUMP,), N_("jump to a run, a metric, a rule or a page")),
    Key(("?",), (HELP,), N_("this list")),
)
RUNS = (
    Key(("j", "k"), ("next", "previous"), N_("next and previous run; Enter opens it")),
    Key(("x",), ("select",), N_("select the run")),
    Key(("c",), ("compare",), N_("compare what is selected")),
    Key(("/",), ("filter",), N_("filter")),
)
SAMPLES = (
    Key(("j", "k"), ("next", "previous"), N_("next and previous sample")),
    Key(("ArrowLeft", "ArrowRight"), ("step_before", "step_after"), N_("the step before and after")),
    Key(("d",), ("difference",), N_("difference to the first step with samples")),
    Key(("/",), ("find",), N_("find in text")),
)
CHART_GESTURES = (
    (N_("drag"), N_("zoom into these steps, in every chart")),
    (N_("Shift + drag"), N_("move along the steps")),
    (N_("click"), N_("choose a step for the whole page")),
    (N_("double click"), N_("show every step again")),
)
"""What the mouse does over a chart, and its words; translated where they are shown, as those of keys."""

_LABELS = {"ArrowLeft": "←", "ArrowRight": "→"}


def handled(keys: Sequence[Key]) -> Mapping[str, str]:
    """What a script does for each key."""
    return {name: act for key in keys for name, act in zip(key.keys, key.acts, strict=True)}


def listed(keys: Sequence[Key]) -> list[Mapping[str, object]]:
    """The keys as a reader sees them, in the current language."""
    return [{"keys": [_LABELS.get(name, name) for name in key.keys], "words": _(key.words)} for key in keys]
