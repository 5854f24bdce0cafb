"""Generates the sample runs: real trainings of the bundled trainer, each with its expected findings.

    python sample_runs/generate.py [NAME ...]

retrains every sample run (or the named ones) and replaces its folder. A log is never edited: a sick run is made sick by
its configuration or its reward. The contents of `expected.json` are written here by hand, not taken from a diagnosis.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
SMALL = ("--num_completions_to_log", "16", "--save_strategy", "no", "--report_to", "none")


@dataclass(frozen=True, slots=True)
class SampleRun:
    """One sample run: the trainer's recipe and overrides, a description of how it was made, and its expected findings.

    `findings` maps each rule that must fire to its severity; no other rule may fire.
    """

    recipe: str
    made: str
    verdict: str
    findings: dict[str, str]
    changes: tuple[str, ...] = ()


SAMPLE_RUNS = {
    "healthy-ppo": SampleRun(
        recipe="ppo-remarks",
        made="The PPO demo as it is: a tiny model learns to finish film remarks the way a learned reward likes.",
        verdict="healthy",
        findings={},
    ),
    "healthy-grpo": SampleRun(
        recipe="grpo-addition",
        made="The GRPO demo as it is: a tiny model learns to add with a scratchpad.",
        verdict="healthy",
        findings={},
    ),
    "negative-kl": SampleRun(
        recipe="ppo-kl-negative",
        made="min_new_tokens = 12 forbids the end while sampling, missing_eos_penalty = 1 makes the policy want it.",
        verdict="critical",
        findings={
            "kl-negative": "critical",
            "sampling-not-policy": "warning",
            "reward-not-improving": "info",
        },
    ),
    "ratio-far-from-one": SampleRun(
        recipe="ppo-ratio-explosion",
        made="num_ppo_epochs = 16 at learning_rate = 1e-3, with cliprange and max_grad_norm too large to limit it.",
        verdict="critical",
        findings={
            "ratio-far-from-one": "critical",
            "update-too-large": "critical",
            "kl-too-high": "critical",
            "kl-penalty-dominates": "warning",
            "smp-repetition": "critical",  # nothing is left of the language but one word
            "smp-nonlanguage": "warning",
            "smp-template-collapse": "warning",
            "smp-vocabulary-collapse": "warning",
            "smp-truncated": "warning",
            "smp-boilerplate": "info",
            "smp-score-outlier": "info",
        },
    ),
    "value-loss-nan": SampleRun(
        recipe="ppo-value-nan",
        made="One of two reward functions returns NaN from its 41st call on; nothing keeps it from the weights.",
        verdict="critical",
        findings={  # with NaN weights only token 0 is generated
            "nonfinite-metric": "critical",
            "reward-func-constant": "warning",  # the function that later returns NaN returns 0 until then
            "eos-never-generated": "critical",
            "smp-truncated": "warning",
            "smp-empty": "critical",
        },
    ),
    "cut-off": SampleRun(
        recipe="grpo-cut-off",
        made="max_completion_length = 3, where a remark takes seven tokens on average.",
        verdict="critical",
        findings={"truncation-high": "critical"},
    ),
}


def generate(name: str, sample: SampleRun) -> None:
    """Train one sample run into its folder and write its expected findings."""
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    trainer = [sys.executable, "-P", "-m", "trainer.main", "train", "--recipe", sample.recipe, *SMALL, *sample.changes]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([*trainer, "--run_dir", name], check=True, cwd=HERE, env=environment)
    (folder / "expected.json").write_text(json.dumps(asdict(sample), indent=1) + "\n")


def main() -> None:
    """Train the sample runs named on the command line, or all of them."""
    for name in sys.argv[1:] or SAMPLE_RUNS:
        generate(name, SAMPLE_RUNS[name])


if __name__ == "__main__":
    main()
