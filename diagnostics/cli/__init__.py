"""The `rlvitals` command: a table of commands, each in a module that is imported when it is called."""

import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from itertools import pairwise
from pathlib import Path

from diagnostics.addresses import is_address
from diagnostics.cli.command import (
    BAD_INPUT,
    COMMANDS,
    DEFAULT_COMMAND,
    LANG,
    CommandError,
    asked_language,
    print_note,
    write_result,
)
from diagnostics.garbage import collect_rarely
from diagnostics.language import LANGUAGES, N_, _, environment_language, language
from diagnostics.report.strict_json import to_json

_EXAMPLES = {
    "rlvitals": N_("the dashboard over ./runs and the sample runs"),
    "rlvitals diagnose runs/a": N_("the verdict on one run, in the terminal"),
    "rlvitals explain objective/kl": N_("what a metric, a rule or a cause means"),
}
_EXAMPLE = 34  # columns of an example
_INTERRUPTED = 130  # what a shell reports for a command that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Results are on stdout, everything else on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    collect_rarely()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without "→" gets "?" and not a traceback
    try:
        with language(asked_language(words) or environment_language()):
            return _flushed(words)
    except CommandError as error:
        print_note(f"rlvitals: {error}")
        if _asks_for_json(words):
            write_result(to_json({"error": str(error)}))
        return BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has seen enough. Python would flush stdout once more at exit and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether a program reads the answer: it gets a document even where nothing could be done."""
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def _flushed(words: list[str]) -> int:
    """Run a command and send off all that it printed, so that a reader who has left is noticed here."""
    try:
        return _dispatch(words)
    finally:
        sys.stdout.flush()


def _dispatch(words: list[str]) -> int:
    match words:
        case ["-h" | "--help" | "help", *_]:
            write_result(_overview())
            return 0
        case ["--version", *_]:
            write_result(f"rlvitals {metadata.version('rlvitals')}")
            return 0
        case [option, code, name, *rest] if option == LANG and code in LANGUAGES:
            return _dispatch([name, LANG, code, *rest])
        case [name, *rest] if name in COMMANDS:
            return _run(name, rest)
        case [word, *_] if not word.startswith("-") and not is_address(word) and not Path(word).exists():
            raise CommandError(_unknown(word))
    return _run(DEFAULT_COMMAND, words)


def _run(name: str, words: Sequence[str]) -> int:
    code: int = importlib.import_module(COMMANDS[name].module).run(words)
    return code


def _unknown(word: str) -> str:
    nearest = difflib.get_close_matches(word, COMMANDS, n=1)
    hint = _("{command} lists the commands").format(command="'rlvitals --help'")
    if nearest:
        hint = _("did you mean {command}?").format(command=f"'rlvitals {nearest[0]}'")
    return _("{word} is neither a command nor a folder here; {hint}").format(word=repr(word), hint=hint)


def _overview() -> str:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"  rlvitals {command.usage:<{width}}  {_(command.summary)}" for command in COMMANDS.values()]
    return "\n".join(
        [
            _("rlvitals shows what goes wrong in PPO and GRPO training while it happens, and why."),
            "",
            *lines,
            "",
            _("Try:"),
            *(f"  {command:<{_EXAMPLE}}{_(meaning)}" for command, meaning in _EXAMPLES.items()),
            "",
            _("{help} tells more; {version} prints the version.").format(
                help="'rlvitals COMMAND --help'", version="'rlvitals --version'"
            ),
        ]
    )
