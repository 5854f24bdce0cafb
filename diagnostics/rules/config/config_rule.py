"""What a rule of settings is: it judges a training's configuration before the first step, and suggests values."""

from collections.abc import Mapping
from typing import Any

from diagnostics.language import N_
from diagnostics.model.messages import Message, Value, format_setting
from diagnostics.model.outcome import Fix, Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Setup
from diagnostics.rules.rule import Fired, Input, LimitsT, Rule, Skipped, alternatives

TEXTS: Mapping[str, str] = {
    "setting.unstated": "{parameter} is not given, and what counts then is not known.",
    "setting.unstated.enable": "Give {parameter}.",
    "setting.unread": "{parameter} is left to the model's generation_config.json, which was not found.",
    "setting.unread.enable": "Name the model's folder, or give {parameter}.",
}
_ORIGINS = {
    "config": "",
    "generation_config": N_(" (from the model's generation_config.json)"),
    "default": N_(" (the default)"),
}


class ConfigRule(Rule[Setup, LimitsT]):
    """A rule that judges settings: the pre-flight check of a training.

    Its `inputs` are canonical names of settings, the one it is about first. A rule with a `quirk` judges only producers
    that have that quirk. Its `texts` hold sentences, and `why`, which stands beside its fix.
    """

    subject = Setup
    material = "the configuration"
    quirk: Quirk | None = None

    def applies(self, setup: Setup) -> bool:
        """Whether the rule means anything; where the algorithm is unknown, the settings that are given decide."""
        if self.quirk is not None and self.quirk not in setup.quirks:
            return False
        if setup.algorithm == "unknown":
            known = [setup.get(name) for item in self.inputs for name in alternatives(item)]
            return bool(known) and all(setting is not None and setting.is_given for setting in known)
        return not self.algorithms or setup.algorithm in self.algorithms

    def has(self, setup: Setup, name: str) -> bool:
        """Whether the value of a setting is known."""
        return setup.get(name) is not None

    def why_missing(self, setup: Setup, item: Input) -> Skipped:
        """Why the value of a setting is not known, and what would tell it."""
        name = alternatives(item)[0]
        template = "setting.unread" if setup.is_left_to_the_model(name) else "setting.unstated"
        values = {"parameter": setup.parameter(name)}
        return Skipped(Message(template, values), Message(f"{template}.enable", values))

    def fired(
        self,
        severity: Severity,
        setting: Setting,
        *,
        key: str = "fired",
        suggested: Any = None,
        measured: float | None = None,
        limit: float | None = None,
        unit: str = "",
        **values: Value | Message,
    ) -> Fired:
        """The finding about one setting, with the fix that changes it.

        Its message may use parameter, value, limit, suggested, and origin: who set the value where it was not the user.
        """
        fix = Fix(setting.parameter, setting.value, suggested, self.message("why"), self.source)
        common: dict[str, Value | Message] = {
            "parameter": setting.parameter,
            "value": format_setting(setting.value),
            "origin": _ORIGINS[setting.origin],
            "limit": "" if limit is None else f"{limit:.3g}",
            "suggested": format_setting(suggested),
        }
        return Fired(
            severity,
            self.message(key, **{**common, **values}),
            measured=setting.number if measured is None else measured,
            limit=limit,
            unit=unit,
            parameters=(setting.parameter,),
            fixes=(fix,) if "why" in self.texts else (),
        )

    def skipped(self, key: str, **values: Value | Message) -> Skipped:
        """Skipped, in this rule's own words: the texts `key` and `key_enable`."""
        return Skipped(self.message(key, **values), self.message(f"{key}_enable", **values))
