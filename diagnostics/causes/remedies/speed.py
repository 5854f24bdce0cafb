"""Remedies for slowness: what shortens a step without changing what is learned."""

from diagnostics.causes.remedies.changed_settings import LENGTH_LIMIT, WORDS
from diagnostics.causes.remedies.remedy import ANY, Remedy
from diagnostics.causes.remedies.suggestions import by_hand, multiply_by, set_to

_ASYNC_LORA = "Hugging Face 2026, Async GRPO with LoRA across HF Jobs"

SPEED_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "packed-rows", {ANY: ("token_budget",)}, multiply_by(2),
        "Pack several samples into a row by a budget of tokens: the batch stays as it is, and needs fewer passes.",
        _ASYNC_LORA, is_advice=True,
    ),
    Remedy(
        "no-checkpointing", {ANY: ("gradient_checkpointing",)}, set_to(False),
        "Where memory is free, keep the activations: with gradient checkpointing each forward pass is computed twice.",
        _ASYNC_LORA, is_advice=True,
    ),
    Remedy(
        "fewer-engines", WORDS, by_hand,
        "Rollout engines that wait for the trainer can be given back, or their devices to the trainer.",
        _ASYNC_LORA, is_advice=True,
    ),
    Remedy(
        "rarer-syncs", {ANY: ("weight_sync_steps",)}, multiply_by(2),
        "Half as many syncs cost half as much; samples become older by as many updates.",
        _ASYNC_LORA, is_advice=True,
    ),
    Remedy(
        "lighter-syncs", WORDS, by_hand,
        "Send an adapter, or only the weights that changed, in place of the whole model.",
        "TRL, delta weight sync", is_advice=True,
    ),
    Remedy(
        "shorter-limit", LENGTH_LIMIT, by_hand,
        "Where few answers need the present limit, a lower one ends the wait for the longest; watch how many are cut.",
        "verl issue 6747", is_advice=True,
    ),
    Remedy(
        "larger-engine-share", {ANY: ("engine_memory",)}, by_hand,
        "More memory for the engine's cache lets it generate more sequences at a time.",
        "vLLM documentation: gpu_memory_utilization", is_advice=True,
    ),
    Remedy(
        "more-requests", {ANY: ("requests_in_flight",)}, multiply_by(2),
        "An engine is slow with few requests: allow more at a time, before engines are added.",
        _ASYNC_LORA, is_advice=True,
    ),
    Remedy(
        "fewer-requests", {ANY: ("requests_in_flight",)}, by_hand,
        "Fewer sequences at a time fit into the cache, and none has to be computed again.",
        "vLLM documentation: max_num_seqs", is_advice=True,
    ),
    Remedy(
        "more-engines", WORDS, by_hand,
        "Add rollout engines, or generate while training, once the present ones are busy.",
        "prime-rl, training documentation", is_advice=True,
    ),
    Remedy(
        "bounded-rollouts", WORDS, by_hand,
        "End a rollout whose tools or grader take too long, and keep more prompts in flight than a batch needs.",
        "verl, agent_loop", is_advice=True,
    ),
    Remedy(
        "parallel-grader", WORDS, by_hand,
        "Score the answers in several processes, each as soon as it is complete.",
        "verl issue 6673", is_advice=True,
    ),
    Remedy(
        "bounded-grader", WORDS, by_hand,
        "Give each call of the grader a timeout, so that one answer cannot hold up all others.",
        "Math-Verify issue 65", is_advice=True,
    ),
    Remedy(
        "watched-memory", WORDS, by_hand,
        "Watch the memory of host and devices beside the step time: what grows with it is what piles up.",
        "verl issue 2260", is_advice=True,
    ),
)  # fmt: skip
