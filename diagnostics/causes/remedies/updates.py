"""Remedies in the updates: how far they go, over what, in which numbers, and from which weights."""

from diagnostics.causes.remedies.changed_settings import (
    CLIP_RANGE,
    EPOCHS,
    LEARNING_RATE,
    VALUE_CLIP_RANGE,
    VALUE_LEARNING_RATE,
    WORDS,
)
from diagnostics.causes.remedies.learning_rate import (
    default_learning_rate,
    fitted_learning_rate,
    has_one_learning_rate,
    logged_learning_rate,
    logged_value_learning_rate,
    lower_value_learning_rate,
)
from diagnostics.causes.remedies.remedy import ANY, BY_HAND, Keep, Remedy
from diagnostics.causes.remedies.suggestions import (
    bf16_for_fp16,
    by_hand,
    clipped_gradient,
    half_the_passes,
    lower_to,
    multiply_by,
    set_to,
    wider_clip_range,
)

UPDATE_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "fitted-learning-rate", LEARNING_RATE, fitted_learning_rate,
        "Typical updates went as far as {size} nats per token, {times} times the target of 0.01. Their KL grows with "
        "the square of the learning rate, so that a rate {factor} times lower reaches the target.",
        "Schulman's target KL of 0.01; TRL logging page (policy/approxkl_avg)",
    ),
    Remedy(
        "much-lower-learning-rate", LEARNING_RATE, multiply_by(0.1),
        "A tenth of the learning rate makes each update small enough for the clipping to be the exception.",
        "TRL logging page (val/ratio); rules of thumb from public runs: ÷3 to ÷10", is_advice=True,
    ),
    Remedy(
        "lower-learning-rate", LEARNING_RATE, multiply_by(1 / 3),
        "A third of the learning rate shrinks each update.",
        "TRL logging page: the clip fraction is high where the learning rate is too high", is_advice=True,
    ),
    Remedy(
        "lower-value-learning-rate", VALUE_LEARNING_RATE, lower_value_learning_rate,
        "A third of the value model's learning rate lets it follow the returns without leaping past them.",
        "TRL logging page: loss/value_avg will spike / NaN when not going well", unstated=BY_HAND,
        logged=logged_value_learning_rate,
    ),
    Remedy(
        "lower-shared-learning-rate", LEARNING_RATE, multiply_by(1 / 3),
        "A third of the learning rate shrinks each update.",
        "TRL logging page: loss/value_avg will spike / NaN when not going well", is_advice=True,
        applies=has_one_learning_rate,
    ),
    Remedy(
        "fewer-epochs", EPOCHS, half_the_passes,
        "Fewer passes over the same samples let the policy move less before it generates new ones.",
        "Schulman et al. 2017, PPO: several epochs per batch of samples",
    ),
    Remedy(
        "restored-clip-range", CLIP_RANGE, lower_to(0.2, above=0.3),
        "With a clip range this wide the surrogate loss hardly holds the ratio near 1.",
        "TRL PPO page: the ratio gets clipped by cliprange 0.2",
    ),
    Remedy(
        "restored-value-clip-range", VALUE_CLIP_RANGE, lower_to(0.2, above=1.0),
        "A bounded step keeps the value model from following one bad batch.",
        "TRL PPOConfig: cliprange_value 0.2",
    ),
    Remedy(
        "clipped-gradient", {ANY: ("max_grad_norm",)}, clipped_gradient,
        "Clipping the gradient bounds what one bad batch can do.",
        "transformers TrainingArguments: max_grad_norm 1.0",
    ),
    Remedy(
        "wider-clip-range", {**CLIP_RANGE, "grpo": ("epsilon_high", "epsilon"), "rloo": ("epsilon_high", "epsilon")},
        wider_clip_range,
        "A wider clip range lets small updates through.",
        "DAPO (arXiv 2503.14476): epsilon_high 0.28; TRL: cliprange, epsilon 0.2", is_advice=True,
    ),
    Remedy(
        "bf16", {ANY: ("bf16",)}, bf16_for_fp16,
        "bfloat16 has the range of float32; float16 overflows at 65504.", "TRL GRPOConfig: bf16 by default",
    ),
    Remedy(
        "earlier-checkpoint", {ANY: ("resumed_from",)}, by_hand,
        "Go back to a checkpoint from before the first step of the finding.", "Gao et al. 2022 (arXiv 2210.10760)",
        is_advice=True,
    ),
    Remedy(
        "unfiltered-nan", {ANY: ("logging_nan_inf_filter",)}, set_to(False),
        "Without the filter a NaN loss is logged as NaN and not as the mean of the losses before.",
        "transformers TrainingArguments: logging_nan_inf_filter",
    ),
    Remedy(
        "raised-learning-rate", LEARNING_RATE, default_learning_rate,
        "Raise the learning rate: at 0, or next to 0, it changes no weight.",
        "TRL: learning_rate 1e-6 (GRPOConfig), 3e-6 (PPOConfig)", logged=logged_learning_rate,
    ),
    Remedy(
        "checked-parameters", WORDS, by_hand,
        "Count the parameters that require a gradient: a frozen model or an adapter on other modules learns nothing.",
        "ms-swift issues 5571, 5890", is_advice=True,
    ),
    Remedy(
        "wider-value-clip-range", VALUE_CLIP_RANGE, multiply_by(2),
        "A wider value clip range lets the critic follow returns of this scale.", "TRL PPOConfig: cliprange_value",
    ),
    Remedy(
        "later-decay", {ANY: ("lr_schedule",)},
        lambda current, run: Keep.AS_IS if str(current).startswith("constant") else "constant_with_warmup",
        "A learning rate that stays up goes on teaching; one that has decayed no longer does.",
        "transformers TrainingArguments: lr_scheduler_type",
    ),
)  # fmt: skip
