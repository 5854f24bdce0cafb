"""Faults of a rollout engine apart from the trainer: old weights, rounded ones, and probabilities of something else."""

from trainer.faults.fault import Case, Fault, Sign
from trainer.tasks.remarks import PIECES_CHECKPOINT

_APART = "sampling/sampling_logp_difference/mean"
_WEIGHT = "sampling/importance_sampling_ratio/mean"
_SEPARATE = {"rollout_engine": "separate"}
_IN_PIECES = {"model_name_or_path": str(PIECES_CHECKPOINT), "max_completion_length": 20}
_STALE = {"async_staleness": 8, "vllm_importance_sampling_correction": False}
_UNLIKE = ("engine-mismatch", "logp-diff-growing", "is-ratio-off")

FAULTS = (
    Fault(
        "engine-never-synced",
        "The rollout engine never gets the new weights",
        "A separate engine generates with the weights that it has, whatever the trainer learns; the trainer counts "
        "every transfer as done.",
        cause="weights-not-synced",
        rules=(*_UNLIKE, "engine-weights-stale", "reward-not-improving"),
        setting=_SEPARATE,
        cases=(
            Case("grpo", "addition", {"weight_sync": False}, Sign(_APART, "above", 0.02)),
            Case("grpo", "remarks", {"weight_sync": False}, Sign(_APART, "above", 0.05)),
        ),
    ),
    Fault(
        "engine-stale",
        "The rollout engine's weights are old",
        "A separate engine generates with weights that are eight steps old, and the loss is not corrected for it.",
        cause="samples-stale",
        rules=(*_UNLIKE, "samples-stale"),
        setting=_SEPARATE,
        cases=(
            Case("grpo", "addition", _STALE, Sign(_APART, "above", 5e-3)),
            Case("grpo", "remarks", _STALE, Sign(_APART, "above", 0.02)),
        ),
    ),
    Fault(
        "engine-low-precision",
        "The rollout engine's weights are rounded",
        "A separate engine generates with weights in bfloat16 (addition) or float8 (remarks), while the trainer's are "
        "float32.",
        cause="engine-mismatch",
        rules=_UNLIKE,
        setting=_SEPARATE,
        cases=(
            Case("grpo", "addition", {"rollout_dtype": "bfloat16"}, Sign(_APART, "above", 5e-5)),
            Case("grpo", "remarks", {"rollout_dtype": "float8_e4m3fn"}, Sign(_APART, "above", 0.01)),
        ),
    ),
    Fault(
        "engine-truncated-sampling",
        "The rollout engine leaves out unlikely tokens",
        "A separate engine draws with top_p = 0.8 and reports the probabilities of what is left, as vLLM does with "
        "processed_logprobs, while the trainer scores the whole distribution.",
        cause="sampling-unlike-policy",
        rules=(*_UNLIKE, "sampling-not-policy", "entropy-collapse"),
        setting=_SEPARATE,
        cases=(
            Case("grpo", "addition", {"top_p": 0.8}, Sign(_WEIGHT, "below", 0.95)),
            Case("grpo", "remarks", {"top_p": 0.8}, Sign(_WEIGHT, "below", 0.5)),
        ),
    ),
    Fault(
        "engine-retokenised",
        "What the rollout engine wrote is tokenised again",
        "A separate engine returns text, which the trainer tokenises again: words that the model wrote in other pieces "
        "than the tokenizer's become other tokens, and the log-probabilities after them are of others. The demo models "
        "write whole words and characters, whose text has one tokenization; so this one is of remarks in pieces.",
        cause="text-tokenised-again",
        rules=_UNLIKE,
        setting={**_SEPARATE, **_IN_PIECES},
        cases=(Case("grpo", "remarks", {"return_token_ids": False}, Sign(_APART, "above", 0.1)),),
    ),
)
