"""`rlvitals preflight --smoke`, `--probe` and `--tokens`: what a training is made of, tried before it starts."""

import argparse
from dataclasses import replace
from pathlib import Path

from diagnostics.cli.command import CommandError
from diagnostics.cli.packages import check_not_hidden
from diagnostics.configs.dry_run import PROBE_SECONDS, PROMPTS, probe_policy, try_rewards, try_tokenizer
from diagnostics.configs.trainer_process import TrialError
from diagnostics.language import _
from diagnostics.model.setup import Setup
from diagnostics.told import reason


def add_trials(arguments: argparse.ArgumentParser) -> None:
    """The options that try something, in a process of the trainer."""
    arguments.add_argument(
        "--smoke",
        action="store_true",
        help=_(
            "try the reward functions in a process of the trainer: what they pay for, how long they take, whether "
            "they repeat themselves"
        ),
    )
    arguments.add_argument(
        "--probe",
        action="store_true",
        help=_(
            "let the untrained policy answer prompts as well: how long its answers are, and how many of a group pass"
        ),
    )
    arguments.add_argument(
        "--probe-prompts",
        metavar="N",
        type=_count,
        default=PROMPTS,
        help=_("prompts to answer (default: {count})").format(count=PROMPTS),
    )
    arguments.add_argument(
        "--probe-generations",
        metavar="G",
        type=_count,
        help=_("answers to each prompt (default: num_generations, or 1)"),
    )
    arguments.add_argument(
        "--probe-seconds",
        metavar="S",
        type=_count,
        default=int(PROBE_SECONDS),
        help=_("give the probe up after this long (default: {seconds})").format(seconds=f"{PROBE_SECONDS:.0f}"),
    )
    arguments.add_argument(
        "--pass-at",
        metavar="REWARD",
        type=float,
        help=_("the reward from which an answer passes (default: midway between the lowest and the highest drawn)"),
    )
    arguments.add_argument(
        "--keep-list",
        metavar="FILE.jsonl",
        type=Path,
        help=_("with --probe: write the rows whose pass rate is 20 to 80 %% to this file, which `dataset` can name"),
    )
    arguments.add_argument(
        "--tokens",
        action="store_true",
        help=_(
            "read the first prompts in tokens, and try whether the chat template only appends as a conversation grows"
        ),
    )
    arguments.add_argument(
        "--trust",
        action="store_true",
        help=_(
            "with --smoke, --probe or --tokens: run the code that the configuration names, and remember its content "
            "as trusted"
        ),
    )


def with_trials(setup: Setup, arguments: argparse.Namespace) -> Setup:
    """The setup with what was found by the trials that were asked for."""
    if arguments.smoke:
        setup = _with_reward_trials(setup, arguments.trust)
    if arguments.probe:
        setup = _with_probe(setup, arguments)
    return _with_tokenization(setup, arguments) if arguments.tokens else setup


def _with_reward_trials(setup: Setup, trust: bool) -> Setup:
    """The setup with what its reward functions answered."""
    if not setup.is_ours:
        raise CommandError(
            _(
                "--smoke tries reward functions by their names in a configuration of rlvitals, "
                "and this one is of {producer}; name them in a TOML file: reward_funcs = ['path/to/file.py:function']"
            ).format(producer=setup.producer)
        )
    check_not_hidden("trainer")
    try:
        return replace(setup, trials=try_rewards(setup.algorithm, setup.config, trust=trust))
    except TrialError as error:
        raise CommandError(reason(error)) from error


def _with_probe(setup: Setup, arguments: argparse.Namespace) -> Setup:
    """The setup with how its untrained policy answers: how long, and in groups how well."""
    if not setup.is_ours:
        raise CommandError(
            _(
                "--probe asks the policy that a configuration of rlvitals names, and this one "
                "is of {producer}; name model and data in a TOML file: model_name_or_path = "
                "'path/to/model', dataset = 'path/to/rows.jsonl'"
            ).format(producer=setup.producer)
        )
    check_not_hidden("trainer")
    generations = arguments.probe_generations or int(setup.number("num_generations") or 1)
    try:
        probe = probe_policy(
            setup.algorithm,
            setup.config,
            arguments.probe_seconds,
            trust=arguments.trust,
            prompts=arguments.probe_prompts,
            generations=generations,
        )
    except TrialError as error:
        raise CommandError(reason(error)) from error
    return replace(setup, probe=probe)


def _with_tokenization(setup: Setup, arguments: argparse.Namespace) -> Setup:
    """The setup with what its tokenizer makes of prompts; another program's prompts are not read."""
    model = arguments.model or (None if setup.is_ours else setup.settings.value("model"))
    if not setup.is_ours and not model:
        raise CommandError(
            _(
                "--tokens tries the tokenizer of a model, and this configuration names none; name its "
                "folder: --model FOLDER"
            )
        )
    check_not_hidden("trainer")
    config = {**(setup.config if setup.is_ours else {}), **({"model_name_or_path": str(model)} if model else {})}
    algorithm, prompts = (setup.algorithm, PROMPTS) if setup.is_ours else ("grpo", 0)
    try:
        return replace(setup, tokenization=try_tokenizer(algorithm, config, trust=arguments.trust, prompts=prompts))
    except TrialError as error:
        raise CommandError(reason(error)) from error


def _count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(_("{text} is not a whole number from 1 on").format(text=repr(text)))
    return int(text)
