"""A fix as its producer's user writes it: the line to take out, the line to put in, and what to copy."""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.model.messages import format_setting
from diagnostics.model.outcome import Fix
from diagnostics.model.settings import Notation

_PLAIN = re.compile(r"[\w./:-]+")  # what YAML and TOML read as one word


@dataclass(frozen=True, slots=True)
class Change:
    """One setting that is changed: its line as it is, empty where that is not known, and as it is to be."""

    old: str
    new: str


def changes(fixes: Iterable[Fix], notation: Notation) -> tuple[Change, ...]:
    """The fixes that set an argument to a known value, each as a change."""
    return tuple(
        Change(
            "" if fix.current is None else setting_line(fix.parameter, fix.current, notation),
            setting_line(fix.parameter, fix.suggested, notation),
        )
        for fix in fixes
        if fix.parameter and fix.suggested is not None
    )


def setting_line(parameter: str, value: Any, notation: Notation) -> str:
    """One setting: "beta=0.05," for TRL, "algorithm.kl_ctrl.kl_coef=0.05" for verl, "--kl_coef 0.05" for a command."""
    return _LINES[notation](parameter, value)


def _keyword(parameter: str, value: Any) -> str:
    return f"{parameter}={_python(value)},"


def _override(parameter: str, value: Any) -> str:
    """Hydra reads what stands behind the sign as YAML; the shell must leave it whole."""
    return shlex.quote(f"{parameter}={_yaml(value)}")


def _flag(parameter: str, value: Any) -> str:
    return f"--{parameter} {shlex.quote(_word(value))}"


def _dashed_flag(parameter: str, value: Any) -> str:
    return _flag(parameter.replace("_", "-"), value)


def _assignment(parameter: str, value: Any) -> str:
    return f"{parameter} = {_yaml(value)}"


def _python(value: Any) -> str:
    return format_setting(value) if isinstance(value, float) else repr(value)


def _yaml(value: Any) -> str:
    is_plain = isinstance(value, float) or (isinstance(value, str) and _PLAIN.fullmatch(value))
    return format_setting(value) if is_plain else json.dumps(value, default=str)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(format_setting, value)) if isinstance(value, list | tuple) else format_setting(value)


_LINES: Mapping[Notation, Callable[[str, Any], str]] = {
    "keyword": _keyword,
    "override": _override,
    "flag": _flag,
    "dashed-flag": _dashed_flag,
    "assignment": _assignment,
}
