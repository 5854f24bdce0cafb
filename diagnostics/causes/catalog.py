"""The catalogue of causes: which rules point at each, which speak against it, what follows, and what to change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.diagnosis import Outcome, Severity
from diagnostics.run import Run

TIGHT_CLIP_RANGE = 0.1  # PPO and GRPO use 0.2; below half of it clipping is the rule
START = 5  # logged points that show how a run began
OVER_A_STRETCH = frozenset({"reward-not-improving", "reward-func-stagnant"})
"""Rules that judge a whole stretch of the run: their first step says nothing about when it began."""
CLIP_PARAMETERS = ("cliprange", "epsilon")


@dataclass(frozen=True, slots=True)
class Clue:
    """A rule that points at a cause, where `counts` says that it does in this run."""

    rule: str
    counts: Callable[[Outcome, Run], bool] = lambda outcome, run: True


@dataclass(frozen=True, slots=True)
class CauseEntry:
    """One cause.

    `core`: at least one of these must have fired. `support` adds to the score, `against` takes from it. `consequences`
    are rules that fire because of it later on, so that a cause made of them is folded under this one. `summary` is what
    one would say, `meaning` the paragraph that explains it; `remedies` name what to change, most promising first.
    """

    name: str
    summary: str
    meaning: str
    core: tuple[Clue, ...]
    support: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        """The id of the summary's template."""
        return f"cause.{self.name}"

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that the cause can explain."""
        return tuple(dict.fromkeys((*(clue.rule for clue in self.core), *self.support, *self.consequences)))


def _clips_tightly(outcome: Outcome, run: Run) -> bool:
    stated = [run.config[name] for name in CLIP_PARAMETERS if isinstance(run.config.get(name), int | float)]
    return any(value < TIGHT_CLIP_RANGE for value in stated)


def _clips_as_usual(outcome: Outcome, run: Run) -> bool:
    return not _clips_tightly(outcome, run)


def _grew(outcome: Outcome, run: Run) -> bool:
    """Whether few completions were cut off at the start, against what it came to."""
    series = run.get("truncated_fraction")
    if series is None or outcome.measured is None:
        return False
    start = series.values[:START][series.finite[:START]]
    return len(start) > 0 and float(np.median(start)) < outcome.measured / 2


def _stood_from_the_start(outcome: Outcome, run: Run) -> bool:
    return not _grew(outcome, run)


def _is_critical(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.CRITICAL


def _is_warning(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.WARNING


CATALOG: tuple[CauseEntry, ...] = (
    CauseEntry(
        "drastic-updates",
        summary="Each update changes the policy too much.",
        meaning="The step from one policy to the next leaves the region in which the samples still say what is better. "
        "The learning rate is too high, the same samples are used too often, or the clipping is too loose. KL, entropy "
        "and reward follow some steps later.",
        core=(Clue("update-too-large"), Clue("ratio-far-from-one"), Clue("grpo-clip-ratio-high", _clips_as_usual)),
        support=("clipfrac-high", "kl-too-high", "reward-regression"),
        against=("kl-negative",),
        consequences=(
            "kl-too-high",
            "kl-coef-rising",
            "value-loss-spike",
            "nonfinite-metric",
            "reward-regression",
            "reward-not-improving",
            "reward-func-constant",
            "reward-func-stagnant",
            "truncation-high",
            "eos-never-generated",
            "stability-metric-collapsed",
        ),
        remedies=("much-lower-learning-rate", "restored-clip-range", "fewer-epochs", "clipped-gradient"),
    ),
    CauseEntry(
        "numerical-breakdown",
        summary="The numbers broke down: something became NaN or infinite.",
        meaning="A non-finite reward, an overflowing ratio or half precision put a NaN into the loss. It reaches the "
        "weights with the next update; from then on nothing that is logged means anything.",
        core=(Clue("nonfinite-metric"),),
        consequences=(
            "reward-regression",
            "reward-not-improving",
            "reward-func-constant",
            "truncation-high",
            "eos-never-generated",
            "stability-metric-collapsed",
        ),
        remedies=("checked-reward", "earlier-checkpoint", "bf16", "clipped-gradient", "lower-learning-rate"),
    ),
    CauseEntry(
        "sampling-unlike-policy",
        summary="The answers are sampled from another distribution than the one that is scored.",
        meaning="Top-k, top-p, a minimum length, a repetition penalty or another temperature decide what is generated, "
        "while log-probabilities are those of the plain policy. The KL estimate is then biased, can be driven below "
        "zero, and pays for it.",
        core=(Clue("kl-negative"),),
        consequences=("reward-not-improving", "reward-regression", "ratio-far-from-one", "eos-never-generated"),
        remedies=(
            "scored-temperature",
            "free-end",
            "no-top-k",
            "no-top-p",
            "no-min-p",
            "no-repetition-penalty",
            "true-sampling",
        ),
    ),
    CauseEntry(
        "completion-limit-too-short",
        summary="The completions are cut off before they end.",
        meaning="The length limit is below what an answer needs. A cut-off answer cannot be right, so the reward "
        "teaches to be short, or teaches nothing.",
        core=(Clue("truncation-high", _stood_from_the_start),),
        support=("reward-func-constant", "reward-not-improving"),
        consequences=(
            "eos-never-generated",
            "reward-func-constant",
            "reward-func-stagnant",
            "reward-not-improving",
        ),
        remedies=("longer-completions",),
    ),
    CauseEntry(
        "length-bias",
        summary="The answers grew until the limit cut them off: length pays.",
        meaning="At the start most answers ended by themselves. The policy has learned to go on, because longer "
        "answers earn more or because nothing asks it to stop.",
        core=(Clue("truncation-high", _grew),),
        consequences=("eos-never-generated", "kl-too-high", "reward-func-constant", "reward-regression"),
        remedies=("checked-reward", "eos-trick", "stronger-kl"),
    ),
    CauseEntry(
        "never-learned-to-stop",
        summary="The model has not learned to end its answers.",
        meaning="No end token is generated, whatever the limit. The model was trained with padding in place of the end "
        "token, or nothing in the reward asks it to stop.",
        core=(Clue("eos-never-generated"),),
        support=("truncation-high",),
        consequences=("reward-not-improving",),
        remedies=("eos-trick", "stop-at-eos", "free-end", "longer-completions"),
    ),
    CauseEntry(
        "critic-broken",
        summary="The value model has lost track of the returns.",
        meaning="The value loss rose far above where it was and stayed there. Advantages are then noise. Usual "
        "reasons: rewards of a new or a large scale, a KL term that explodes, a value learning rate that is too high.",
        core=(Clue("value-loss-spike"),),
        support=("reward-regression",),
        against=("update-too-large", "ratio-far-from-one"),
        consequences=("reward-regression", "reward-not-improving"),
        remedies=("whitened-rewards", "restored-value-clip-range", "lower-learning-rate"),
    ),
    CauseEntry(
        "no-reward-signal",
        summary="No reward function tells answers apart: there is nothing to learn from.",
        meaning="Every completion gets the same reward, so every advantage is 0. The grader never matches, the task is "
        "out of reach, or the answers are cut off before they count.",
        core=(Clue("reward-func-constant", _is_critical),),
        support=("reward-not-improving", "truncation-high"),
        consequences=("reward-not-improving",),
        remedies=("checked-reward",),
    ),
    CauseEntry(
        "dead-reward-function",
        summary="One reward function gives every answer the same reward.",
        meaning="The function never matches or always matches, and contributes nothing to the advantages. Usual "
        "reason: a pattern that does not fit what the model writes.",
        core=(Clue("reward-func-constant", _is_warning),),
        support=("reward-func-stagnant",),
        remedies=("checked-reward", "reweighted-rewards"),
    ),
    CauseEntry(
        "kl-leash-too-loose",
        summary="The policy runs away from the reference model.",
        meaning="The KL penalty is too weak against the reward, so the policy goes where the reward is highest, "
        "whatever language that is. Look at the samples with the highest scores.",
        core=(Clue("kl-too-high"),),
        support=("kl-coef-rising", "reward-regression"),
        against=("update-too-large", "ratio-far-from-one"),
        consequences=("reward-regression", "kl-coef-rising", "stability-metric-collapsed"),
        remedies=("stronger-kl", "lower-learning-rate", "earlier-checkpoint"),
    ),
    CauseEntry(
        "clip-range-too-tight",
        summary="The clip range is so tight that most updates are thrown away.",
        meaning="Many tokens are clipped although the policy hardly moves.",
        core=(Clue("clipfrac-high"), Clue("grpo-clip-ratio-high", _clips_tightly)),
        against=("update-too-large", "ratio-far-from-one"),
        consequences=("reward-not-improving",),
        remedies=("wider-clip-range",),
    ),
)

TEXTS: Mapping[str, str] = {entry.template: entry.summary for entry in CATALOG}
