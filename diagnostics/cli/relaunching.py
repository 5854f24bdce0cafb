"""A run trained again: what `train --from RUN` changes, and what its diagnosis suggests where that is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.addresses import address_of, shown
from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.cli.command import CommandError, Parser, print_note
from diagnostics.cli.reading import bring_file, log_path
from diagnostics.language import _
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.punctuation import clauses
from diagnostics.told import reason
from diagnostics.wording.findings import fix_line
from diagnostics.wording.messages import message_text

APPLY, TRY_EACH = "--apply-fixes", "--try-each"
_OURS = "rlvitals"  # the producer of runs of the bundled trainer


@dataclass(frozen=True, slots=True)
class Relaunch:
    """A run and how it is changed; what was typed wins over a fix."""

    run: Run
    fixes: Sequence[Fix]
    algorithm: Sequence[str]
    fields: Sequence[str]
    """What was typed: --name value."""

    @classmethod
    def read(cls, parent: Path, words: Sequence[str], *, has_fixes: bool) -> "Relaunch":
        """The relaunch that the other words of a command describe. Raises CommandError."""
        run = _opened(parent)
        fixes = _fixes(run) if has_fixes else []
        algorithm, fields = (words[:1], words[1:]) if words and not words[0].startswith("-") else ((), words)
        return cls(run, fixes, algorithm, fields)

    @property
    def is_ours(self) -> bool:
        """Whether the bundled trainer trained the run; else a launch recipe may know how it is started."""
        return self.run.producer == _OURS

    def words(self) -> list[str]:
        """The arguments of the bundled trainer's `train`."""
        fixes = [word for fix in self.fixes for word in (f"--{fix.parameter}", _option_text(fix.suggested))]
        return [*self.algorithm, "--from", str(self.run.path), *fixes, *self.fields]

    def variant(self) -> dict[str, str]:
        """Every change at once. Raises CommandError where what was typed is no option."""
        return {**{fix.parameter: _option_text(fix.suggested) for fix in self.fixes}, **_typed(self.fields)}

    def variant_of_each_fix(self) -> list[dict[str, str]]:
        """Each fix alone, with what was typed. Raises CommandError."""
        return [{fix.parameter: _option_text(fix.suggested), **_typed(self.fields)} for fix in self.fixes]


def with_parent_here(words: Sequence[str]) -> Sequence[str]:
    """The words of `train`, where the parent is named by an address with the path of its copy. Raises CommandError."""
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=log_path)
    own, rest = arguments.parse_known_args(words)
    if own.parent is None or not address_of(own.parent):
        return words
    bring_file(own.parent)
    return [*rest, "--from", str(own.parent)]


def _typed(fields: Sequence[str]) -> dict[str, str]:
    """The --name value pairs that were typed."""
    pairs: dict[str, list[str]] = {}
    name = ""
    for word in fields:
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
            pairs[name] = [value] if sign else []
        elif name:
            pairs[name].append(word)
        else:
            raise CommandError(_("{word} is unexpected; options are written --name value").format(word=repr(word)))
    return {name: ",".join(values) or "true" for name, values in pairs.items()}


def _opened(parent: Path) -> Run:
    try:
        return open_run(parent)
    except UnreadableRun as error:
        raise CommandError(reason(error)) from error


def _fixes(run: Run) -> list[Fix]:
    for cause in diagnose(run).causes:
        if fixes := _applicable(cause):
            sentence = _("{run}: {cause} Relaunching with {fixes}")
            changes = clauses(map(fix_line, fixes))
            print_note(sentence.format(run=shown(run.path), cause=message_text(cause.summary), fixes=changes))
            return fixes
    sentence = _("{run} shows no cause whose fix is a setting; give the changes yourself as --FIELD VALUE")
    raise CommandError(sentence.format(run=shown(run.path)))


def _applicable(cause: Cause) -> list[Fix]:
    return [fix for fix in cause.fixes if fix.suggested is not None]


def _option_text(value: Any) -> str:
    """A value as the trainer's command line takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_option_text, value)) if isinstance(value, list | tuple) else str(value)
