"""Better values that follow from the current one, or from another setting."""

from typing import Any

from diagnostics.causes.remedies.remedy import Keep, Suggest
from diagnostics.model.run import Run
from diagnostics.model.settings import UNSCALED_REWARDS, as_number

USUAL_CLIP_RANGE = 0.2  # of PPO and GRPO


def by_hand(current: Any, run: Run) -> Any:
    """None: only a person can name a better value."""
    return None


def set_to(value: Any) -> Suggest:
    """The same value whatever the current one."""
    return lambda current, run: value


def set_if_unset(value: Any) -> Suggest:
    """The value where none is set."""
    return lambda current, run: value if current is None else current


def lower_to(value: float, *, above: float) -> Suggest:
    """The value where the current one is above a bound."""
    return lambda current, run: value if is_number(current) and current > above else current


def multiply_by(factor: float) -> Suggest:
    """The current value times a factor, to two digits; whole where it was whole."""

    def suggest(current: Any, run: Run) -> Any:
        if not is_number(current):
            return None
        better = float(f"{current * factor:.2g}")
        return round(better) if isinstance(current, int) and better >= 1 else better

    return suggest


def half_the_passes(current: Any, run: Run) -> Any:
    """Half as many passes, at least one."""
    return max(1, current // 2) if isinstance(current, int) else None


def half_the_count(current: Any, run: Run) -> Any:
    """Half of a count; nothing to change at 1."""
    return current // 2 if isinstance(current, int) and current > 1 else Keep.AS_IS


def stronger_kl_weight(current: Any, run: Run) -> Any:
    """Three times the KL penalty, or 0.05 where there was none."""
    return multiply_by(3)(current, run) if current else 0.05


def wider_clip_range(current: Any, run: Run) -> Any:
    """1.4 times the clip range, as DAPO widens the usual one; the usual one where it is less than half of that."""
    known = run.settings.value("epsilon") if current is None else current
    is_far_off = isinstance(known, int | float) and known < USUAL_CLIP_RANGE / 2
    return USUAL_CLIP_RANGE if is_far_off else multiply_by(1.4)(known, run)


def clipped_gradient(current: Any, run: Run) -> Any:
    """1.0 where gradients are not clipped, or at 10 and above."""
    return current if is_number(current) and 0 < current < 10 else 1.0


def no_top_k(current: Any, run: Run) -> Any:
    """The producer's value for no cut-off (0 or -1), where top-k is on."""
    return current if current in (-1, 0) else run.settings.neutral.get("top_k", 0)


def no_least_length(current: Any, run: Run) -> Any:
    """0, where a minimum length is set."""
    return Keep.AS_IS if current is None or current <= 0 else 0


def positive_weights(current: Any, run: Run) -> Any:
    """The same weights without their signs; as is where none is below 0."""
    if not isinstance(current, list | tuple) or not all(is_number(weight) for weight in current):
        return None
    return [abs(weight) for weight in current] if any(weight < 0 for weight in current) else Keep.AS_IS


def scored_temperature(current: Any, run: Run) -> Any:
    """The temperature at which completions are scored, where another one is used to sample them."""
    return Keep.AS_IS if current is None else run.settings.value("temperature", 1.0)


def bf16_for_fp16(current: Any, run: Run) -> Any:
    """True where fp16 is on."""
    return True if run.settings.is_on("fp16") else current


def scale_by_batch_not_group(current: Any, run: Run) -> Any:
    """The spread of the batch; none at all where the setting is a switch, as in verl and in TRL up to 0.21."""
    return False if isinstance(current, bool) else "batch"


def scale_if_unscaled(current: Any, run: Run) -> Any:
    """The spread of the batch, or of the group where the setting is a switch; as is where rewards are scaled."""
    if current not in UNSCALED_REWARDS:
        return Keep.AS_IS
    return True if isinstance(current, bool) else "batch"


def is_number(value: Any) -> bool:
    """Whether a setting is a finite number, not text, and no integer beyond floats."""
    return not isinstance(value, str) and as_number(value) is not None
