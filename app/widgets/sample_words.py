"""The words of the script that draws the samples; how many there are, and of which step, is filled in there."""

from collections.abc import Mapping

from app.widgets.sample_table import ORDERS, Order
from diagnostics.language import N_, _, pgettext

Keys = tuple[tuple[str, ...], str]

_ORDERS: Mapping[Order, str] = {
    "as logged": N_("as logged"),
    "highest score": N_("highest score"),
    "lowest score": N_("lowest score"),
    "longest": N_("longest"),
}


def order_words() -> list[tuple[str, str]]:
    """Each order, as the address names it, and its words in the current language."""
    return [(order, _(_ORDERS[order])) for order in ORDERS]


def sample_words() -> Mapping[str, str | Mapping[str, str] | list[Keys]]:
    """Each word by the name that the script gives it, in the current language."""
    return {**_steps(), **_choosers(), **_table(), **_detail(), "endings": _endings(), "keys": _keys()}


def _steps() -> Mapping[str, str]:
    return {
        "curve": _("{metric} over the steps; a click chooses a step"),
        "curve_with_finding": _("{metric} · {finding}, steps {first}–{last}"),
        "onset": _("where it broke, step {step}"),
        "newest": _("newest"),
        "before": _("The step before (←)"),
        "after": _("The step after (→)"),
        "step": _("Step {step}"),
        "one_step": _("1 step with samples"),
        "steps": _("{count} steps with samples"),
    }


def _choosers() -> Mapping[str, str]:
    return {
        "order": _("order"),
        "order_label": _("Order"),
        "only_cut": _("only cut off"),
        "find": _("Find in text"),
    }


def _table() -> Mapping[str, str]:
    return {
        "step_heading": _("Step"),
        "query": _("Query"),
        "response_heading": _("Response"),
        "score": _("Score"),
        "advantage": _("Advantage"),
        "tokens": _("Tokens"),
        "end": _("End"),
        "flags": _("Flags"),
        "follow": _("follow this prompt"),
        "back": _("back to all prompts of the step"),
        "found": _("{found} of {total} samples"),
        "left": _("{count} more"),
        "nothing": _("No sample of this step matches."),
    }


def _detail() -> Mapping[str, str]:
    return {
        "sample": _("Sample"),
        "title": _("Step {step}, sample {sample}"),
        "copy": _("Copy"),
        "copied": _("Copied"),
        "response": _("Model response"),
        "empty": pgettext("text", "empty"),
        "empty_and_cut": _("empty; {cut}"),
        "difference": _("Difference of two steps"),
        "compared": _("Compared with step {step}"),
        "compared_label": _("Step to compare with"),
        "close": _("close"),
        "at_step": _("step {step}"),
        "no_answer": _("That step has no answer to this prompt."),
    }


def _endings() -> Mapping[str, str]:
    """How a sample ended, by the word of the table; "" where the log does not say."""
    return {"ends": pgettext("of a sample", "ends"), "cut": pgettext("of a sample", "cut"), "": ""}


def _keys() -> list[Keys]:
    return [
        (("j", "k"), _("sample")),
        (("←", "→"), _("step")),
        (("d",), _("difference")),
        (("/",), _("find")),
    ]
