"""Held-out prompts, minus any that a run was trained on after all."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.language import _
from diagnostics.told import reason, told
from trainer.config.options import ConfigError
from trainer.data.conversations import prompt_text
from trainer.data.dataset import Row, load_eval_rows, load_rows
from trainer.evaluate.arguments import TrainedRun


@dataclass(frozen=True, slots=True)
class Unseen:
    """Rows to judge on, and how many were left out because their prompts occur in training rows.

    If training rows cannot be read, `is_verified` is False: some of `rows` may have been trained on.
    """

    rows: Sequence[Row]
    left_out: int
    is_verified: bool


def unseen_prompts(run: TrainedRun, *others: TrainedRun) -> Unseen:
    """The held-out rows of a run, minus those whose prompts occur in its training rows or the others'.

    Raises:
        ConfigError: There are none, or they cannot be read.
    """
    rows = load_eval_rows(run.config)
    runs = [run, *others]
    prompts_of_runs = [_trained_on(each) for each in runs]
    trained_on = frozenset[str]().union(*(prompts for prompts in prompts_of_runs if prompts is not None))
    unseen = [row for row in rows if prompt_text(row["prompt"]) not in trained_on]
    if not unseen:
        where = run.config.eval_dataset or run.config.data_name
        folders = " or ".join(str(each.folder) for each in runs)
        raise ConfigError(
            told(
                "no prompt of {where} is held out: all {count} stand in the training rows of {folders}; name a "
                "file of other prompts with --eval_dataset",
                where=where,
                count=len(rows),
                folders=folders,
            )
        )
    return Unseen(unseen, len(rows) - len(unseen), is_verified=None not in prompts_of_runs)


def _trained_on(run: TrainedRun) -> frozenset[str] | None:
    """The prompts of a run's training rows as text; None, with a warning, if they cannot be read."""
    try:
        return frozenset(prompt_text(row["prompt"]) for row in load_rows(run.config))
    except ConfigError as error:
        words = _("whether {run} was trained on these prompts cannot be told: {error}")
        sys.stderr.write(f"rlvitals: {words.format(run=run.folder, error=reason(error))}\n")
        return None
