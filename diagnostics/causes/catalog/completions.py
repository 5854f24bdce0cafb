"""Causes in the completions: their length and their end."""

from diagnostics.causes.catalog.rule_groups import EQUAL_REWARD_RULES, FILLED_ANSWER_RULES
from diagnostics.causes.discriminators.lengths import (
    length_alone_pays,
    longer_pays,
    only_the_reward_shows_it,
    proves_that_length_pays,
    shorter_pays,
)
from diagnostics.causes.discriminators.rewards import score_rose
from diagnostics.causes.discriminators.truncation import (
    answers_are_right_though_cut,
    answers_fill_the_limit_from_the_start,
    answers_grew_into_the_limit,
    end_is_known,
    ends_are_seen,
    eos_became_rare,
    eos_was_missed_midway,
    eos_was_never_learned,
    has_no_stop_token,
    has_stop_token,
    limit_truncates,
    limit_truncates_samples,
    limit_was_lowered,
    most_answers_are_cut,
    no_completion_ends,
    some_completions_end,
    stop_token_is_overridden,
    truncation_was_learned,
)
from diagnostics.causes.discriminators.updates import policy_jumped
from diagnostics.causes.entry import CauseEntry, Variant
from diagnostics.causes.indicator import Indicator, is_critical, is_warning

COMPLETION_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "completion-limit-too-short",
        summary="The completions are cut off before they end.",
        meaning="The length limit is below what an answer needs. A cut-off answer cannot be right, so the reward "
        "teaches to be short, or teaches nothing.",
        core=(
            Indicator("truncation-high", limit_truncates),
            Indicator("eos-never-generated", some_completions_end),
            Indicator("eos-never-generated", no_completion_ends),
            Indicator("truncation-high", limit_was_lowered),
            Indicator("eos-never-generated", limit_was_lowered),
            Indicator("smp-truncated", limit_was_lowered),
            Indicator("smp-truncated", limit_truncates_samples),
            Indicator("length-at-limit", answers_fill_the_limit_from_the_start),
        ),
        support=("reward-func-constant", "reward-not-improving", "smp-truncated", "masked-out-batch"),
        against=(Indicator("eos-id-mismatch"), Indicator("pad-equals-eos")),
        preflight=("pf-completion-length",),
        consequences=(
            *EQUAL_REWARD_RULES,
            "reward-regression",
            "length-collapse",
            "entropy-explosion",
            "smp-empty",
            "eos-never-generated",
            "smp-truncated",
            "masked-out-batch",
            "reward-not-improving",
            "policy-frozen",
            "entropy-collapse",
            "stability-metric-collapsed",
        ),
        follows_if=dict.fromkeys(EQUAL_REWARD_RULES, most_answers_are_cut),
        rivals={
            "never-learned-to-stop": "If answers still do not end at twice the limit, the model does not know how to "
            "stop.",
            "wrong-stop-token": "If samples are complete and then go on to the limit, their end is ignored.",
        },
        decided_by={"never-learned-to-stop": ends_are_seen, "wrong-stop-token": ends_are_seen},
        remedies=("longer-completions",),
    ),
    CauseEntry(
        "length-bias",
        summary="The answers grew until the limit cut them off: length pays.",
        meaning="At the start most answers ended by themselves. The policy has learned to go on, because longer "
        "answers earn more or because nothing asks it to stop.",
        core=(
            Indicator("truncation-high", truncation_was_learned, proves=proves_that_length_pays),
            Indicator("length-explosion", proves=proves_that_length_pays),
            Indicator("reward-follows-length", longer_pays),
            Indicator("smp-score-length", is_warning),
            Indicator("eos-never-generated", eos_became_rare, proves=proves_that_length_pays),
            Indicator("length-at-limit", answers_grew_into_the_limit, proves=proves_that_length_pays),
            Indicator("smp-truncated", eos_became_rare),
        ),
        support=("smp-score-length", "smp-score-gain-by-length", "wrong-answers-grow"),
        consequences=(
            "eos-never-generated",
            "masked-out-batch",
            "kl-too-high",
            "entropy-explosion",
            "reward-regression",
            "smp-truncated",
            "smp-loop-tail",
            *EQUAL_REWARD_RULES,
            *FILLED_ANSWER_RULES,
        ),
        follows_if={"entropy-explosion": score_rose, **dict.fromkeys(FILLED_ANSWER_RULES, length_alone_pays)},
        remedies=("length-neutral-reward", "token-loss", "eos-trick", "fitted-kl", "stronger-kl"),
        variants=(
            Variant(
                "paid",
                only_the_reward_shows_it,
                summary="Length pays: the reward goes with it, and the answers grow.",
                remedies=("length-neutral-reward", "fitted-kl", "stronger-kl"),
            ),
        ),
    ),
    CauseEntry(
        "never-learned-to-stop",
        summary="The model has not learned to end its answers.",
        meaning="No end token is generated, whatever the limit. The model was trained with padding in place of the end "
        "token, or nothing in the reward asks it to stop.",
        core=(Indicator("eos-never-generated", eos_was_never_learned), Indicator("pad-equals-eos", has_no_stop_token)),
        support=(
            "smp-truncated",
            "smp-loop-tail",
            "truncation-high",
            "length-at-limit",
        ),
        against=(Indicator("eos-id-mismatch"),),
        preflight=("pf-eos-trick", "pf-pad-eos"),
        consequences=(
            *EQUAL_REWARD_RULES,
            "reward-not-improving",
            "reward-regression",
            "length-explosion",
            "kl-penalty-dominates",
        ),
        rivals={
            "sampling-unlike-policy": "If a minimum length is set, or the end is suppressed, no answer can end.",
            "wrong-stop-token": "If samples are complete and then go on, they ended on a token that nothing stops at.",
            "completion-limit-too-short": "If answers end once the limit is twice as long, it was too short.",
        },
        decided_by={"wrong-stop-token": ends_are_seen, "completion-limit-too-short": ends_are_seen},
        remedies=("eos-trick", "stop-at-eos", "free-end", "longer-completions"),
    ),
    CauseEntry(
        "wrong-stop-token",
        summary="The end of an answer is not recognised.",
        meaning="The model ends its turns with another token than the one that counts as the end, or the end token is "
        "taken for padding. Masks, penalties and the share of cut-off answers are then all wrong.",
        core=(
            Indicator("eos-id-mismatch"),
            Indicator("pad-equals-eos", has_stop_token),
            Indicator("smp-special-leak"),
            Indicator("truncation-high", stop_token_is_overridden),
            Indicator("truncation-high", answers_are_right_though_cut),
            Indicator("eos-never-generated", stop_token_is_overridden),
            Indicator("truncation-high", eos_was_missed_midway),
            Indicator("smp-truncated", eos_was_missed_midway),
            Indicator("smp-truncated", stop_token_is_overridden),
        ),
        preflight=("pf-pad-eos", "pf-stop-token"),
        consequences=(
            *EQUAL_REWARD_RULES,
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            "length-explosion",
            "reward-regression",
            "masked-out-batch",
            "smp-truncated",
            "smp-special-leak",
            "reward-not-improving",
            "kl-too-high",
        ),
        rivals={
            "never-learned-to-stop": "If no token in the samples ends a sentence or a turn, the model does not know "
            "how to stop; if they are complete and then go on, the end is ignored.",
            "completion-limit-too-short": "If the longest completion is as long as the limit, answers are cut off; if "
            "it is shorter, they ended on another token.",
        },
        decided_by={"never-learned-to-stop": end_is_known},
        remedies=("true-end-tokens", "own-padding", "stop-at-eos"),
    ),
    CauseEntry(
        "answers-too-short",
        summary="The answers shrink to nothing.",
        meaning="Ending at once has become the best answer: a penalty on length, on KL or on cut-off answers outweighs "
        "what the content earns, or an empty answer scores as well as any.",
        core=(
            Indicator("length-collapse"),
            Indicator("smp-empty"),
            Indicator("reward-follows-length", shorter_pays),
        ),
        against=(
            Indicator("truncation-high"),
            Indicator("nonfinite-metric", is_critical),
            Indicator("kl-too-high", policy_jumped),
        ),
        ruled_out_by=("reward-saturated",),
        consequences=(
            *EQUAL_REWARD_RULES,
            "reward-regression",
            "reward-not-improving",
            "entropy-collapse",
            "entropy-explosion",
            "kl-too-high",
            "kl-runaway",
            "kl-up-reward-flat",
            "kl-coef-rising",
            "value-loss-spike",
            "smp-empty",
            "smp-exclaim-emoji",
            "smp-group-duplicates",
            "smp-template-collapse",
            "smp-vocabulary-collapse",
        ),
        remedies=("checked-reward", "free-end", "fitted-kl", "earlier-checkpoint"),
        variants=(
            Variant(
                "paid",
                only_the_reward_shows_it,
                summary="Brevity pays: the reward goes with it, and the answers shrink.",
                remedies=("length-neutral-reward", "checked-reward", "earlier-checkpoint"),
            ),
        ),
    ),
)
