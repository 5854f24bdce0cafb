"""The words of the charts' scripts: buttons, view options, what the cursor reads, and what can go wrong."""

from collections.abc import Mapping

from diagnostics.curves.axes import Axis
from diagnostics.language import N_, _, ngettext

Words = str | Mapping[str, str]

_AXES: Mapping[Axis, str] = {
    "step": N_("step"),
    "tokens": N_("tokens"),
    "episodes": N_("episodes"),
    "wall": N_("wall time"),
    "relative": N_("relative time"),
}
_SMOOTHING = (5, 20, 100)  # points over which a mean is taken; 0 is off
_SCALES = {"auto": N_("auto"), "linear": N_("linear"), "log": N_("log"), "symlog": N_("symmetric log")}
_MOST_COLUMNS = 5


def not_loaded() -> str:
    """That a library of the charts did not come."""
    return _("The charts cannot be drawn: {source} could not be loaded.")


def chart_words() -> Mapping[str, Words]:
    """Each word by the name that the scripts give it, in the current language; view options by their keys."""
    return {**_options(), **_buttons(), **_readings(), **_failures()}


def _options() -> Mapping[str, Words]:
    return {
        "x": _("x"),
        "smooth": _("smooth"),
        "y": _("y"),
        "columns": _("columns"),
        "ghost": _("ghost"),
        "ghost_off": _("off"),
        "show_all": _("show all"),
        "axes": {axis: _(words) for axis, words in _AXES.items()},
        "smoothings": {"0": _("off"), **{str(points): _points(points) for points in _SMOOTHING}},
        "scales": {scale: _(words) for scale, words in _SCALES.items()},
        "column_counts": {"auto": _("auto"), **{str(count): str(count) for count in range(1, _MOST_COLUMNS + 1)}},
    }


def _points(count: int) -> str:
    return ngettext("{count} point", "{count} points", count).format(count=count)


def _buttons() -> Mapping[str, str]:
    return {
        "enlarge": _("Enlarge"),
        "make_small": _("Make small again"),
        "save": _("Save this chart as {form}"),
    }


def _readings() -> Mapping[str, str]:
    return {
        "at": _("at {step}"),
        "read": _("at {step}: {value}"),
        "read_with_time": _("at {step}, {time}: {value}"),
        "range": _("{value}, {low} to {high}"),
        "log_foot": _("log scale, values up to 0 at its foot"),
        "drawn_over": _("x: {axis}"),
        "drawn_smoothed": _("smoothed over {points}"),
        "drawn_on": _("y: {scale}"),
    }


def _failures() -> Mapping[str, str]:
    return {
        "not_loaded": not_loaded(),
        "not_drawn": _("The charts cannot be drawn: {reason}"),
        "no_answer": _("The server answered {status}."),
    }
