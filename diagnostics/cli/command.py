"""What every command shares: the table of commands, exit codes, the argument parser and output."""

import argparse
import difflib
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from diagnostics.argument_parser import ArgumentParser
from diagnostics.language import ENGLISH, LANGUAGES, N_, _, set_language
from diagnostics.report.strict_json import SCHEMA_VERSION, encoded_line
from diagnostics.report.terminal import PIPE_WIDTH, Style, printable
from diagnostics.visible_text import one_line

BAD_INPUT = 2
LANG = "--lang"
FORMATS = ("text", "json", "markdown")


class CommandError(Exception):
    """A command cannot do what was asked; the message is one sentence that says what to change."""


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the command table; `module` has `run(words) -> exit code` and is imported when called."""

    module: str
    usage: str
    summary: str


COMMANDS = {
    "ui": Command("diagnostics.cli.ui", "[ui] [PATH ...]", N_("open the dashboard over these folders")),
    "train": Command("diagnostics.cli.train", "train ppo|grpo|rloo [...]", N_("train, with everything logged")),
    "evaluate": Command(
        "diagnostics.cli.evaluate", "evaluate RUN", N_("win rates of a trained policy on held-out prompts")
    ),
    "stop": Command("diagnostics.cli.stop", "stop RUN", N_("checkpoint, then end, a training")),
    "queue": Command(
        "diagnostics.cli.queue", "queue [COMMAND]", N_("the trainings that wait, run and ran on this machine")
    ),
    "recipes": Command(
        "diagnostics.cli.recipes", "recipes", N_("list the launch recipes: your own scripts, with bounded parameters")
    ),
    "runs": Command("diagnostics.cli.runs", "runs PATH ...", N_("list every run below these paths")),
    "diagnose": Command(
        "diagnostics.cli.diagnose", "diagnose PATH ...", N_("say what is wrong with runs, and what to try")
    ),
    "status": Command(
        "diagnostics.cli.status",
        "status PATH ...",
        N_("healthy, degraded or down: a block of lines for a log or a chat"),
    ),
    "compare": Command("diagnostics.cli.compare", "compare A B [C ...]", N_("compare runs with the first of them")),
    "gate": Command(
        "diagnostics.cli.gate", "gate [GATE.toml] RUN ...", N_("fail where runs are worse than a baseline, for CI")
    ),
    "watch": Command("diagnostics.cli.watch", "watch PATH ...", N_("watch runs without a browser: alerts, stops")),
    "preflight": Command(
        "diagnostics.cli.preflight", "preflight CONFIG|RUN", N_("say what the settings alone are worth a look for")
    ),
    "import": Command(
        "diagnostics.cli.fetch",
        "import wandb://... --to DIR",
        N_("fetch a run from the W&B cloud into a folder"),
    ),
    "export": Command("diagnostics.cli.export", "export PATH", N_("write the series, samples or a chart of a run")),
    "mute": Command(
        "diagnostics.cli.mute", "mute FINDING [PATH]", N_("do not tell of a finding again, with the reason")
    ),
    "explain": Command(
        "diagnostics.cli.explain", "explain NAME", N_("explain a rule, a cause or a metric, with its source")
    ),
    "rules": Command("diagnostics.cli.rules", "rules", N_("list the rules")),
    "metrics": Command("diagnostics.cli.metrics", "metrics", N_("list the metrics")),
    "causes": Command("diagnostics.cli.causes", "causes", N_("list the causes that rules point to")),
    "formats": Command(
        "diagnostics.cli.formats", "formats", N_("list the file formats and producers that are understood")
    ),
    "mcp": Command(
        "diagnostics.cli.mcp", "mcp [PATH ...]", N_("serve the Model Context Protocol over stdio, for programs")
    ),
    "skill": Command(
        "diagnostics.cli.skill", "skill --to DIR", N_("install the text that teaches an assistant to use this")
    ),
    "schema": Command("diagnostics.cli.schema", "schema [NAME]", N_("the JSON Schema of what a command prints")),
}
DEFAULT_COMMAND = "ui"


class Parser(ArgumentParser):
    """A parser with errors in the command's own form, in the language that was asked for; JSON follows --lang alone."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        given, rest = super().parse_known_args(args, namespace)
        if getattr(given, "format", None) == "json" and getattr(given, "lang", None) is None:
            set_language(ENGLISH)
        return given, rest

    def error(self, message: str) -> NoReturn:
        unknown = re.match(re.escape(_("unrecognized arguments: %s")).replace("%s", r"(\S+)"), message)
        hint = did_you_mean(unknown[1], self._option_string_actions) if unknown else ""
        raise CommandError(
            _("{problem}; see {command}").format(problem=message + hint, command=f"'{self.prog} --help'")
        )


def command_parser(name: str, description: str, examples: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of one command: a description in plain words and examples."""
    arguments = Parser(
        prog=f"rlvitals {name}",
        description=description,
        epilog="\n".join([_("examples:"), *(f"  {example}" for example in examples)]) if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    # `main` has set it by now: help and errors are in it too.
    arguments.add_argument(LANG, choices=tuple(LANGUAGES), help=_("the language (default: that of the environment)"))
    return arguments


def asked_language(words: Sequence[str]) -> str | None:
    """The language after --lang; None where it is not asked for, or there is none such, which the parser says."""
    for word, following in pairwise([*words, ""]):
        if word == "--":
            return None
        code = following if word == LANG else word.removeprefix(f"{LANG}=")
        if word.startswith(LANG) and code in LANGUAGES:
            return code
    return None


def without_language(words: Sequence[str]) -> list[str]:
    """The words without --lang, for a program that does not know it."""
    code = asked_language(words)
    if code is None:
        return list(words)
    if f"{LANG}={code}" in words:
        return [word for word in words if word != f"{LANG}={code}"]
    place = list(words).index(LANG)
    return [*words[:place], *words[place + 2 :]]


def add_output(arguments: argparse.ArgumentParser, formats: Iterable[str] = FORMATS, default: str = "text") -> None:
    """The options of every command that prints."""
    arguments.add_argument(
        "--format",
        choices=tuple(formats),
        default=default,
        help=_("form of the output (default: {form})").format(form=default),
    )
    arguments.add_argument("--output", metavar="FILE", type=Path, help=_("write to this file instead of the terminal"))


def add_message_format(arguments: argparse.ArgumentParser) -> None:
    """The option of a command that does something and says so in a sentence."""
    arguments.add_argument("--format", choices=("text", "json"), default="text", help=_("form of the answer"))


def write_message(text: str, form: str) -> None:
    """Print the sentence that tells what was done, or the same as one line of JSON."""
    write_result(encoded_line({"schema_version": SCHEMA_VERSION, "message": text}) if form == "json" else text)


def write_result(text: str, output: Path | None = None) -> None:
    """Print a result, or write it to the file that was asked for, without a control character but line ends and tabs.

    What is meant to be a line was made one where it was put together: here a line end could be anybody's.

    Raises CommandError when the file cannot be written.
    """
    shown = printable(text) + "\n"
    if output is None:
        sys.stdout.write(shown)
        return
    try:
        output.write_text(shown, encoding="utf-8")
    except OSError as error:
        sentence = _("cannot write {file}: {error}; name a file in a folder that exists")
        raise CommandError(sentence.format(file=output, error=error.strerror)) from error


def print_note(text: str) -> None:
    """Print a line to stderr: progress, a warning, a path that could not be read."""
    sys.stderr.write(one_line(text) + "\n")


def output_style(output: Path | None) -> Style:
    """As wide as the terminal and coloured on one; neither into a file or a pipe, nor where NO_COLOR is set."""
    if output is not None or not sys.stdout.isatty():
        return Style()
    width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
    return Style(width=min(width, 140), colour="NO_COLOR" not in os.environ)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: a question where a known name is near, else nothing."""
    nearest = difflib.get_close_matches(name, list(known), n=1)
    return _("; did you mean {name}?").format(name=repr(nearest[0])) if nearest else ""
