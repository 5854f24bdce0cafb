"""What tells apart why samples are not the policy's: old weights, precision, cut-offs, experts, or other tokens."""

import math
from dataclasses import replace

import numpy as np

from diagnostics.causes.discriminators.sampling import sampling_follows_the_policy
from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.importance import NORMAL, few_are_far, one_sided_share
from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values

OLD = 1.0  # updates: a sample of the weights before the last update
ENDLESS = 0.5  # of the steps: an age that grows with every update is that of an engine that gets none
LATEST = 10  # logged points that show how far the engine is, at first and now
APART = 2e-3  # nats/token: above the float noise of equal engines
MOVED_ON = 2.0  # times the KL to the reference: over less nothing shows
IN_PROPORTION = 0.5  # the exponent: 1 where the KL to the engine grows as that to the reference, 0 where it stands
REACHED = 0.03  # of the KL to the reference: far tokens count more in a KL than in a mean difference
ONE_SIDED = 0.5  # of the mean difference: noise has both signs and cancels, cut-offs do not
NO_REPLAY = ("disabled", "none", "off")
EXPERT_METRICS = ("moe_load_imbalance", "router_aux_loss")


def weights_never_came(outcome: Outcome, run: Run) -> bool:
    """Whether the engine stays where it was while the policy moves on.

    Either the age of its samples grows with every update, or the KL between the two grows as that to the reference
    does. A reward that rises meanwhile rules it out: the samples of a policy that stays the same do not improve.
    """
    stays = age_grows_without_end(run) or engine_stays_behind(run)
    explained = (samples_improved(run), samples_are_cut_off(outcome, run), tokens_are_others(outcome, run))
    return stays and not any(explained)


def jump_is_of_unsent_weights(outcome: Outcome, run: Run) -> bool:
    """Whether a distance that came with the first updates is not that of samples which are a few updates old."""
    return (age_grows_without_end(run) or not samples_are_old(run)) and not tokens_are_others(outcome, run)


def age_explains_it(outcome: Outcome, run: Run) -> bool:
    """Whether samples are one or more updates old, and no older with time."""
    return samples_are_old(run) and not age_grows_without_end(run) and not tokens_are_others(outcome, run)


def tokens_are_others(outcome: Outcome, run: Run) -> bool:
    """Whether the trainer scores other tokens than were drawn: it logs so, or few tokens make the distance.

    Of experts that are routed apart a few tokens may be as far.
    """
    drift = run.get("retokenisation_drift")
    if drift is not None and _latest(drift) > 0:
        return True
    return _few_are_far(run) and (replays_routing(run) or not is_mixture_of_experts(run))


def samples_are_old(run: Run) -> bool:
    age = run.get("staleness_mean", "staleness_max")
    return age is not None and _latest(age) >= OLD


def age_grows_without_end(run: Run) -> bool:
    """Whether the age of samples keeps pace with the steps: an age of half of them at the end."""
    age = run.get("staleness_mean", "staleness_max")
    if age is None or age.finite.sum() < LATEST:
        return False
    steps = age.steps[age.finite]
    return _latest(age) >= ENDLESS * float(steps[-1] - steps[0])


def engine_stays_behind(run: Run) -> bool:
    """Whether the KL between engine and policy has grown in proportion to the policy's from the reference.

    Kernels and precision keep the engines as far apart as they were, and so does a fixed age of the samples.
    """
    known = _distances_since_apart(run)
    if known is None or run.settings.is_on("sync_reference"):
        return False
    engine, reference = known
    ends = [(float(np.median(item[:LATEST])), float(np.median(item[-LATEST:]))) for item in (engine, reference)]
    (apart_first, apart_now), (moved_first, moved_now) = ends
    if min(apart_first, moved_first) <= 0:  # estimates of a KL may have either sign
        return False
    if moved_now < MOVED_ON * moved_first or apart_now < REACHED * moved_now:
        return False
    return math.log(apart_now / apart_first) >= IN_PROPORTION * math.log(moved_now / moved_first)


def samples_improved(run: Run) -> bool:
    """Whether the reward of the samples rose by more than chance since the engines are apart."""
    reward, since = run.get(*MAIN_REWARD.get(run.algorithm, ("reward",))), _first_step_apart(run)
    change = None if reward is None or since is None else change_of_level(reward.values[reward.steps >= since])
    return change is not None and change.is_proven and change.after > change.before


def shows_whether_weights_came(run: Run) -> bool:
    """Whether the log tells an engine that keeps old weights from one that computes otherwise."""
    return _distances_since_apart(run) is not None or samples_improved(run) or samples_are_old(run)


def samples_are_cut_off(outcome: Outcome, run: Run) -> bool:
    """Whether top-k, top-p or min-p explain the distance: by the settings, or because it has one sign.

    An engine whose probabilities are those after a cut-off finds every token likelier, by little; noise has both signs.
    """
    return not sampling_follows_the_policy(run) or (_is_one_sided(run) and not _few_are_far(run))


def experts_are_routed_apart(outcome: Outcome, run: Run) -> bool:
    return is_mixture_of_experts(run) and not replays_routing(run) and not samples_are_cut_off(outcome, run)


def engines_compute_apart(outcome: Outcome, run: Run) -> bool:
    """Whether nothing else explains that the engines differ: kernels and precision do."""
    explained = (
        samples_are_cut_off(outcome, run),
        age_explains_it(outcome, run),
        weights_never_came(outcome, run),
        tokens_are_others(outcome, run),
        is_mixture_of_experts(run) and not replays_routing(run),
    )
    return not any(explained)


def is_mixture_of_experts(run: Run) -> bool:
    experts = run.settings.number("experts")
    return (experts is not None and experts > 1) or any(run.get(name) is not None for name in EXPERT_METRICS)


def replays_routing(run: Run) -> bool:
    """Whether training is known to repeat the engine's choice of experts."""
    stated = run.settings.value("routing_replay")
    return run.settings.is_on("routing_replay") and str(stated).lower() not in NO_REPLAY


def trains_an_adapter(run: Run) -> bool:
    return run.settings.is_on("use_peft")


def states_the_sampling(run: Run) -> bool:
    """Whether the log says how tokens are sampled, or on which side the engine's probabilities lie."""
    return run.settings.get("top_p") is not None or _one_sided_share(run) is not None


def _few_are_far(run: Run) -> bool:
    size, farthest = run.get("engine_logprob_difference"), run.get("engine_logprob_difference_max")
    return size is not None and farthest is not None and few_are_far(_latest(size), _latest(farthest))


def _is_one_sided(run: Run) -> bool:
    share = _one_sided_share(run)
    return share is not None and share >= ONE_SIDED


def _one_sided_share(run: Run) -> float | None:
    """The part of the latest mean difference that has one sign; None where the log does not tell."""
    size, shift, ratio = (
        run.get(name) for name in ("engine_logprob_difference", "engine_kl_k1", "importance_ratio_mean")
    )
    if size is None or not size.finite.any():
        return None
    difference = _latest(size)
    if shift is not None and difference > 0:
        return _latest(shift) / difference
    tokens = _tokens_of_ratio(run)
    share = math.nan if ratio is None or math.isnan(tokens) else one_sided_share(_latest(ratio), difference, tokens)
    return None if math.isnan(share) else share


def _tokens_of_ratio(run: Run) -> float:
    """How many tokens one importance ratio is of; NaN where the log does not say."""
    match run.settings.corrects_sequences, run.get("length_mean"):
        case True, Series() as length:
            return _latest(length)
        case False, _:
            return 1.0
    return math.nan


def _distances_since_apart(run: Run) -> tuple[Values, Values] | None:
    """(N,) each: the KL to the engine and to the reference, since the engines are apart; None of too few points."""
    reference, engine, since = run.get("kl_per_token"), _engine_kl(run), _first_step_apart(run)
    if reference is None or engine is None or since is None:
        return None
    steps = np.intersect1d(engine.steps[engine.finite], reference.steps[reference.finite])
    steps = steps[steps > since]
    if len(steps) < 2 * LATEST:
        return None
    return engine.values[np.isin(engine.steps, steps)], reference.values[np.isin(reference.steps, steps)]


def _first_step_apart(run: Run) -> int | None:
    """The first step at which the engines differ by more than float noise."""
    engine = _engine_kl(run)
    apart = np.zeros(0) if engine is None else np.flatnonzero(engine.values >= _kl_of(APART))
    return int(engine.steps[apart[0]]) if engine is not None and len(apart) else None


def _engine_kl(run: Run) -> Series | None:
    """The KL between the engines, or what normal differences of the logged mean size amount to."""
    kl, size = run.get("engine_kl"), run.get("engine_logprob_difference")
    if kl is not None or size is None:
        return kl
    return replace(size, values=_kl_of(size.values))


def _kl_of(difference: Values | float) -> Values:
    return np.asarray(NORMAL / 2 * np.square(difference))


def _latest(series: Series) -> float:
    return finite_median(series.values[series.finite][-LATEST:])
