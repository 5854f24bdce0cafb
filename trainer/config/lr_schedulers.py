"""The learning-rate schedules by their transformers names, and the settings each requires. Imports no torch."""

import json
from typing import Any

from diagnostics.told import told
from trainer.config.options import ConfigError

SCHEDULERS = (
    "linear",
    "cosine",
    "cosine_with_restarts",
    "polynomial",
    "constant",
    "constant_with_warmup",
    "inverse_sqrt",
    "cosine_with_min_lr",
    "cosine_warmup_with_min_lr",
    "warmup_stable_decay",
)
"""transformers' names, except reduce_lr_on_plateau and greedy, which follow a metric instead of the step."""

_NEEDS = {
    "cosine_with_min_lr": ("min_lr", "min_lr_rate"),
    "cosine_warmup_with_min_lr": ("min_lr", "min_lr_rate"),
    "warmup_stable_decay": ("num_decay_steps",),
}
"""Schedule → settings of which it needs at least one."""


def scheduler_settings(text: str | None) -> dict[str, Any]:
    """The extra settings of a schedule, parsed from an option's JSON.

    Raises:
        ConfigError: The text is not a JSON object.
    """
    try:
        settings = json.loads(text) if text else {}
    except json.JSONDecodeError:
        settings = None
    if not isinstance(settings, dict):
        raise ConfigError(
            told('lr_scheduler_kwargs must be a JSON object such as {{"min_lr_rate": 0.1}}, but is {text!r}', text=text)
        )
    return settings


def check_schedule(name: str, settings: str | None) -> None:
    """Check that a schedule has the settings it needs.

    Raises:
        ConfigError: The settings are not a JSON object, or a required one is missing.
    """
    needed = _NEEDS.get(name, ())
    if needed and not set(needed) & scheduler_settings(settings).keys():
        raise ConfigError(
            told(
                'lr_scheduler_type = {name} needs {names}; give it as lr_scheduler_kwargs = {{"{needed}": …}}',
                name=name,
                names=" or ".join(needed),
                needed=needed[-1],
            )
        )
    scheduler_settings(settings)
