"""`rlvitals preflight`: what the settings of a training alone say, from a configuration file or from a run."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from diagnostics.addresses import shown
from diagnostics.api import UnreadableRun, open_run
from diagnostics.cli.command import (
    BAD_INPUT,
    CommandError,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.keep_list import check_keep_list, write_keep_list
from diagnostics.cli.limits_file import read_limits
from diagnostics.cli.preflight_trials import add_trials, with_trials
from diagnostics.cli.reading import log_path
from diagnostics.configs.config_files import (
    SUFFIXES,
    UnreadableConfigurationError,
    Wishes,
    setup_of_file,
    setup_of_run,
    unread_settings,
)
from diagnostics.language import _
from diagnostics.model.diagnosis import LimitOverrides, UnknownLimitError
from diagnostics.model.outcome import Severity
from diagnostics.model.setup import Setup
from diagnostics.remote.following import bring_run, copied_paths
from diagnostics.report.preflight import Review, reviews_form
from diagnostics.report.report import Problem
from diagnostics.rules import evaluate
from diagnostics.rules.config.grader_figures import grader_figures
from diagnostics.rules.config.pass_rates import pass_rates
from diagnostics.told import reason

_REACHED = 1


def run(words: Sequence[str]) -> int:
    """0 · 1 when something was found at --fail-on or above · 2 when a path could not be read (it wins over 1)."""
    arguments = _parser().parse_args(words)
    if arguments.keep_list:
        check_keep_list(arguments)
    limits = read_limits(arguments.limits) if arguments.limits else {}
    reviews, problems = list[Review](), list[Problem]()
    for path in arguments.paths:
        try:
            reviews.append(_review(path, arguments, limits))
        except (UnreadableConfigurationError, UnreadableRun) as error:
            print_note(f"rlvitals: {reason(error)}")
            problems.append(Problem(shown(path), reason(error)))
    if reviews or arguments.format == "json":
        text = reviews_form(reviews, arguments.format, output_style(arguments.output), problems)
        write_result(text, arguments.output)
    if problems:
        return BAD_INPUT
    if arguments.keep_list:
        write_keep_list(arguments.keep_list, reviews[0].pass_rates)
    fail_on = Severity(arguments.fail_on)
    return _REACHED if any(item.worst is not None and item.worst.rank >= fail_on.rank for item in reviews) else 0


def _review(path: Path, arguments: argparse.Namespace, limits: LimitOverrides) -> Review:
    setup = with_trials(_setup(path, arguments), arguments)
    try:
        outcomes = evaluate(setup, limits)
    except UnknownLimitError as error:
        raise CommandError(f"{arguments.limits}: {reason(error)}") from error
    return Review(
        path=shown(path),
        algorithm=setup.algorithm,
        producer=setup.producer,
        version=".".join(map(str, setup.version or ())),
        settings=len(setup.config),
        unread=unread_settings(setup),
        outcomes=outcomes,
        assumed_newest=setup.assumed_newest,
        graders=grader_figures(setup),
        pass_rates=pass_rates(setup.probe, arguments.pass_at),
        tokenization=setup.tokenization,
    )


def _setup(path: Path, arguments: argparse.Namespace) -> Setup:
    wishes = Wishes(
        algorithm=arguments.algorithm,
        producer=arguments.producer,
        version=arguments.producer_version,
        model=arguments.model,
        device_gib=arguments.device_memory,
    )
    bring_run(path, copied_paths(path))
    if path.is_dir():
        return setup_of_run(open_run(path), wishes)
    return setup_of_file(path, wishes)


def _parser() -> argparse.ArgumentParser:
    arguments = command_parser(
        "preflight",
        _("Say what the settings of a training alone are worth a look for, before it starts or of a run."),
        (
            "rlvitals preflight grpo.toml",
            "rlvitals preflight args.json --producer-version 0.16.1 --model ./my-model",
            "rlvitals preflight grpo.toml --smoke     attacks, times and repeats the reward functions as well",
            "rlvitals preflight grpo.toml --probe     lets the untrained policy answer 32 prompts as well",
            "rlvitals preflight grpo.toml --probe --probe-prompts 500 --keep-list rows.jsonl",
            "rlvitals preflight grpo.toml --tokens    reads the prompts in tokens, and tries the chat template",
            "rlvitals preflight runs/a --format json",
        ),
    )
    arguments.add_argument(
        "paths",
        metavar="CONFIG|RUN",
        nargs="+",
        type=log_path,
        help=_("a configuration ({suffixes}; of TRL: {call}), or a run").format(
            suffixes=", ".join(SUFFIXES), call="json.dump(args.to_dict(), file, default=str)"
        ),
    )
    add_trials(arguments)
    arguments.add_argument("--algorithm", choices=("ppo", "ppo-legacy", "grpo", "rloo"), help=_("where none is named"))
    arguments.add_argument("--producer", help=_("rlvitals, trl, verl or openrlhf, where the names do not tell"))
    arguments.add_argument(
        "--producer-version", metavar="X.Y", help=_("whose defaults count (default: the newest known)")
    )
    arguments.add_argument(
        "--model", metavar="FOLDER", help=_("the model's folder, where the configuration names none")
    )
    arguments.add_argument("--device-memory", metavar="GIB", type=float, help=_("memory of one accelerator"))
    arguments.add_argument(
        "--fail-on",
        choices=[severity.value for severity in Severity],
        default=Severity.CRITICAL.value,
        help=_("exit with 1 when something this bad is found (default: critical)"),
    )
    arguments.add_argument("--limits", metavar="FILE.toml", type=Path, help=_("limits of your own, by check"))
    add_output(arguments)
    return arguments
