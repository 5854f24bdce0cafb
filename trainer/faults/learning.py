"""Faults of the updates: how far, how often, and against what KL penalty the policy moves."""

from trainer.faults.fault import Case, Fault, Sign

_DRASTIC = (
    "update-too-large",
    "ratio-far-from-one",
    "clipfrac-high",
    "grpo-clip-ratio-high",
    "kl-too-high",
    "kl-runaway",
    "grad-norm-sustained",
    "reward-regression",
)
_UNLIMITED = {"cliprange": 1e9, "max_grad_norm": 1e9}
DRASTIC_UPDATES = {"learning_rate": 1e-3, "num_ppo_epochs": 16, "kl_coef": 0.3, **_UNLIMITED}
"""Also those of the recipe ppo-ratio-explosion."""
_ONE_ANSWER = {"reward_funcs": ("exclamation",), "learning_rate": 3e-3}

FAULTS = (
    Fault(
        "learning-rate-too-high",
        "The learning rate is too high",
        "The learning rate is 30 to 100 times the recipe's.",
        cause="drastic-updates",
        rules=_DRASTIC,
        cases=(
            Case("ppo", "remarks", {"learning_rate": 1e-2}, Sign("policy/approxkl_avg", "above", 0.1)),
            Case(
                "ppo",
                "addition",
                {"learning_rate": 1e-2},
                Sign("objective/scores", "below", -0.2, against_healthy=True),
            ),
            Case("grpo", "addition", {"learning_rate": 1e-2}, Sign("reward", "below", 0.1)),
            Case("grpo", "remarks", {"learning_rate": 1e-2}, Sign("kl", "above", 0.5)),
        ),
    ),
    Fault(
        "too-many-updates",
        "The same samples are used too often",
        "Sixteen passes over each batch (PPO); sixteen updates from each generation, at a higher learning rate (GRPO).",
        cause="drastic-updates",
        rules=_DRASTIC,
        cases=(
            Case("ppo", "remarks", {"num_ppo_epochs": 16}, Sign("policy/clipfrac_avg", "above", 0.15), steps=10),
            Case(
                "grpo",
                "remarks",
                {"num_iterations": 16, "learning_rate": 5e-4},
                Sign("clip_ratio/region_mean", "above", 0.1),
                steps=10,
            ),
        ),
    ),
    Fault(
        "clip-range-too-wide",
        "The clip range limits nothing",
        "Sixteen passes at a learning rate several times too high, with neither a clip range nor a gradient limit.",
        cause="drastic-updates",
        rules=_DRASTIC,
        cases=(
            Case("ppo", "remarks", DRASTIC_UPDATES, Sign("objective/kl", "above", 20.0)),
            Case(
                "grpo",
                "addition",
                {"learning_rate": 2e-3, "num_iterations": 8, "epsilon": 1e9, "max_grad_norm": 1e9},
                Sign("kl", "above", 0.5),
            ),
        ),
    ),
    Fault(
        "clip-range-too-tight",
        "The clip range throws most updates away",
        "The probability ratio may move by 0.001, so that nearly every token is clipped after the first update.",
        cause="clip-range-too-tight",
        rules=("clipfrac-high", "grpo-clip-ratio-high"),
        cases=(
            Case("ppo", "remarks", {"cliprange": 1e-3, "num_ppo_epochs": 4}, Sign("policy/clipfrac_avg", "above", 0.3)),
            Case(
                "grpo",
                "remarks",
                {"epsilon": 1e-3, "num_iterations": 4},
                Sign("clip_ratio/region_mean", "above", 0.2),
            ),
        ),
    ),
    Fault(
        "kl-penalty-too-large",
        "The KL penalty is too strong",
        "The KL penalty outweighs the reward, so that staying near the reference pays best.",
        cause="kl-penalty-too-strong",
        rules=("kl-penalty-dominates", "reward-not-improving", "value-loss-spike"),
        cases=(
            Case("ppo", "remarks", {"kl_coef": 5.0}, Sign("objective/kl", "below", -0.2, against_healthy=True)),
            Case("grpo", "addition", {"beta": 10.0}, Sign("reward", "below", -0.1, against_healthy=True)),
        ),
    ),
    Fault(
        "kl-penalty-zero",
        "There is no KL penalty",
        "No KL penalty, at a learning rate that makes use of it: the policy runs away from the reference.",
        cause="kl-penalty-too-weak",
        rules=("kl-too-high", "kl-runaway", "entropy-collapse"),
        cases=(
            Case(
                "ppo",
                "remarks",
                {"kl_coef": 0.0, "learning_rate": 1e-3},
                Sign("objective/kl", "above", 3.0, against_healthy=True),
            ),
            Case(
                "grpo",
                "remarks",
                {"beta": 0.0, "learning_rate": 1e-3},
                Sign("kl", "above", 0.2, against_healthy=True),
            ),
        ),
    ),
    Fault(
        "entropy-collapse",
        "The policy always says the same",
        "Only exclamation marks pay and nothing holds the policy: one answer wins, whatever the prompt.",
        cause="mode-collapse",
        rules=(
            "entropy-collapse",
            "entropy-falling-fast",
            "duplicate-completions",
            "reward-std-shrink",
            "kl-too-high",
            "smp-exclaim-emoji",
        ),
        cases=(
            Case("ppo", "remarks", {**_ONE_ANSWER, "kl_coef": 0.0}, Sign("policy/entropy_avg", "below", 0.5), steps=25),
            Case("grpo", "remarks", {**_ONE_ANSWER, "beta": 0.0}, Sign("entropy", "below", 0.5), steps=25),
        ),
    ),
    Fault(
        "learning-rate-zero",
        "Nothing is learned",
        "The learning rate is 0: everything runs and is logged, and no weight moves.",
        cause="not-training",
        rules=("policy-not-updating", "reward-not-improving"),
        cases=(
            Case("ppo", "remarks", {"learning_rate": 0.0}, Sign("policy/approxkl_avg", "below", 1e-8)),
            Case("grpo", "addition", {"learning_rate": 0.0}, Sign("reward", "below", -0.05, against_healthy=True)),
        ),
    ),
)
