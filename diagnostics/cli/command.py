"""What every command shares: the table of commands, exit codes, the argument parser and output."""

import argparse
import difflib
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from diagnostics.report.terminal import PIPE_WIDTH, Style, printable
from diagnostics.visible_text import one_line

BAD_INPUT = 2
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
    "ui": Command("diagnostics.cli.ui", "[ui] [PATH ...]", "open the dashboard over these folders"),
    "train": Command("diagnostics.cli.train", "train ppo|grpo|rloo [...]", "train, with everything logged"),
    "evaluate": Command(
        "diagnostics.cli.evaluate", "evaluate RUN", "win rates of a trained policy on held-out prompts"
    ),
    "stop": Command("diagnostics.cli.stop", "stop RUN", "checkpoint, then end, a training"),
    "runs": Command("diagnostics.cli.runs", "runs PATH ...", "list every run below these paths"),
    "diagnose": Command(
        "diagnostics.cli.diagnose", "diagnose PATH ...", "say what is wrong with runs, and what to try"
    ),
    "watch": Command("diagnostics.cli.watch", "watch PATH ...", "watch runs without a browser: alerts, stops"),
    "compare": Command("diagnostics.cli.compare", "compare A B [C ...]", "compare runs with the first of them"),
    "preflight": Command(
        "diagnostics.cli.preflight", "preflight CONFIG|RUN", "say what the settings alone are worth a look for"
    ),
    "import": Command(
        "diagnostics.cli.fetch",
        "import wandb://... --to DIR",
        "fetch a run from the W&B cloud into a folder",
    ),
    "export": Command("diagnostics.cli.export", "export PATH", "write the raw series of a run"),
    "mute": Command("diagnostics.cli.mute", "mute FINDING [PATH]", "do not tell of a finding again, with the reason"),
    "explain": Command(
        "diagnostics.cli.explain", "explain NAME", "explain a rule, a cause or a metric, with its source"
    ),
    "rules": Command("diagnostics.cli.rules", "rules", "list the rules"),
    "metrics": Command("diagnostics.cli.metrics", "metrics", "list the metrics"),
    "causes": Command("diagnostics.cli.causes", "causes", "list the causes that rules point to"),
    "formats": Command("diagnostics.cli.formats", "formats", "list the file formats and producers that are understood"),
}
DEFAULT_COMMAND = "ui"


class Parser(argparse.ArgumentParser):
    """argparse with errors in the command's own form."""

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        hint = did_you_mean(unknown[1], self._option_string_actions) if unknown else ""
        raise CommandError(f"{message}{hint}; see '{self.prog} --help'")


def command_parser(name: str, description: str, examples: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of one command: a description in plain words and examples."""
    return Parser(
        prog=f"rlvitals {name}",
        description=description,
        epilog="\n".join(["examples:", *(f"  {example}" for example in examples)]) if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_output(arguments: argparse.ArgumentParser, formats: Iterable[str] = FORMATS, default: str = "text") -> None:
    """The options of every command that prints."""
    arguments.add_argument(
        "--format", choices=tuple(formats), default=default, help=f"form of the output (default: {default})"
    )
    arguments.add_argument("--output", metavar="FILE", type=Path, help="write to this file instead of the terminal")


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
        raise CommandError(f"cannot write {output}: {error.strerror}; name a file in a folder that exists") from error


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
    return f"; did you mean {nearest[0]!r}?" if nearest else ""
