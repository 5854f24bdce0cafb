"""Remedies in what surrounds the policy: memory, processes, log."""

from diagnostics.causes.remedies.changed_settings import DEVICE_BATCH, REWARD_SOURCE, WORDS
from diagnostics.causes.remedies.remedy import ANY, Remedy
from diagnostics.causes.remedies.suggestions import by_hand, half_the_count, lower_to, multiply_by, set_to

INFRASTRUCTURE_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "bounded-wait", {ANY: ("process_timeout",)}, by_hand,
        "A wait with an end turns a silent hang into an error that names the place.",
        "transformers TrainingArguments: ddp_timeout",
    ),
    Remedy(
        "smaller-device-batch", {**DEVICE_BATCH, "ppo": ("rollout_forward_batch_size", *DEVICE_BATCH[ANY])},
        half_the_count, "Half as many sequences at a time need about half of the memory for activations.",
        "TRL PPO page, memory tips", is_advice=True,
    ),
    Remedy(
        "more-accumulation", {ANY: ("gradient_accumulation_steps",)}, multiply_by(2),
        "Twice the accumulation keeps the batch as large as it was, at half of the size per device.",
        "TRL PPO page, memory tips", unstated={ANY: 2}, is_advice=True,
    ),
    Remedy(
        "smaller-engine-share", {"grpo": ("engine_memory",)}, lower_to(0.3, above=0.3),
        "What the rollout engine reserves for its cache is missing in training.",
        "TRL documentation: vllm_gpu_memory_utilization 0.3, vllm_enable_sleep_mode",
    ),
    Remedy(
        "bounded-grader", REWARD_SOURCE, by_hand,
        "Score each answer in a process of its own, kill it after a few seconds and count the answer as wrong: a "
        "time-out by signal or thread does not stop what computes.",
        "verl pull requests 5839 and 6673", is_advice=True,
    ),
    Remedy(
        "last-checkpoint", {ANY: ("resumed_from",)}, by_hand,
        "Resume from the last whole checkpoint once what ended the run is out of the way.",
        "transformers Trainer: resume_from_checkpoint", is_advice=True,
    ),
    Remedy(
        "stacks-of-the-wait", WORDS, by_hand,
        "Print where each process stands, `py-spy dump --pid PID`: the one that stands elsewhere is what the others "
        "wait for.",
        "verl pull request 6673", is_advice=True,
    ),
    Remedy(
        "less-on-the-host", WORDS, by_hand,
        "Keep less in the node's memory: optimizer and parameters on the GPU, fewer loaders and reward workers, no "
        "sleep of the engine, which copies its weights there.",
        "OpenRLHF issue 1013, verl issue 429", is_advice=True,
    ),
    Remedy(
        "later-engine", WORDS, by_hand,
        "Another release of the rollout engine: memory that grows with every step was a leak of several.",
        "verl issue 429, NeMo-RL issue 2619", is_advice=True,
    ),
    Remedy(
        "restarts", WORDS, by_hand,
        "Until the leak is found, stop before the limit is reached and resume from the checkpoint.",
        "engineering default", is_advice=True,
    ),
    Remedy(
        "freed-disk", WORDS, by_hand,
        "Free space, keep fewer checkpoints, and resume from the last whole one.",
        "engineering default", is_advice=True,
    ),
    Remedy(
        "more-shared-memory", WORDS, by_hand,
        "Give the container more shared memory (`docker run --shm-size`, a larger /dev/shm), or load with fewer "
        "workers.",
        "torch's message", is_advice=True,
    ),
    Remedy(
        "other-device", WORDS, by_hand,
        "Resume on another GPU or machine, and have this one checked.",
        "TRL issue 4149", is_advice=True,
    ),
    Remedy(
        "offline-services", WORDS, by_hand,
        "Log offline and upload later (WANDB_MODE=offline), and load models and data from the disk (HF_HUB_OFFLINE=1).",
        "wandb issue 2039", is_advice=True,
    ),
    Remedy(
        "engine-log", WORDS, by_hand,
        "Read the first error that the engine printed, above the line that says that it died.",
        "vLLM: EngineDeadError, see stack trace above", is_advice=True,
    ),
    Remedy(
        "kernel-log", WORDS, by_hand,
        "Ask the kernel and the scheduler who killed it: `dmesg -T | grep -i kill`, `sacct`.",
        "engineering default", is_advice=True,
    ),
    Remedy(
        "first-error", WORDS, by_hand,
        "Look for the first error in the console of every process: the last one is often that of a process that found "
        "another one gone.",
        "engineering default", is_advice=True,
    ),
    Remedy(
        "no-dropout", {ANY: ("disable_dropout",)}, set_to(True),
        "With dropout on, the same weights give other probabilities each time.",
        "TRL GRPOConfig: disable_dropout",
    ),
    Remedy(
        "same-reference", WORDS, by_hand,
        "Load policy and reference from the same weights in the same precision, the adapter off in the reference.",
        "TRL trainers: policy and reference start from the same weights", is_advice=True,
    ),
    Remedy(
        "checked-logging", WORDS, by_hand,
        "Compare how the three are computed: the RLHF reward is the score plus the penalty, which is minus its weight "
        "times the KL.",
        "TRL, ppo_trainer.py", is_advice=True,
    ),
    Remedy(
        "later-release", WORDS, by_hand,
        "Use TRL 1.10 or later, or read policy/entropy_avg in place of objective/entropy.", "TRL pull request 6121",
        is_advice=True,
    ),
    Remedy(
        "checked-tools", {"grpo": ("tools", "environment")}, by_hand,
        "Call the tools by hand with what the samples send them: if they fail, it is the environment.",
        "TRL GRPO page: tools/failure_frequency",
    ),
)  # fmt: skip
