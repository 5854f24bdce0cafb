"""Conditions that users ask for and no rule judges: each with the reason, and the rules to use instead."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotJudged:
    """One condition: its summary, why no rule judges it, the rules to use instead, and its source."""

    name: str
    summary: str
    reason: str
    instead: tuple[str, ...]
    source: str


NOT_JUDGED: tuple[NotJudged, ...] = (
    NotJudged(
        "entropy-falling-fast",
        "The entropy falls to a fifth of its start within the first 50 steps.",
        "On its own it separates sick runs from healthy ones no better than chance: two of three healthy public runs "
        "end below a fifth of their start. It is a finding only together with a stalled reward, or with groups that "
        "carry no signal.",
        ("entropy-collapse", "stability-metric-collapsed"),
        "Skywork-OR1 (arXiv 2505.22312): premature entropy collapse",
    ),
    NotJudged(
        "value-bias",
        "The mean value is far from the mean return.",
        "Only the old PPOTrainer logs both means, and nobody has published how far is too far. A biased critic "
        "explains little of the returns, clips its updates, or has a growing loss, and rules judge all of these.",
        ("explained-variance-low", "value-clipfrac-high", "value-loss-spike"),
        "VC-PPO (arXiv 2503.01491): value initialisation bias",
    ),
    NotJudged(
        "advantage-mean-off",
        "The mean advantage is not 0 although advantages are whitened.",
        "Only the old PPOTrainer logs it, and only a bug in the trainer can break it: nothing in a training's "
        "configuration would fix it.",
        ("on-policy-identity-violated", "reward-identity-broken"),
        "an identity: whitening makes the mean 0",
    ),
    NotJudged(
        "epochs-repeat-memorise",
        "The policy sees the same few prompts over and over and memorises them.",
        "The number of prompts is rarely logged, and memorisation shows where it does harm: the "
        "training reward keeps rising while the evaluation reward falls.",
        ("train-eval-divergence", "pf-eval-missing"),
        "engineering default; ConvSearch-R1 issue 6",
    ),
    NotJudged(
        "clip-zero-is-normal",
        "Clip ratios and the loss are 0.",
        "With one update per batch the ratio is 1 and the advantages sum to 0, so both are correct. No rule reports "
        "either; pf-on-policy-note says so before a training.",
        ("pf-on-policy-note", "policy-not-updating"),
        "TRL issues 3120, 3452, 3757",
    ),
    NotJudged(
        "rule-blind-spots",
        "Some rules cannot run, because what they need is not logged.",
        "This says nothing about the training: every report lists these rules separately, each with its reason and "
        "what would let it run.",
        (),
        "no source",
    ),
)
"""In the order of the codes they would have."""
