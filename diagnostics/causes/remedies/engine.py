"""Remedies in the rollout engine: its weights, its precision, the age of its samples, and the tokens of its turns."""

from typing import Any

from diagnostics.causes.discriminators.engine import is_mixture_of_experts, replays_routing, trains_an_adapter
from diagnostics.causes.remedies.changed_settings import WORDS
from diagnostics.causes.remedies.remedy import ANY, Keep, Remedy
from diagnostics.causes.remedies.suggestions import by_hand, lower_to, set_to
from diagnostics.model.run import Run


def generates_on_a_server(run: Run) -> bool:
    return str(run.settings.value("engine_mode")) != "colocate"


def awake(current: Any, run: Run) -> Any:
    """False where the engine sleeps."""
    return False if run.settings.is_on("engine_sleep") else Keep.AS_IS


def replayed(current: Any, run: Run) -> Any:
    """True where a switch is off; a person names the mode where it is a choice."""
    if replays_routing(run):
        return Keep.AS_IS
    return True if isinstance(current, bool) else None


ENGINE_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "switched-on-sync", {ANY: ("engine_sync",)}, set_to(True),
        "Without it the engine generates with its first weights for ever.",
        "by definition: an engine that gets no weights keeps those that it has",
    ),
    Remedy(
        "no-engine-sleep", {ANY: ("engine_sleep",)}, awake,
        "An engine that sleeps drops its weights, and may wake with those that it was loaded with.",
        "TRL issue 5312: stale weights in sleep mode",
    ),
    Remedy(
        "sync-every-step", {ANY: ("sync_interval",)}, lower_to(1, above=1),
        "Weights that are sent after every update keep the samples one update old.",
        "TRL AsyncGRPOConfig: weight_sync_steps 1",
    ),
    Remedy(
        "merged-adapter", WORDS, by_hand,
        "Merge the adapter into the weights that are sent, or check that the engine loads it: one that gets base "
        "weights alone keeps the first policy.",
        "verl issue 7495; TRL issue 2698", applies=trains_an_adapter, is_advice=True,
    ),
    Remedy(
        "checked-engine-server", {ANY: ("engine_server",)}, by_hand,
        "The server that gets the weights must be the one that generates; its log names each transfer.",
        "TRL GRPO page: vLLM server mode", applies=generates_on_a_server, is_advice=True,
    ),
    Remedy(
        "compared-weights", WORDS, by_hand,
        "Compare one weight of the engine with the trainer's after an update: if they differ, it was not sent.",
        "verl issue 7495: equal norms at every transfer", is_advice=True,
    ),
    Remedy(
        "importance-correction", {"grpo": ("is_correction",)}, set_to(True),
        "Importance sampling corrects for what the two engines disagree about.",
        "TRL GRPOConfig: vllm_importance_sampling_correction",
    ),
    Remedy(
        "token-truncation", {"grpo": ("is_mode",)}, set_to("token_truncate"),
        "Truncating the ratio of single tokens keeps sequences that masking drops whole.",
        "TRL GRPOConfig: vllm_importance_sampling_mode",
    ),
    Remedy(
        "exact-head", {"grpo": ("fp32_head",)}, set_to(True),
        "A language-model head in float32 brings the two engines' log-probabilities together.",
        "MiniMax-M1 (arXiv 2506.13585): float32 head",
    ),
    Remedy(
        "same-precision", {ANY: ("engine_dtype",)}, by_hand,
        "Give the engine the precision that the policy is trained in.",
        "Defeating the Training-Inference Mismatch via FP16 (arXiv 2510.26788)",
    ),
    Remedy(
        "routing-replay", {ANY: ("routing_replay",)}, replayed,
        "Repeat in training the choice of experts that the engine made; a tenth of the routers choose others by "
        "themselves.",
        "Megatron-LM issue 4168; R3 (arXiv 2510.11370)", applies=is_mixture_of_experts, is_advice=True,
    ),
    Remedy(
        "less-ahead", WORDS, by_hand,
        "Let fewer samples be generated ahead of the trainer: what waits less is less old, and nothing is thrown away.",
        "TRL AsyncGRPO: max_inflight_tasks; marin issue 8955", is_advice=True,
    ),
    Remedy(
        "token-ids", WORDS, by_hand,
        "Let the engine return the ids of the tokens that it drew, and train on those: vLLM's server does with "
        "return_token_ids.",
        "vLLM, No More Retokenization Drift", is_advice=True,
    ),
    Remedy(
        "tokens-between-turns", WORDS, by_hand,
        "Hand token ids from turn to turn, not text: a text may be divided into other tokens the second time.",
        "TRL issue 5224", is_advice=True,
    ),
    Remedy(
        "appending-template", WORDS, by_hand,
        "Use a chat template that only appends: rendered turns must be the beginning of what follows.",
        "verl issue 6719; TRL issue 6250", is_advice=True,
    ),
    Remedy(
        "compared-attempts", WORDS, by_hand,
        "Compare the settings of both attempts, and what the checkpoint holds: adapter, optimiser, place in the data.",
        "open-r1 issue 450", is_advice=True,
    ),
    Remedy(
        "single-first-token", WORDS, by_hand,
        "Tokenise a rendered prompt without adding special tokens: the template has written the first one.",
        "NeMo-RL pull request 855", is_advice=True,
    ),
)  # fmt: skip
