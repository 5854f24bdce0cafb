"""Win rates of the starting and the trained policy on held-out prompts.

Source: TRL's PPOv2 page, where a judge preferred the starting model's summaries to the reference in 33.0 % of the
cases, and the trained model's in 64.7 %.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.data.dataset import Row
from trainer.evaluate.arguments import DATASET, REFERENCE_MODEL, Request, TrainedRun
from trainer.evaluate.completions import REFERENCE_COLUMNS, answers_of, reference_column, references_in
from trainer.evaluate.contest import Judge, Pair, Tally, judge_pairs
from trainer.evaluate.judges import get_judge
from trainer.evaluate.unseen_prompts import unseen_prompts
from trainer.rollout.models import checkpoint_of

SCHEMA_VERSION = 1
STARTING, TRAINED = "starting", "trained"
LIKELIEST = "the starting policy's likeliest answer"
"""The remarks task's reference answers: its openings come without any."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A name in the table, and one answer per prompt."""

    name: str
    answers: Sequence[str]


def evaluate(request: Request) -> dict[str, Any]:
    """Answer the held-out prompts, have the judge compare the answers, and return the result as plain data.

    Raises:
        ConfigError: There are no prompts that were kept out of training or no reference answers, or the judge cannot
            be asked.
        RewardError: The reward function that judges failed.
    """
    run = request.run
    judge = get_judge(request.judge, request.tolerance, request.endpoint)
    unseen = unseen_prompts(run, *([request.against] if isinstance(request.against, TrainedRun) else []))
    rows = unseen.rows[: request.limit]
    trained = Contestant(TRAINED, _answers_of_run(run, rows, request))
    if request.against == REFERENCE_MODEL:
        reference, contests = None, [(trained, _starting(rows, request))]
    elif isinstance(request.against, TrainedRun):
        other = request.against
        reference, contests = None, [(trained, Contestant(str(other.folder), _answers_of_run(other, rows, request)))]
    else:
        reference, answers = _references(rows, request)
        contests = [(each, Contestant(DATASET, answers)) for each in (_starting(rows, request), trained)]
    return {
        "schema_version": SCHEMA_VERSION,
        "run": str(run.folder),
        "checkpoint": str(run.checkpoint),
        "step": run.step,
        "judge": request.judge,
        "reference": reference,
        "prompts": len(rows),
        "left_out": unseen.left_out,
        "is_verified": unseen.is_verified,
        "temperature": request.temperature,
        "seed": request.seed,
        "results": [_result(*contest, rows, judge) for contest in contests],
    }


def _result(first: Contestant, second: Contestant, rows: Sequence[Row], judge: Judge) -> Mapping[str, Any]:
    pairs = [Pair(row, a, b) for row, a, b in zip(rows, first.answers, second.answers, strict=True)]
    tally: Tally = judge_pairs(judge, pairs)
    return {"policy": first.name, "against": second.name, **tally.to_dict()}


def _answers_of_run(run: TrainedRun, rows: Sequence[Row], request: Request) -> list[str]:
    return answers_of(str(run.checkpoint), run.checkpoint, run.config, rows, request.temperature, request.seed)


def _starting(rows: Sequence[Row], request: Request) -> Contestant:
    config = request.run.config
    start = checkpoint_of(config)
    answers = answers_of("starting policy", start, config, rows, request.temperature, request.seed)
    return Contestant(STARTING, answers)


def _references(rows: Sequence[Row], request: Request) -> tuple[str, list[str]]:
    """The source of the reference answers, and the answers."""
    config = request.run.config
    column = reference_column(rows, request.reference_column)
    if column is not None:
        return f"column {column}", references_in(rows, column)
    if config.dataset is None and config.eval_dataset is None:
        return LIKELIEST, answers_of("reference", checkpoint_of(config), config, rows, temperature=0, seed=request.seed)
    raise ConfigError(
        told(
            "the held-out rows have no reference answers (looked for {names}); name their column with "
            "--reference_column, or compare with --against reference-model",
            names=", ".join(REFERENCE_COLUMNS),
        )
    )
