"""The dry run on the Launch page: its button, its progress, its outcome, and whether that outcome still applies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_high
from typing import Any, Self

import pandas as pd
import streamlit as st

from app.languages import fragment
from app.launch.attempts import MOST_SECONDS, Attempt
from app.launch.fields import show_problem
from app.widgets.foreign_code import consent, may_run
from app.widgets.markdown import escaped
from diagnostics.language import N_, _
from diagnostics.model.setup import Probe, Trial
from diagnostics.visible_text import one_line
from diagnostics.wording.times import duration
from trainer.config.training import TrainConfig
from trainer.trust.foreign_code import code_in

BUTTON, CANCEL = "launch.try_settings", "launch.cancel_attempt"
_MADE = "launch.attempt"
_LOOK_SECONDS = 1.0
_QUOTED = 48  # characters of an answer in the table of trials
_ANSWER_WIDTH = 260  # pixels: leaves room for the scores of two functions
_KINDS = {"gold": N_("right:"), "empty": N_("empty:"), "junk": N_("junk:"), "extreme": N_("extreme:")}

DATA = ("task", "dataset", "dataset_config", "dataset_train_split", "seed")
OF_REWARDS = (*DATA, "reward_funcs", "reward_weights")
OF_ANSWERS = (
    *DATA, "model_name_or_path", "model_revision", "dtype", "attn_implementation", "trust_remote_code",
    "max_prompt_length", "temperature", "rollout_temperature", "top_k", "top_p", "min_p", "do_sample",
    "min_new_tokens", "repetition_penalty", "stop_token", "stop_token_id", "use_cpu", "num_processes",
)  # fmt: skip
"""Options that the untrained policy's answers depend on, apart from the length limits."""
LENGTHS = ("max_completion_length", "response_length")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What the dry run found for exactly the current settings; None if nothing."""

    trials: tuple[Trial, ...] | None = None
    probe: Probe | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """Snapshot of a dry run when the page begins to render, with the settings it was started with.

    The dry run continues while the page renders; every part of the page gets this snapshot, so that all show the same.
    """

    attempt: Attempt
    algorithm: str
    config: Mapping[str, Any]
    is_going_on: bool
    trials: tuple[Trial, ...] | str | None
    probe: Probe | str | None

    @classmethod
    def now(cls, attempt: Attempt, algorithm: str, config: Mapping[str, Any]) -> Self:
        return cls(attempt, algorithm, config, attempt.is_going_on, attempt.trials, attempt.probe)

    def has_rewards_of(self, algorithm: str, config: Mapping[str, Any]) -> bool:
        """Whether the reward results still apply to these settings."""
        return _key(self.algorithm, self.config, OF_REWARDS) == _key(algorithm, config, OF_REWARDS)

    def has_answers_of(self, algorithm: str, config: Mapping[str, Any]) -> bool:
        """Whether the policy's answers still apply: a new length limit is fine up to the length that was tried."""
        same = _key(self.algorithm, self.config, OF_ANSWERS) == _key(algorithm, config, OF_ANSWERS)
        return same and (not isinstance(self.probe, Probe) or _longest_allowed(config) <= self.probe.room)


def last_try() -> Tried | None:
    """Snapshot of the last dry run; None if there was none."""
    made = st.session_state.get(_MADE)
    return Tried.now(*made) if made else None


def dry_run_answers(tried: Tried | None, algorithm: str, config: Mapping[str, Any]) -> Answers:
    """What the last dry run found for these settings."""
    if tried is None:
        return Answers()
    trials, probe = tried.trials, tried.probe
    return Answers(
        trials if isinstance(trials, tuple) and tried.has_rewards_of(algorithm, config) else None,
        probe if isinstance(probe, Probe) and tried.has_answers_of(algorithm, config) else None,
    )


def attempt(tried: Tried | None, algorithm: str, config: TrainConfig) -> None:
    """Draw the button that starts a dry run, its progress, and the outcome of the last one."""
    values = config.to_dict()
    if tried is not None and not (tried.has_rewards_of(algorithm, values) and tried.has_answers_of(algorithm, values)):
        tried.attempt.cancel()
        tried = replace(tried, is_going_on=False)
    if tried is not None and tried.is_going_on:
        with st.container():
            fragment(_await_result, run_every=_LOOK_SECONDS)(tried.attempt, tried.trials is not None)
    else:
        st.button(
            _("Try the settings"),
            help=_(
                "Scores right, wrong and worthless answers with the rewards and lets the untrained policy answer "
                "32 prompts, in processes of their own. Nothing is trained."
            ),
            key=BUTTON,
            on_click=_begin,
            args=(algorithm, config),
        )
        consent(_question(algorithm, values), _("Trust and try"), _begin, (algorithm, config))
    if tried is not None:
        _outcome(tried, algorithm, values)


def give_up() -> None:
    """Cancel the dry run in progress, if any."""
    if (tried := last_try()) is not None:
        tried.attempt.cancel()


def _begin(algorithm: str, config: TrainConfig) -> None:
    give_up()
    values = config.to_dict()
    if may_run(lambda: code_in(config), _question(algorithm, values)):
        st.session_state[_MADE] = (Attempt(algorithm, values), algorithm, values)


def _question(algorithm: str, config: Mapping[str, Any]) -> str:
    """The key of the question whether the code of these settings may run; other settings raise another question."""
    return "|".join((BUTTON, *_key(algorithm, config, OF_REWARDS), *_key(algorithm, config, OF_ANSWERS)))


def _await_result(going: Attempt, has_trials: bool) -> None:
    """Update the elapsed time every second; rerun the whole page as soon as there is a new result."""
    if not going.is_going_on or (going.trials is not None) != has_trials:
        st.rerun(scope="app")
    what = _("the untrained policy answers 32 prompts") if has_trials else _("the rewards score made-up answers")
    button, words = st.columns([1, 4], vertical_alignment="center")
    button.button(_("Cancel"), key=CANCEL, on_click=going.cancel)
    sentence = _("Trying the settings: {what}. {time} of at most {most}")
    words.caption(sentence.format(what=what, time=duration(going.seconds), most=duration(MOST_SECONDS)))


def _outcome(tried: Tried, algorithm: str, values: Mapping[str, Any]) -> None:
    """The outcome of a dry run, or why it no longer applies."""
    has_rewards, has_answers = tried.has_rewards_of(algorithm, values), tried.has_answers_of(algorithm, values)
    trials, probe = tried.trials, tried.probe
    if not (has_rewards and has_answers):
        st.caption(_("Settings have changed since they were tried; what depended on them counts no more."))
    elif tried.attempt.is_cancelled:
        st.caption(_("Cancelled before everything was tried."))
    match probe:
        case str(problem) if has_answers and problem != trials:
            show_problem(_("The untrained policy cannot be tried: {reason}.").format(reason=problem))
        case Probe() if has_answers:
            st.caption(_probe_sentence(probe))
    match trials:
        case str(problem) if has_rewards:
            show_problem(_("The rewards cannot be tried: {reason}.").format(reason=problem))
        case tuple(found) if has_rewards:
            _table(found)


def _probe_sentence(probe: Probe) -> str:
    """One sentence on how the untrained policy's answers ended."""
    lengths = probe.lengths
    ended = sorted(length for length in lengths if length < probe.room)
    if not ended:
        words = _("None of {count} answers of the untrained policy ended within {room} tokens.")
        return words.format(count=len(lengths), room=probe.room)
    words = _(
        "{ended} of {count} answers of the untrained policy ended within {room} tokens: half of those after at most "
        "{median}, the longest after {longest}."
    )
    return words.format(
        ended=len(ended), count=len(lengths), room=probe.room, median=median_high(ended), longest=ended[-1]
    )


def _longest_allowed(config: Mapping[str, Any]) -> int:
    """The longest answer that the training allows, in tokens; 0 if the form has no number."""
    return next((int(config[name]) for name in LENGTHS if config.get(name) is not None), 0)


def _key(algorithm: str, config: Mapping[str, Any], names: Sequence[str]) -> Key:
    return (algorithm, *(",".join(map(str, _listed(config.get(name)))) for name in names))


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple | list) else (value,)


def _table(trials: tuple[Trial, ...]) -> None:
    """Each reward function's scores of the answers to the first prompt."""
    prompt = trials[0].prompt
    answer, function, score = _("answer"), _("function"), _("score")
    rows = pd.DataFrame(
        {
            answer: f"{_(_KINDS[trial.kind])} {trial.answer[:_QUOTED]!r}",
            function: one_line(trial.function),
            score: trial.score,
        }
        for trial in trials
        if trial.prompt == prompt and trial.kind in _KINDS
    )
    table = rows.pivot_table(index=answer, columns=function, values=score, sort=False, dropna=False)
    words = _("What the rewards give to answers to {prompt}")
    with st.expander(words.format(prompt=escaped(f"“{prompt[:_QUOTED]}”"))):
        st.dataframe(
            table.reset_index(),
            hide_index=True,
            key="launch.trials.table",
            height="content",
            column_config={answer: st.column_config.TextColumn(width=_ANSWER_WIDTH)},
        )
