"""Causes in the reward and in the prompts: no signal, the wrong scale, the wrong aim."""

from diagnostics.causes.catalog.rule_groups import (
    DEGRADED_TEXT_RULES,
    EQUAL_REWARD_RULES,
    FAR_RULES,
    GARBLED_SAMPLE_RULES,
    WANDERING_RULES,
)
from diagnostics.causes.discriminators.movement import policy_has_moved
from diagnostics.causes.discriminators.reward_functions import (
    all_is_paid_in_full,
    every_answer_is_full,
    full_marks_were_never_earned,
    function_is_dead,
    function_was_always_dead,
    most_are_dead,
    most_functions_were_always_dead,
    no_function_tells_apart,
    there_was_no_signal,
)
from diagnostics.causes.discriminators.rewards import (
    chance_decides,
    completions_differ,
    nothing_tells_where_to_go,
    only_scores_are_inconsistent,
    only_the_reward_changed,
    only_the_reward_stays,
    prompts_are_identical,
    reward_ignores_the_policy,
    reward_may_be_ignored,
    rewards_differed_before,
    score_fell,
    scores_are_chance,
    scores_are_huge,
    scores_were_huge_before,
)
from diagnostics.causes.discriminators.sampling import shows_variety
from diagnostics.causes.discriminators.updates import died_of_its_numbers
from diagnostics.causes.entry import CauseEntry, Variant
from diagnostics.causes.indicator import Indicator, always_true, is_critical, is_warning

BROKEN_BY_SCALE_RULES = (
    "update-too-large",
    "ratio-far-from-one",
    "systematic-logprob-shift",
    "entropy-explosion",
    "nonfinite-metric",
    "nan-grad-finite-loss",
)
"""What scores do beside which a KL penalty is nothing, and a value loss is everything."""

REWARD_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "no-reward-signal",
        summary="No reward function tells answers apart: there is nothing to learn from.",
        meaning="Every completion gets the same reward, so every advantage is 0. The grader never matches, the task is "
        "out of reach, or the answers are cut off before they count.",
        core=(
            Indicator("reward-stuck-at-floor", there_was_no_signal),
            Indicator("unscorable-completions", is_critical),
            Indicator("zero-variance-groups", is_critical),
            Indicator("reward-func-constant", no_function_tells_apart),
            Indicator("smp-score-identical", completions_differ),
            Indicator("smp-score-inconsistent", proves=chance_decides),
            Indicator("smp-prompts-identical", proves=always_true),
            Indicator("reward-regression", only_the_reward_changed),
            Indicator("reward-not-improving", reward_ignores_the_policy),
            Indicator("reward-not-improving", reward_may_be_ignored, alone=True),
        ),
        support=("reward-not-improving", "truncation-high"),
        preflight=("pf-reward-smoke",),
        consequences=(
            "reward-func-constant",
            "zero-variance-groups",
            "policy-not-updating",
            "reward-std-shrink",
            "unscorable-completions",
            "stability-metric-collapsed",
            "reward-not-improving",
            "reward-regression",
            "smp-score-identical",
            "value-loss-spike",
            "policy-hardly-moves",
            "length-collapse",
            *WANDERING_RULES,
        ),
        follows_if={
            **dict.fromkeys(("policy-hardly-moves", *WANDERING_RULES), scores_are_chance),
            **dict.fromkeys(("length-collapse", *FAR_RULES), nothing_tells_where_to_go),
        },
        is_effect=rewards_differed_before,
        rivals={
            "not-training": "If neither KL nor entropy has left its start, the updates are too small to change "
            "anything, whatever the reward says.",
        },
        decided_by={"not-training": policy_has_moved},
        remedies=("checked-reward", "easier-prompts"),
        variants=(
            Variant(
                "solved",
                every_answer_is_full,
                summary="Every answer gets full marks from the start: the task is solved, or the reward asks for too "
                "little.",
                remedies=("checked-reward", "harder-prompts"),
            ),
            Variant(
                "prompts",
                prompts_are_identical,
                summary="All prompts are the same text, so that no answer can be told right from wrong.",
                remedies=("checked-prompts",),
            ),
            Variant(
                "chance",
                only_scores_are_inconsistent,
                summary="The reward is decided by chance: the same answer scores differently.",
                remedies=("checked-reward",),
            ),
            Variant(
                "unmoved",
                only_the_reward_stays,
                summary="The reward stays where it is, whatever the policy does: it may not tell answers apart.",
                remedies=("checked-reward", "easier-prompts"),
            ),
        ),
    ),
    CauseEntry(
        "wrong-reward-sign",
        summary="The reward counts with the wrong sign.",
        meaning="What is trained on falls where the reward function rises. The policy learns to fail at the task, and "
        "the log shows a reward that goes up.",
        core=(Indicator("reward-sign-flipped", proves=always_true),),
        support=("reward-regression", "train-eval-divergence", "reward-func-stagnant", "entropy-explosion"),
        consequences=(
            *EQUAL_REWARD_RULES,
            *GARBLED_SAMPLE_RULES,
            "reward-regression",
            "reward-not-improving",
            "train-eval-divergence",
            "value-loss-spike",
            "smp-score-inconsistent",
            "kl-too-high",
            "kl-runaway",
            "kl-up-reward-flat",
            "kl-coef-rising",
            "entropy-collapse",
            "length-explosion",
            "length-collapse",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
        ),
        remedies=("positive-weights", "checked-reward"),
    ),
    CauseEntry(
        "dead-reward-function",
        summary="One reward function gives every answer the same reward.",
        meaning="The function never matches or always matches, and contributes nothing to the advantages. Usual "
        "reason: a pattern that does not fit what the model writes.",
        core=(
            Indicator("unscorable-completions", is_warning),
            Indicator("reward-func-constant", function_is_dead),
        ),
        support=("reward-func-stagnant",),
        consequences=("policy-hardly-moves",),
        follows_if={"policy-hardly-moves": most_functions_were_always_dead},
        is_effect=rewards_differed_before,
        remedies=("checked-reward", "reweighted-rewards"),
        variants=(
            Variant(
                "most",
                most_are_dead,
                summary="Most reward functions have given every answer the same reward from the start.",
                remedies=("checked-reward", "easier-prompts"),
            ),
            Variant(
                "never",
                function_was_always_dead,
                summary="One reward function has given every answer the same reward from the start.",
                remedies=("checked-reward",),
            ),
        ),
    ),
    CauseEntry(
        "difficulty-mismatch",
        summary="Most prompts are too easy or too hard for the model to learn from.",
        meaning="Groups in which all answers are right, or all wrong, have no advantage. The mean reward does not show "
        "it: half of the prompts may be solved always and the other half never.",
        core=(Indicator("zero-variance-groups", is_warning), Indicator("zero-variance-excess")),
        support=("reward-not-improving",),
        against=(
            Indicator("reward-saturated"),
            Indicator("smp-group-duplicates"),
        ),
        consequences=("reward-not-improving",),
        rivals={
            "mode-collapse": "If the answers of a group are copies of each other, the policy has collapsed; if they "
            "differ, it is the prompts."
        },
        decided_by={"mode-collapse": shows_variety},
        remedies=("mixed-prompts", "more-generations"),
    ),
    CauseEntry(
        "task-too-easy",
        summary="The task is solved: most prompts have nothing left to teach.",
        meaning="The reward is near its highest value, and answers agree because they are right. What goes on is "
        "drift; the compute is better spent on harder prompts.",
        core=(Indicator("reward-saturated"), Indicator("reward-func-constant", all_is_paid_in_full)),
        support=("zero-variance-groups", "reward-std-shrink", "entropy-collapse"),
        consequences=("zero-variance-groups", "reward-std-shrink", "reward-not-improving", "kl-up-reward-flat"),
        is_note=True,
        remedies=("harder-prompts",),
        variants=(
            Variant(
                "unearned",
                full_marks_were_never_earned,
                summary="Every answer gets full marks from the start: the task is solved, or the reward asks for too "
                "little.",
                remedies=("checked-reward", "harder-prompts"),
            ),
        ),
    ),
    CauseEntry(
        "reward-scale",
        summary="The reward has a scale that the training cannot use.",
        meaning="Scores far beyond the value model's clip range, advantages beside which the KL penalty hardly counts, "
        "a function that outweighs the others, or differences so small that scaling turns noise into advantages: the "
        "numbers are right and their size is not.",
        core=(
            Indicator("reward-scale-extreme", proves=scores_were_huge_before),
            Indicator("tiny-std-amplification"),
            Indicator("reward-component-dominates"),
        ),
        support=("value-clipfrac-high", "value-loss-spike"),
        consequences=(
            "value-loss-spike",
            "value-clipfrac-high",
            "explained-variance-low",
            "kl-runaway",
            "kl-too-high",
            "kl-up-reward-flat",
            "reward-not-improving",
            "reward-regression",
            *BROKEN_BY_SCALE_RULES,
            *DEGRADED_TEXT_RULES,
            "run-died",
        ),
        follows_if={
            **dict.fromkeys(DEGRADED_TEXT_RULES, score_fell),
            **dict.fromkeys(BROKEN_BY_SCALE_RULES, scores_are_huge),
            "run-died": lambda run: scores_are_huge(run) and died_of_its_numbers(run),
        },
        remedies=(
            "score-scaling",
            "whitened-rewards",
            "wider-value-clip-range",
            "scaled-rewards",
            "normalised-rewards",
        ),
    ),
    CauseEntry(
        "reward-dominated-by-query",
        summary="The reward depends on the query, hardly on the answer.",
        meaning="Whatever the policy answers, the score is the query's. What it could learn from is small against the "
        "differences between queries, which it cannot change.",
        core=(Indicator("smp-query-dominated"),),
        support=("reward-not-improving",),
        consequences=("reward-not-improving",),
        remedies=("query-baseline",),
    ),
)
