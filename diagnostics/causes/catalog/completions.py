"""Causes in the completions: their length, their end, and their variety."""

from diagnostics.causes.catalog.rule_groups import EQUAL_REWARD_RULES, GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.rewards import reward_did_not_rise
from diagnostics.causes.discriminators.sampling import sampling_is_near_greedy, temperature_is_near_zero
from diagnostics.causes.discriminators.truncation import (
    completions_were_not_shortened,
    eos_became_rare,
    eos_was_missed_midway,
    eos_was_never_learned,
    has_no_stop_token,
    has_stop_token,
    limit_truncates,
    limit_truncates_samples,
    limit_was_lowered,
    some_completions_end,
    stop_token_is_overridden,
    truncation_was_learned,
)
from diagnostics.causes.discriminators.updates import policy_jumped
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator, is_warning

COMPLETION_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "completion-limit-too-short",
        summary="The completions are cut off before they end.",
        meaning="The length limit is below what an answer needs. A cut-off answer cannot be right, so the reward "
        "teaches to be short, or teaches nothing.",
        core=(
            Indicator("truncation-high", limit_truncates),
            Indicator("eos-never-generated", some_completions_end),
            Indicator("truncation-high", limit_was_lowered),
            Indicator("eos-never-generated", limit_was_lowered),
            Indicator("smp-truncated", limit_was_lowered),
            Indicator("smp-truncated", limit_truncates_samples),
        ),
        support=("reward-func-constant", "reward-not-improving", "smp-truncated", "masked-out-batch"),
        against=(Indicator("eos-id-mismatch"),),
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
        ),
        preflight=("pf-completion-length",),
        remedies=("longer-completions",),
        rivals={
            "never-learned-to-stop": "If answers still do not end at twice the limit, the model does not know how to "
            "stop."
        },
    ),
    CauseEntry(
        "length-bias",
        summary="The answers grew until the limit cut them off: length pays.",
        meaning="At the start most answers ended by themselves. The policy has learned to go on, because longer "
        "answers earn more or because nothing asks it to stop.",
        core=(
            Indicator("truncation-high", truncation_was_learned),
            Indicator("length-explosion"),
            Indicator("smp-score-length", is_warning),
            Indicator("eos-never-generated", eos_became_rare),
            Indicator("smp-truncated", eos_became_rare),
        ),
        support=("smp-score-length", "smp-score-gain-by-length", "wrong-answers-grow"),
        consequences=(
            "eos-never-generated",
            "smp-truncated",
            "smp-loop-tail",
            "masked-out-batch",
            "kl-too-high",
            "reward-func-constant",
            "reward-regression",
        ),
        remedies=("length-neutral-reward", "token-loss", "eos-trick", "fitted-kl", "stronger-kl"),
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
        ),
        against=(Indicator("eos-id-mismatch"),),
        consequences=(*EQUAL_REWARD_RULES, "reward-not-improving", "reward-regression", "length-explosion"),
        preflight=("pf-eos-trick", "pf-pad-eos"),
        remedies=("eos-trick", "stop-at-eos", "free-end", "longer-completions"),
        rivals={
            "sampling-unlike-policy": "If a least length is set, or the end is suppressed, no answer can end.",
            "wrong-stop-token": "If samples are complete and then go on, they ended on a token that nobody waits for.",
        },
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
            Indicator("eos-never-generated", stop_token_is_overridden),
            Indicator("truncation-high", eos_was_missed_midway),
            Indicator("smp-truncated", eos_was_missed_midway),
            Indicator("smp-truncated", stop_token_is_overridden),
        ),
        consequences=(
            *EQUAL_REWARD_RULES,
            "truncation-high",
            "eos-never-generated",
            "length-explosion",
            "reward-regression",
            "masked-out-batch",
            "smp-truncated",
            "smp-special-leak",
            "reward-not-improving",
            "kl-too-high",
        ),
        preflight=("pf-pad-eos", "pf-stop-token"),
        remedies=("true-end-tokens", "own-padding", "stop-at-eos"),
        rivals={
            "never-learned-to-stop": "If no token in the samples ends a sentence or a turn, the model does not know "
            "how to stop; if they are complete and then go on, the end is not heeded.",
            "completion-limit-too-short": "If the longest completion is as long as the limit, answers are cut off; if "
            "it is shorter, they ended on another token.",
        },
    ),
    CauseEntry(
        "answers-too-short",
        summary="The answers shrink to nothing.",
        meaning="Ending at once has become the best answer: a penalty on length, on KL or on cut-off answers outweighs "
        "what the content earns, or an empty answer scores as well as any.",
        core=(Indicator("length-collapse"), Indicator("smp-empty")),
        against=(
            Indicator("truncation-high"),
            Indicator("nonfinite-metric"),
            Indicator("kl-too-high", policy_jumped),
        ),
        consequences=(
            *EQUAL_REWARD_RULES,
            "reward-regression",
            "reward-not-improving",
            "entropy-collapse",
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
    ),
    CauseEntry(
        "mode-collapse",
        summary="The policy has collapsed to a few answers.",
        meaning="Sampling gives the same text again and again. Groups have no differences to learn from, and what the "
        "policy no longer tries it cannot find. Low temperature, a symmetric clip range and many passes over the same "
        "samples lead here.",
        core=(
            Indicator("reward-std-shrink", is_warning),
            Indicator("entropy-collapse"),
            Indicator("smp-group-duplicates"),
            Indicator("zero-variance-groups", temperature_is_near_zero),
            Indicator("zero-variance-excess", temperature_is_near_zero),
            Indicator("update-too-large", sampling_is_near_greedy),
            Indicator("smp-vocabulary-collapse", sampling_is_near_greedy),
            Indicator("smp-template-collapse", reward_did_not_rise),
            Indicator("smp-vocabulary-collapse", reward_did_not_rise),
        ),
        against=(Indicator("entropy-explosion"),),
        consequences=(
            "zero-variance-groups",
            "zero-variance-excess",
            "reward-std-shrink",
            "reward-not-improving",
            "smp-template-collapse",
            "smp-repetition",
            "smp-vocabulary-collapse",
        ),
        support=(
            "zero-variance-excess",
            "clip-asymmetry",
        ),
        preflight=("pf-greedy",),
        remedies=("true-temperature", "wider-clip-range", "adaptive-entropy", "fewer-epochs", "earlier-checkpoint"),
        rivals={
            "reward-hacking": "If the few answers score higher than all before, the reward pays for them; if not, the "
            "policy stopped to explore."
        },
    ),
    CauseEntry(
        "noise-blow-up",
        summary="The policy dissolves into noise.",
        meaning="The entropy shoots up: what was likely is pushed down, and nothing in particular takes its place. The "
        "answers turn into gibberish, often of many languages, grow longer, and the reward falls.",
        core=(Indicator("entropy-explosion", completions_were_not_shortened),),
        support=("grad-norm-sustained", "smp-nonlanguage", "smp-language-drift", "reward-regression"),
        against=(Indicator("entropy-collapse"),),
        consequences=(
            "kl-runaway",
            "grad-norm-sustained",
            "nan-grad-finite-loss",
            "kl-too-high",
            "length-explosion",
            "truncation-high",
            "eos-never-generated",
            "reward-regression",
            "reward-not-improving",
            *GARBLED_SAMPLE_RULES,
        ),
        remedies=("much-lower-learning-rate", "stronger-kl", "earlier-checkpoint"),
        rivals={
            "engine-mismatch": "If the two engines' probabilities drifted apart first, the mismatch came before the "
            "noise."
        },
    ),
)
