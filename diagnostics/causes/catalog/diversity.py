"""Causes in the diversity of completions: too little of it, or noise."""

from diagnostics.causes.catalog.rule_groups import DEGRADED_TEXT_RULES, GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.entropy import (
    entropy_exceeds_its_start,
    temperature_is_high,
    temperature_makes_noise,
)
from diagnostics.causes.discriminators.rewards import noise_is_paid, reward_did_not_rise
from diagnostics.causes.discriminators.sampling import (
    sampling_is_near_greedy,
    sampling_was_always_near_greedy,
)
from diagnostics.causes.entry import CauseEntry, Variant
from diagnostics.causes.indicator import Indicator

DIVERSITY_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "mode-collapse",
        summary="The policy has collapsed to a few answers.",
        meaning="Sampling gives the same text again and again. Groups have no differences to learn from, and what the "
        "policy no longer tries it cannot find. Low temperature, a symmetric clip range and many passes over the same "
        "samples lead here.",
        core=(
            Indicator("entropy-collapse"),
            Indicator("smp-group-duplicates"),
            Indicator("zero-variance-groups", sampling_was_always_near_greedy),
            Indicator("zero-variance-excess", sampling_was_always_near_greedy),
            Indicator("update-too-large", sampling_is_near_greedy),
            Indicator("kl-too-high", sampling_was_always_near_greedy),
            Indicator("smp-vocabulary-collapse", sampling_is_near_greedy),
            Indicator("smp-template-collapse", reward_did_not_rise),
            Indicator("smp-vocabulary-collapse", reward_did_not_rise),
        ),
        support=(
            "reward-std-shrink",
            "zero-variance-excess",
            "clip-asymmetry",
        ),
        against=(Indicator("entropy-explosion"),),
        preflight=("pf-greedy",),
        consequences=(
            "zero-variance-groups",
            "zero-variance-excess",
            "reward-std-shrink",
            "reward-not-improving",
            "smp-template-collapse",
            "smp-repetition",
            "smp-vocabulary-collapse",
        ),
        rivals={
            "reward-hacking": "If the few answers score higher than all before, the reward pays for them; if not, the "
            "policy stopped exploring."
        },
        remedies=("true-temperature", "wider-clip-range", "adaptive-entropy", "fewer-epochs", "earlier-checkpoint"),
    ),
    CauseEntry(
        "noise-blow-up",
        summary="The policy dissolves into noise.",
        meaning="The entropy shoots up: what was likely is pushed down, and nothing in particular takes its place. The "
        "answers turn into gibberish, often of many languages, grow longer, and the reward falls.",
        core=(
            Indicator("entropy-explosion", entropy_exceeds_its_start, beside=DEGRADED_TEXT_RULES),
            Indicator("entropy-explosion", temperature_makes_noise, proves=temperature_makes_noise),
        ),
        support=("grad-norm-sustained", "smp-nonlanguage", "smp-language-drift", "reward-regression"),
        against=(Indicator("entropy-collapse"),),
        consequences=(
            "kl-runaway",
            "grad-norm-sustained",
            "nan-grad-finite-loss",
            "kl-too-high",
            "length-explosion",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            "reward-regression",
            "policy-hardly-moves",
            "reward-not-improving",
            *GARBLED_SAMPLE_RULES,
        ),
        is_effect=noise_is_paid,
        rivals={
            "engine-mismatch": "If the two engines' probabilities drifted apart first, the mismatch came before the "
            "noise."
        },
        remedies=("much-lower-learning-rate", "stronger-kl", "earlier-checkpoint"),
        variants=(
            Variant(
                "temperature",
                temperature_is_high,
                summary="The sampling temperature turns the answers to noise.",
                remedies=("true-temperature",),
            ),
        ),
    ),
)
