"""Faults of the reward: functions that say nothing, the wrong thing, or nothing that is a number."""

from trainer.faults.fault import Case, Fault, Sign

_FLAT = ("reward-func-constant", "reward-not-improving", "zero-variance-groups", "reward-stuck-at-floor")
_LONG = {"learning_rate": 5e-4, "reward_funcs": ("length",)}

FAULTS = (
    Fault(
        "constant-reward",
        "The reward is the same for every answer",
        "A reward function that returns 0 whatever the answer.",
        cause="no-reward-signal",
        rules=_FLAT,
        cases=(
            Case("ppo", "remarks", {"reward_funcs": ("constant",)}, Sign("objective/scores", "below", 1e-9)),
            Case("grpo", "addition", {"reward_funcs": ("constant",)}, Sign("frac_reward_zero_std", "above", 0.99)),
        ),
    ),
    Fault(
        "random-reward",
        "The reward is chance",
        "A reward function that draws a number: a control, where nothing can be learned and nothing is being hacked.",
        cause="no-reward-signal",
        rules=("reward-not-improving",),
        cases=(
            Case("ppo", "remarks", {"reward_funcs": ("random",)}, Sign("objective/scores", "below", 0.55)),
            Case("grpo", "addition", {"reward_funcs": ("random",)}, Sign("reward", "below", 0.55)),
        ),
    ),
    Fault(
        "nan-reward",
        "The reward is not a number",
        "A second reward function that returns NaN; with the next update every weight is NaN.",
        cause="numerical-breakdown",
        rules=("nonfinite-metric", "nonfinite-reward", "eos-never-generated", "truncation-high"),
        cases=(
            Case(
                "ppo",
                "remarks",
                {"reward_funcs": ("remark_positivity", "nan_after:0")},
                Sign("loss/value_avg", "nan"),
            ),
            Case("grpo", "addition", {"reward_funcs": ("addition_accuracy", "nan_after:0")}, Sign("loss", "nan")),
        ),
    ),
    Fault(
        "sign-flipped-reward",
        "The reward has the wrong sign",
        "The task's reward counts negative: the better the answer, the less it earns.",
        cause="wrong-reward-sign",
        rules=("reward-sign-flipped", "reward-regression", "reward-func-stagnant"),
        cases=(
            Case("ppo", "remarks", {"reward_weights": (-1.0,)}, Sign("eval/objective/scores", "below", 0.45)),
            Case(
                "grpo",
                "remarks",
                {"reward_weights": (-1.0,), "learning_rate": 1e-3},
                Sign("rewards/remark_positivity/mean", "below", 0.42),
                steps=30,
            ),
        ),
    ),
    Fault(
        "length-reward",
        "Length pays",
        "The only reward is the length of the answer.",
        cause="length-bias",
        rules=("truncation-high", "length-explosion", "eos-never-generated", "kl-too-high"),
        cases=(
            Case("ppo", "remarks", _LONG, Sign("tokens/responses_len_mean", "above", 11.0)),
            Case(
                "grpo",
                "remarks",
                {**_LONG, "max_completion_length": 12},
                Sign("completions/clipped_ratio", "above", 0.6),
            ),
        ),
    ),
    Fault(
        "brevity-reward",
        "Brevity pays",
        "The only reward is the length of the answer, negative.",
        cause="answers-too-short",
        rules=("length-collapse", "reward-func-stagnant"),
        cases=(
            Case(
                "ppo",
                "remarks",
                {**_LONG, "reward_weights": (-1.0,)},
                Sign("tokens/responses_len_mean", "below", 4.0),
            ),
            Case(
                "grpo",
                "remarks",
                {**_LONG, "reward_weights": (-1.0,)},
                Sign("completions/mean_length", "below", 4.0),
            ),
        ),
    ),
    Fault(
        "exclamation-reward",
        "Exclamation marks pay",
        "A bonus for each exclamation mark beside the task's reward, and no KL penalty: the policy finds the exploit.",
        cause="reward-hacking",
        rules=(
            "smp-exclaim-emoji",
            "kl-too-high",
            "kl-runaway",
            "reward-jump-suspicious",
            "truncation-high",
            "entropy-collapse",
        ),
        cases=(
            Case(
                "ppo",
                "remarks",
                {"reward_funcs": ("remark_positivity", "exclamation"), "kl_coef": 0.0, "learning_rate": 1e-3},
                Sign("objective/scores", "above", 1.0),
            ),
            Case(
                "grpo",
                "remarks",
                {"reward_funcs": ("remark_positivity", "exclamation"), "beta": 0.0, "learning_rate": 3e-3},
                Sign("rewards/exclamation/mean", "above", 1.0),
                steps=30,
            ),
        ),
    ),
    Fault(
        "dead-reward-function",
        "One of two reward functions says nothing",
        "A second reward function that returns 0 whatever the answer; the first still works.",
        cause="dead-reward-function",
        rules=("reward-func-constant",),
        cases=(
            Case(
                "ppo",
                "remarks",
                {"reward_funcs": ("remark_positivity", "constant")},
                Sign("rewards/constant/std", "below", 1e-9),
            ),
            Case(
                "grpo",
                "addition",
                {"reward_funcs": ("addition_accuracy", "constant")},
                Sign("rewards/constant/std", "below", 1e-9),
            ),
        ),
    ),
    Fault(
        "reward-scale",
        "The reward is a hundred times too large",
        "The task's reward counts a hundredfold: the value model cannot follow, and the KL penalty no longer counts.",
        cause="reward-scale",
        rules=("value-loss-spike", "reward-scale-extreme", "value-clipfrac-high", "kl-too-high"),
        cases=(
            Case("ppo", "remarks", {"reward_weights": (100.0,)}, Sign("loss/value_avg", "above", 100.0)),
            Case(
                "grpo",
                "addition",
                {"reward_weights": (100.0,), "scale_rewards": "none"},
                Sign("grad_norm", "above", 5.0),
            ),
        ),
    ),
)
