"""A trainer of transformers or TRL as the callback sees it: what it is, its settings, and what it is about to hide.

Nothing of theirs is imported: the attributes are those of the objects that the trainer hands over.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

TRL, TRANSFORMERS = "trl", "transformers"
MOST_FRAMES = 12  # between an event's handler and the trainer that calls it; three in transformers 5
LONGEST_SETTING = 2000  # characters of JSON; a model's config may hold a table of labels
_ALGORITHMS = {"OnlineDPO": "online-dpo", "GRPO": "grpo", "RLOO": "rloo", "PPO": "ppo"}
_MAY_BE_NONE = "rewards/"  # a reward function that judges no sample of a batch gives None, which TRL keeps as NaN


def calling_trainer(callback: object) -> Any:
    """The trainer that is calling this callback now; None where there is none among the callers.

    Handlers get everything but the trainer itself, which alone holds the completions.
    """
    frame = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        owner = frame.f_locals.get("self")
        handler = getattr(owner, "callback_handler", None)
        if any(known is callback for known in getattr(handler, "callbacks", ())):
            return owner
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None


def producer_of(trainer: Any) -> str:
    """Whose names it logs: "trl" for a trainer of TRL or one built upon it, else "transformers"."""
    homes = (kind.__module__.partition(".")[0] for kind in type(trainer).__mro__)
    return TRL if TRL in homes else TRANSFORMERS


def algorithm_of(trainer: Any) -> str:
    """What it trains by, as far as the names of its classes tell."""
    names = [kind.__name__ for kind in type(trainer).__mro__]
    found = (word for name in names for mark, word in _ALGORITHMS.items() if mark in name)
    return next(found, "unknown")


def settings_of(args: Any, model: Any) -> dict[str, Any]:
    """The training's arguments, which win, with the model's config, flat, as transformers logs them.

    `to_dict` of the arguments leaves tokens out.
    """
    config = getattr(model, "config", None)
    named = {"model_name_or_path": getattr(config, "_name_or_path", None)} if config is not None else {}
    found = {**_as_dict(config), **named, **_as_dict(args)}
    return {str(name): _plain(value) for name, value in found.items() if _fits(value)}


def _as_dict(subject: Any) -> dict[str, Any]:
    return dict(subject.to_dict()) if hasattr(subject, "to_dict") else {}


def _fits(value: Any) -> bool:
    """Whether it is data, not too long, and without a whole number that JSON's readers would change."""
    try:
        return len(orjson.dumps(_plain(value))) <= LONGEST_SETTING
    except (TypeError, ValueError):  # an object of theirs
        return False


def _plain(value: Any) -> Any:
    """The value as JSON's types: of a table of labels, the keys become texts."""
    return json.loads(json.dumps(value))


def metrics_of(logs: Mapping[str, Any], trainer: Any) -> dict[str, float]:
    """What it logs as numbers, an evaluation's as `eval/…`, with the NaN that TRL is about to leave out of its means.

    TRL averages the values of several micro-batches without those that are NaN; until its own `log` returns they are
    still there.
    """
    found = {_tag(name): number for name, value in logs.items() if (number := _number(value)) is not None}
    is_evaluation = any(name.startswith("eval_") for name in logs)
    prefix = "eval/" if is_evaluation else ""
    return found | {prefix + name: math.nan for name in _with_nan(trainer, "eval" if is_evaluation else "train")}


def _with_nan(trainer: Any, mode: str) -> Iterator[str]:
    gathered = getattr(trainer, "_metrics", None)
    of_mode = gathered.get(mode) if isinstance(gathered, Mapping) else None
    for name, values in (of_mode or {}).items():
        if not name.startswith(_MAY_BE_NONE) and any(
            isinstance(value, float) and math.isnan(value) for value in values
        ):
            yield name


def _tag(name: str) -> str:
    return "eval/" + name.removeprefix("eval_") if name.startswith("eval_") else name


def _number(value: Any) -> float | None:
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
