"""Pre-flight on the Launch page: findings beside their fields, a yes for what is critical, a trial of the rewards."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.widgets.concerns import concern, concern_with_source, counts
from app.widgets.launch_draft import Draft, launch_options
from app.widgets.launch_fields import Slots, complaint
from app.words import plain, said
from diagnostics.configurations import model_facts
from diagnostics.diagnosis import Outcome, Severity
from diagnostics.preflight import Setup, Trial, preflight
from diagnostics.preflight.settings import OWN
from diagnostics.report.contents import concerns
from diagnostics.trials import TrialError, try_rewards
from trainer.config import TrainConfig
from trainer.options import ConfigError

_TRIALS, _TRIAL_BUTTON, _CONFIRMED = "launch.trials", "launch.try_rewards", "launch.confirmed"
_OF_TRIALS = ("task", "dataset", "dataset_config", "dataset_train_split", "reward_funcs", "reward_weights", "seed")
_QUOTED = 48  # characters of an answer in the table of trials
_KINDS = {"gold": "right:", "empty": "empty:", "junk": "junk:", "extreme": "extreme:"}

Key = tuple[str, ...]


def findings(algorithm: str, values: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """What pre-flight finds in the values of the form, worst first; what does not fit its option is left out."""
    config = _parsed(algorithm, values)
    trials = _known_trials(_key(algorithm, config))
    setup = Setup(algorithm, OWN, config, model=model_facts(config, OWN), trials=trials)
    return concerns(preflight(setup))


def beside_fields(found: Iterable[Outcome], slots: Slots) -> None:
    """Draw each finding beneath the first of its fields."""
    for outcome in found:
        slot = next((slots[name] for name in outcome.parameters if name in slots), None)
        if slot is not None:
            with slot:
                concern(outcome)


def overview(found: tuple[Outcome, ...]) -> None:
    """Draw how many findings there are, and all of them folded: a field may be folded away as well."""
    if not found:
        return
    with st.expander(f"Pre-flight · {counts(found)}"):
        for outcome in found:
            concern_with_source(outcome)


def is_confirmed(found: Iterable[Outcome], draft: Draft) -> bool:
    """Whether the user says yes to every critical finding; draws the question where there is one.

    A yes is for these findings of this run: others ask again.
    """
    critical = [outcome for outcome in found if outcome.severity is Severity.CRITICAL]
    if not critical:
        return True
    about = "|".join((draft.name, *(said(outcome.message) for outcome in critical)))
    names = ", ".join(outcome.parameters[0] if outcome.parameters else outcome.rule for outcome in critical)
    return st.checkbox(f"Start in spite of what is critical: {plain(names)}", key=f"{_CONFIRMED}.{about}")


def reward_trial(algorithm: str, config: TrainConfig) -> None:
    """Draw the button that tries the rewards in a process of the trainer, and what they answered."""
    values = config.to_dict()
    key = _key(algorithm, values)
    help_text = "Scores right, empty, junk and extreme answers to a few prompts, in a process of the trainer."
    if st.button("Try the rewards", help=help_text, key=_TRIAL_BUTTON):
        with st.spinner("Trying the rewards …"):
            st.session_state[_TRIALS] = (key, _tried(algorithm, values))
        st.rerun()
    match st.session_state.get(_TRIALS):
        case (known, str(problem)) if known == key:
            complaint(f"The rewards cannot be tried: {problem}.")
        case (known, tuple(trials)) if known == key:
            _table(trials)


def _tried(algorithm: str, values: Mapping[str, Any]) -> tuple[Trial, ...] | str:
    try:
        return try_rewards(algorithm, values)
    except TrialError as error:
        return str(error)


def _known_trials(key: Key) -> tuple[Trial, ...] | None:
    known, trials = st.session_state.get(_TRIALS, (None, None))
    return trials if known == key and isinstance(trials, tuple) else None


def _key(algorithm: str, config: Mapping[str, Any]) -> Key:
    """What the answer of a trial depends on."""
    return (algorithm, *(",".join(map(str, _listed(config.get(name)))) for name in _OF_TRIALS))


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple | list) else (value,)


def _parsed(algorithm: str, values: Mapping[str, Any]) -> dict[str, Any]:
    parsed = {}
    for option in launch_options(algorithm):
        try:
            parsed[option.name] = option.parse(values[option.name])
        except ConfigError:
            continue  # told beside its field already
    return parsed


def _table(trials: tuple[Trial, ...]) -> None:
    """What every function gave to the answers to the first prompt."""
    prompt = trials[0].prompt
    rows = pd.DataFrame(
        {
            "answer": f"{_KINDS.get(trial.kind, trial.kind)} {trial.answer[:_QUOTED]!r}",
            "function": trial.function,
            "score": trial.score,
        }
        for trial in trials
        if trial.prompt == prompt
    )
    table = rows.pivot_table(index="answer", columns="function", values="score", sort=False, dropna=False)
    st.caption(f"What they give to answers to {plain(prompt[:_QUOTED])}")
    st.dataframe(table.reset_index(), hide_index=True, key="launch.trials.table", height="content")
