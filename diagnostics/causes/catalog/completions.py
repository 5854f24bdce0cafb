"""Causes in the answers: their length, their end, and their variety."""

from diagnostics.causes.cause import OF_EQUAL_REWARDS, OF_GARBLED_SAMPLES, CauseEntry
from diagnostics.causes.clue import Clue, is_warning
from diagnostics.causes.discriminators.rewards import reward_did_not_rise
from diagnostics.causes.discriminators.truncation import (
    another_end_is_set,
    answers_are_whole,
    end_was_overrun,
    ends_became_rare,
    grew,
    limit_cuts,
    limit_cuts_from_the_start,
    limit_was_lowered,
    none_has_learned_to_end,
    some_end_by_themselves,
    stops_at_a_token,
    stops_at_no_token,
)
from diagnostics.causes.discriminators.updates import leapt, samples_coldly, samples_turned_cold

ANSWERS: tuple[CauseEntry, ...] = (
    CauseEntry(
        "completion-limit-too-short",
        summary="The completions are cut off before they end.",
        meaning="The length limit is below what an answer needs. A cut-off answer cannot be right, so the reward "
        "teaches to be short, or teaches nothing.",
        core=(
            Clue("truncation-high", limit_cuts),
            Clue("eos-never-generated", some_end_by_themselves),
            Clue("truncation-high", limit_was_lowered),
            Clue("eos-never-generated", limit_was_lowered),
            Clue("smp-truncated", limit_was_lowered),
            Clue("smp-truncated", limit_cuts_from_the_start),
        ),
        support=("reward-func-constant", "reward-not-improving", "smp-truncated", "masked-out-batch"),
        against=(Clue("eos-id-mismatch"),),
        consequences=(
            *OF_EQUAL_REWARDS,
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
            Clue("truncation-high", grew),
            Clue("length-explosion"),
            Clue("smp-score-length", is_warning),
            Clue("eos-never-generated", ends_became_rare),
            Clue("smp-truncated", ends_became_rare),
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
        core=(Clue("eos-never-generated", none_has_learned_to_end), Clue("pad-equals-eos", stops_at_no_token)),
        support=(
            "smp-truncated",
            "smp-loop-tail",
            "truncation-high",
        ),
        against=(Clue("eos-id-mismatch"),),
        consequences=(*OF_EQUAL_REWARDS, "reward-not-improving", "reward-regression", "length-explosion"),
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
            Clue("eos-id-mismatch"),
            Clue("pad-equals-eos", stops_at_a_token),
            Clue("smp-special-leak"),
            Clue("truncation-high", another_end_is_set),
            Clue("eos-never-generated", another_end_is_set),
            Clue("truncation-high", end_was_overrun),
            Clue("smp-truncated", end_was_overrun),
            Clue("smp-truncated", another_end_is_set),
        ),
        consequences=(
            *OF_EQUAL_REWARDS,
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
            "completion-limit-too-short": "If the longest completion is as long as the limit, answers are cut off; "
            "if it is "
            "shorter, they ended on another token.",
        },
    ),
    CauseEntry(
        "answers-too-short",
        summary="The answers shrink to nothing.",
        meaning="Ending at once has become the best answer: a penalty on length, on KL or on cut-off answers outweighs "
        "what the content earns, or an empty answer scores as well as any.",
        core=(Clue("length-collapse"), Clue("smp-empty")),
        against=(
            Clue("truncation-high"),
            Clue("nonfinite-metric"),
            Clue("kl-too-high", leapt),
        ),
        consequences=(
            *OF_EQUAL_REWARDS,
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
            Clue("reward-std-shrink", is_warning),
            Clue("entropy-collapse"),
            Clue("smp-group-duplicates"),
            Clue("zero-variance-groups", samples_coldly),
            Clue("zero-variance-excess", samples_coldly),
            Clue("update-too-large", samples_turned_cold),
            Clue("smp-vocabulary-collapse", samples_turned_cold),
            Clue("smp-template-collapse", reward_did_not_rise),
            Clue("smp-vocabulary-collapse", reward_did_not_rise),
        ),
        against=(Clue("entropy-explosion"),),
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
        core=(Clue("entropy-explosion", answers_are_whole),),
        support=("grad-norm-sustained", "smp-nonlanguage", "smp-language-drift", "reward-regression"),
        against=(Clue("entropy-collapse"),),
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
            *OF_GARBLED_SAMPLES,
        ),
        remedies=("much-lower-learning-rate", "stronger-kl", "earlier-checkpoint"),
        rivals={
            "engine-mismatch": "If the two engines' probabilities drifted apart first, the mismatch came before "
            "the noise."
        },
    ),
)
