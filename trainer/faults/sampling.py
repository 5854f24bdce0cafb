"""Faults of the rollout: how answers are drawn, how long they may be, and what ends them."""

from trainer.faults.fault import Case, Fault, Sign

_UNLIKE = (
    "kl-negative",
    "systematic-logprob-shift",
    "kl-nonzero-at-start",
    "sampling-not-policy",
    "ratio-far-from-one",
)
_CUT = ("truncation-high", "eos-never-generated", "reward-stuck-at-floor", "reward-func-constant", "reward-regression")
FORBIDDEN_END = {"learning_rate": 5e-4, "min_new_tokens": 12, "missing_eos_penalty": 1.0, "kl_coef": 0.2}
"""Also those of the recipe ppo-kl-negative."""

FAULTS = (
    Fault(
        "min-new-tokens",
        "The end is forbidden while sampling",
        "The end is forbidden for most of an answer, and an answer without an end pays: the policy makes the end "
        "likelier also where it is never drawn.",
        cause="sampling-unlike-policy",
        rules=_UNLIKE,
        cases=(
            Case("ppo", "remarks", FORBIDDEN_END, Sign("objective/kl", "below", -1.0), steps=33),
            Case("grpo", "remarks", {"min_new_tokens": 12}, Sign("completions/mean_length", "above", 11.9)),
        ),
    ),
    Fault(
        "sampling-too-hot",
        "Answers are drawn at twice the temperature they are scored at",
        "rollout_temperature = 2 while log-probabilities keep 1: the text is noise that the policy did not choose.",
        cause="sampling-unlike-policy",
        rules=_UNLIKE,
        cases=(
            Case(
                "ppo",
                "remarks",
                {"rollout_temperature": 2.0},
                Sign("objective/scores", "below", -0.1, against_healthy=True),
            ),
            Case(
                "grpo", "addition", {"rollout_temperature": 2.0}, Sign("reward", "below", -0.15, against_healthy=True)
            ),
        ),
    ),
    Fault(
        "sampling-too-cold",
        "Answers are drawn almost greedily",
        "temperature 0.2: the completions of a group are alike, and so are their rewards.",
        cause="mode-collapse",
        rules=("zero-variance-groups", "duplicate-completions", "entropy-collapse", "entropy-falling-fast"),
        cases=(
            Case("grpo", "addition", {"temperature": 0.2}, Sign("frac_reward_zero_std", "above", 0.3)),
            Case("ppo", "remarks", {"temperature": 0.2}, Sign("policy/entropy_avg", "below", 0.7)),
        ),
    ),
    Fault(
        "top-k",
        "Only the likeliest tokens are drawn",
        "top_k = 3 while log-probabilities are those of the whole distribution: what is likely becomes likelier.",
        cause="sampling-unlike-policy",
        rules=_UNLIKE,
        cases=(
            Case("ppo", "remarks", {"top_k": 3}, Sign("objective/entropy", "below", -5.0, against_healthy=True)),
            Case("grpo", "remarks", {"top_k": 3}, Sign("kl", "above", 0.05, against_healthy=True), steps=40),
        ),
    ),
    Fault(
        "completion-limit-too-short",
        "Answers are cut off",
        "The length limit is below what an answer needs.",
        cause="completion-limit-too-short",
        rules=_CUT,
        cases=(
            Case("ppo", "remarks", {"response_length": 3}, Sign("val/num_eos_tokens", "below", 16.0)),
            Case("grpo", "remarks", {"max_completion_length": 3}, Sign("completions/clipped_ratio", "above", 0.7)),
            Case("grpo", "addition", {"max_completion_length": 3}, Sign("completions/clipped_ratio", "above", 0.5)),
        ),
    ),
    Fault(
        "wrong-stop-token",
        "Generation waits for another token than the model's end",
        "stop_token_id is an id that the model does not write at the end: answers run on past their end to the limit.",
        cause="wrong-stop-token",
        rules=("eos-id-mismatch", "eos-never-generated", "truncation-high", "length-explosion"),
        cases=(
            Case("ppo", "remarks", {"stop_token_id": 2}, Sign("tokens/responses_len_mean", "above", 13.0)),
            Case("grpo", "addition", {"stop_token_id": 2}, Sign("completions/clipped_ratio", "above", 0.9)),
        ),
    ),
    Fault(
        "never-stops",
        "No answer ends",
        "The end is forbidden up to the very limit (GRPO), or taken as any other token (PPO: stop_token = none).",
        cause="never-learned-to-stop",
        rules=("eos-never-generated", "truncation-high", "length-explosion"),
        cases=(
            Case("ppo", "remarks", {"stop_token": None}, Sign("tokens/responses_len_min", "above", 13.9)),
            Case("grpo", "addition", {"min_new_tokens": 26}, Sign("completions/clipped_ratio", "above", 0.9)),
        ),
    ),
)
