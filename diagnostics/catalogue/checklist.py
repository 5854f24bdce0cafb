"""The checklist: what to look at when a training does not learn, in the order in which it costs least."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One item: a question about the run, what to do, and the catalogue's entries that say more."""

    question: str
    text: str
    entries: tuple[str, ...]


SOURCE = "TRL training FAQ; PPOv2 page, debugging tips"
CHECKLIST: tuple[Check, ...] = (
    Check(
        "Does the mean reward rise?",
        "It is what the training maximises. The loss says little in reinforcement learning: it may go up and down "
        "while the policy gets better.",
        ("reward", "rlhf_reward", "reward-not-improving"),
    ),
    Check(
        "Is the KL divergence from the reference between 0 and 10?",
        "Below 0, sampling is not what the policy's probabilities say. Far above, the policy has left the language "
        "of the reference model, and what scores high may no longer be what was meant.",
        ("kl_per_sequence", "kl-negative", "kl-too-high"),
    ),
    Check(
        "Are answers drawn from the whole distribution?",
        "`top_k = 0`, `top_p = 1.0`, `do_sample = True` and no `min_length`: anything else lets tokens through, or "
        "keeps them out, against the probabilities from which the KL is computed.",
        ("kl-negative", "sampling-unlike-policy"),
    ),
    Check(
        "What does the model write?",
        "Read the samples. Answers that are cut off too soon, a bug in the prompt or in the post-processing hardly "
        "show in the curves and are obvious in the text.",
        ("truncated_fraction", "truncation-high", "reward-hacking"),
    ),
    Check(
        "Does the reward tell good answers from bad ones?",
        "Try it on extreme cases: `rlvitals preflight --smoke` does. Look at its spread over the data, and at "
        "whether the prompt alone decides it, which the policy cannot change.",
        ("reward_std", "no-reward-signal", "reward-dominated-by-query"),
    ),
    Check(
        "Does a small run of a known example work?",
        "Start from one that learns, change one thing at a time: the model first, then the data, then the reward. "
        "Use a small model and one reward function until that works.",
        (),
    ),
)
