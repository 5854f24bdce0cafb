"""Parses the arguments of `rlvitals evaluate` into a checked request. Imports no torch."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from diagnostics.argument_parser import ArgumentParser
from diagnostics.language import _
from diagnostics.runlog import CHECKPOINTS_FOLDER
from diagnostics.told import said, told
from trainer.config.algorithms import make_config
from trainer.config.local_or_hub import DATASET_SUFFIXES, absolute_path, check_dataset
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.evaluate.endpoint import QUESTION, Endpoint
from trainer.launch.consent import Consent
from trainer.launch.recorded_run import RecordedRun, check_is_here

DATASET, REFERENCE_MODEL = "dataset", "reference-model"
JUDGES = told(
    "reward:NAME or reward:path/to/file.py:function (a reward function, as in training), reward_model:FOLDER, "
    "openai:MODEL or path/to/file.py:function (a function of prompt, a and b)"
)
"""How a judge is named."""
_STEP = "step-"


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """A run whose policy can be loaded: its configuration, and a checkpoint's folder and step."""

    folder: Path
    config: TrainConfig
    checkpoint: Path
    step: int | None


@dataclass(frozen=True, slots=True)
class Request:
    """A checked evaluation request; `against` is "dataset", "reference-model" or another run."""

    run: TrainedRun
    judge: str
    against: str | TrainedRun
    endpoint: Endpoint
    temperature: float
    seed: int
    limit: int | None
    tolerance: float
    reference_column: str | None
    consent: Consent
    """Whether code that the run names may run although it is not trusted yet."""


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(told("{message}; see 'rlvitals evaluate --help'", message=message))


def read_request(words: Sequence[str]) -> Request:
    """The evaluation that the words after `evaluate` describe.

    Raises:
        ConfigError: The words do not describe one, a run holds no checkpoint, or there is no such dataset.
    """
    given = evaluate_parser().parse_args(words)
    if given.limit is not None and given.limit < 1:
        raise ConfigError(told("--limit must be at least 1, but is {limit}", limit=given.limit))
    if given.temperature < 0:
        raise ConfigError(
            told("--temperature must be at least 0, but is {temperature:g}", temperature=given.temperature)
        )
    against = given.against
    run = trained_run(given.run, given.checkpoint)
    return Request(
        run=run if given.eval_dataset is None else _asked_with(run, given.eval_dataset),
        judge=given.judge,
        against=against if against in (DATASET, REFERENCE_MODEL) else trained_run(Path(against)),
        endpoint=Endpoint(
            given.base_url, os.environ.get("OPENAI_API_KEY"), given.question, given.at_once, given.timeout
        ),
        temperature=given.temperature,
        seed=given.seed,
        limit=given.limit,
        tolerance=given.tolerance,
        reference_column=given.reference_column,
        consent=Consent.GIVEN if given.trust else Consent.ASK,
    )


def trained_run(folder: Path, checkpoint: str | None = None) -> TrainedRun:
    """A run with its newest checkpoint, or the one given by step or folder.

    Raises:
        ConfigError: The folder holds no rlvitals run, or no such checkpoint.
    """
    check_is_here(folder)
    recorded = RecordedRun.read(folder, told("give a run's folder"))
    chosen = _checkpoint(folder, checkpoint)
    return TrainedRun(folder, make_config(recorded.algorithm, recorded.options), chosen, _step_of(chosen))


def _asked_with(run: TrainedRun, eval_dataset: str) -> TrainedRun:
    """The run with these rows as its held-out rows."""
    check_dataset(eval_dataset, "eval_dataset")
    return replace(run, config=replace(run.config, eval_dataset=absolute_path(eval_dataset, DATASET_SUFFIXES)))


def evaluate_parser() -> argparse.ArgumentParser:
    """The parser of `rlvitals evaluate`; the command itself handles --format and --output."""
    arguments = _Parser(
        prog="rlvitals evaluate",
        description=_("Win rates of the starting and of the trained policy on prompts kept out of training."),
        epilog=_("--format text|json|markdown and --output FILE as everywhere.") + f"\n\n{_('examples:')}\n"
        "  rlvitals evaluate runs/a --judge reward:addition_accuracy\n"
        "  rlvitals evaluate runs/a --judge reward:my_rewards.py:vowels --eval_dataset held.jsonl --against "
        "reference-model\n"
        "  rlvitals evaluate runs/a --judge openai:MODEL --base_url http://127.0.0.1:8000/v1 --limit 200\n"
        "  rlvitals evaluate runs/a --against runs/b --judge judge.py:better --temperature 0",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    arguments.add_argument("run", metavar="RUN", type=Path, help=_("the run's folder"))
    arguments.add_argument("--judge", required=True, help=said(JUDGES))
    arguments.add_argument(
        "--against",
        default=DATASET,
        metavar="dataset|reference-model|RUN",
        help=_(
            "what answers are compared with: the dataset's reference answers (default; both policies are), those of "
            "the model that training started from, or those of another run"
        ),
    )
    arguments.add_argument(
        "--eval_dataset",
        metavar="FILE",
        help=_(
            "prompts to judge on, in any form of a training's eval_dataset; those that the run was trained on are "
            "left out (default: what the run kept out of training)"
        ),
    )
    arguments.add_argument(
        "--checkpoint", metavar="STEP|FOLDER", help=_("the checkpoint to judge (default: the newest)")
    )
    arguments.add_argument(
        "--temperature",
        type=float,
        default=1.0,
        help=_("of both policies' sampling; 0: the likeliest token (default: 1)"),
    )
    arguments.add_argument("--seed", type=int, default=0, help=_("seed of sampling (default: 0)"))
    arguments.add_argument(
        "--limit", type=int, metavar="N", help=_("judge the first N held-out prompts (default: all)")
    )
    arguments.add_argument(
        "--reference_column",
        metavar="NAME",
        help=_("column of the reference answers (default: the first of the usual)"),
    )
    arguments.add_argument(
        "--tolerance", type=float, default=1e-6, help=_("rewards that differ by no more are a tie (default: 1e-6)")
    )
    arguments.add_argument(
        "--trust", action="store_true", help=_("run code that the run names, and remember its content as trusted")
    )
    _add_endpoint(arguments)
    return arguments


def _add_endpoint(arguments: argparse.ArgumentParser) -> None:
    endpoint = arguments.add_argument_group(_("a judge behind an endpoint (its key: OPENAI_API_KEY)"))
    endpoint.add_argument(
        "--base_url",
        default=os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1"),
        help=_("of an OpenAI-compatible endpoint (default: OPENAI_BASE_URL, else http://127.0.0.1:8000/v1)"),
    )
    endpoint.add_argument("--question", default=QUESTION, help=_("what to decide between the two responses"))
    endpoint.add_argument(
        "--at_once", type=int, default=8, metavar="N", help=_("pairs asked at the same time (default: 8)")
    )
    endpoint.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help=_("per reply (default: 60)"))


def _checkpoint(run: Path, named: str | None) -> Path:
    found = {
        step: folder
        for folder in (run / CHECKPOINTS_FOLDER).glob(f"{_STEP}*")
        if (step := _step_of(folder)) is not None
    }
    if named is None:
        if not found:
            raise ConfigError(
                told(
                    "{run} has no checkpoint (looked for {folder}/{step}*)",
                    run=run,
                    folder=run / CHECKPOINTS_FOLDER,
                    step=_STEP,
                )
            )
        return found[max(found)]
    if named.isdigit() and int(named) in found:
        return found[int(named)]
    if (Path(named) / "config.json").is_file() or (Path(named) / "adapter_config.json").is_file():
        return Path(named)
    steps = ", ".join(map(str, sorted(found))) or "none"
    raise ConfigError(
        told(
            "{run} has no checkpoint {named} (its steps with one: {steps}); give a step or a folder",
            run=run,
            named=named,
            steps=steps,
        )
    )


def _step_of(folder: Path) -> int | None:
    number = folder.name.removeprefix(_STEP)
    return int(number) if folder.name.startswith(_STEP) and number.isdigit() else None
