"""`rlvitals gate`: whether runs are worse than a baseline, as an exit code and in the forms that CI shows."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from diagnostics.addresses import shown
from diagnostics.api import diagnose
from diagnostics.cli.command import (
    CommandError,
    add_output,
    command_parser,
    did_you_mean,
    output_style,
    write_message,
    write_result,
)
from diagnostics.cli.reading import add_map, bring_file, log_path, names_of, open_runs
from diagnostics.gate.gate_file import GateError, read_gate
from diagnostics.gate.judging import judge_gate
from diagnostics.gate.proposal import gate_text, propose
from diagnostics.gate.verdict import State
from diagnostics.judge import FINDINGS
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.producers.own_names import OwnNames
from diagnostics.report.gate import gate_form
from diagnostics.report.junit import junit
from diagnostics.report.report import Problem
from diagnostics.report.sarif import sarif

_FAILED = 1
_SUFFIX = ".toml"


def run(words: Sequence[str]) -> int:
    """0 · 1 where a check failed, with --strict also where one is unsure · 2 where the gate could not be judged."""
    given = _parser().parse_args(words)
    names = names_of(given.map)
    try:
        return _write(given, names) if given.write else _judge(given, names)
    except GateError as error:
        raise CommandError(str(error)) from error


def _judge(given: argparse.Namespace, names: OwnNames | None) -> int:
    file, paths = _gate_and_runs(given.paths)
    if not paths:
        raise CommandError(_("name the runs to judge: {command}").format(command="rlvitals gate GATE.toml RUN …"))
    baselines = _read(given.baseline, names)
    if file is None and not baselines:
        raise CommandError(_("a gate needs a GATE.toml, or the runs to compare with: --baseline RUN …"))
    if file:
        bring_file(file)
    gate = read_gate(file) if file else propose(baselines)
    if unknown := sorted(gate.allowed_findings - FINDINGS):
        hint = did_you_mean(unknown[0], FINDINGS) or _("; 'rlvitals rules' and 'causes' list the names")
        sentence = _("[findings] allow: there is no rule or cause called {name}{hint}")
        raise GateError(sentence.format(name=repr(unknown[0]), hint=hint))
    verdict = judge_gate(gate, _read(paths, names), [diagnosis.run for diagnosis in baselines])
    write_result(gate_form(verdict, given.format, output_style(given.output)), given.output)
    if given.junit:
        write_result(junit(verdict), given.junit)
    if given.sarif:
        write_result(sarif(verdict, shown(file) if file else "GATE.toml"), given.sarif)
    if given.summary:
        write_result(gate_form(verdict, "markdown", output_style(given.summary)), given.summary)
    failing = {State.FAILED, State.UNSURE} if given.strict else {State.FAILED}
    return _FAILED if verdict.state in failing else 0


def _write(given: argparse.Namespace, names: OwnNames | None) -> int:
    """Write a gate that the baseline runs meet."""
    if given.paths or not given.baseline:
        raise CommandError(_("--write FILE takes the runs to write it from as --baseline RUN …, and no others"))
    if given.write.exists() and not given.force:
        sentence = _("{file} exists; name another file, or replace it with --force")
        raise CommandError(sentence.format(file=given.write))
    baselines = _read(given.baseline, names)
    gate = propose(baselines)
    write_result(gate_text(gate, [diagnosis.run for diagnosis in baselines]).rstrip("\n"), given.write)
    sentence = _("{file}: {metrics} metrics of {runs} runs")
    if len(baselines) == 1:
        sentence = _(
            "{file}: {metrics} metrics of {runs} runs; with one run no difference will be conclusive: add more seeds"
        )
    message = sentence.format(file=given.write, metrics=len(gate.metrics), runs=len(baselines))
    write_message(message, given.format)
    return 0


def _gate_and_runs(paths: Sequence[Path]) -> tuple[Path | None, Sequence[Path]]:
    """The first path is the gate where it is called like one."""
    is_gate = bool(paths) and paths[0].suffix == _SUFFIX and not paths[0].is_dir()
    return (paths[0], paths[1:]) if is_gate else (None, paths)


def _read(paths: Iterable[Path], names: OwnNames | None) -> list[Diagnosis]:
    """The runs at these paths, diagnosed. Raises CommandError where one cannot be read: half a gate is none."""
    found = list(open_runs(dict.fromkeys(paths), names))
    if problems := [item for item in found if isinstance(item, Problem)]:
        raise CommandError(problems[0].error)
    return [diagnose(item) for item in found if not isinstance(item, Problem)]


def _parser() -> argparse.ArgumentParser:
    arguments = command_parser(
        "gate",
        _(
            "Say whether runs are worse than a baseline: means over a window with intervals over seeds, findings,\n"
            "what must hold at the first step, time and memory. Exit code 0, 1 where a check failed,\n"
            "2 where it cannot be judged."
        ),
        (
            "rlvitals gate --write GATE.toml --baseline runs/base",
            "rlvitals gate GATE.toml runs/candidate --junit gate.xml --sarif gate.sarif --summary gate.md",
            _("rlvitals gate runs/candidate --baseline runs/base      without a file"),
        ),
    )
    arguments.add_argument(
        "paths", metavar="[GATE.toml] RUN", nargs="*", type=log_path, help=_("the gate, and the runs to judge")
    )
    arguments.add_argument(
        "--baseline",
        metavar="RUN",
        nargs="+",
        type=log_path,
        default=[],
        help=_("runs to compare with, or folders of them"),
    )
    arguments.add_argument("--write", metavar="FILE", type=Path, help=_("write a gate that the baseline runs meet"))
    arguments.add_argument("--force", action="store_true", help=_("with --write: replace the file"))
    arguments.add_argument("--strict", action="store_true", help=_("fail where a check is unsure, too"))
    arguments.add_argument("--junit", metavar="FILE", type=Path, help=_("write the checks as JUnit XML as well"))
    arguments.add_argument("--sarif", metavar="FILE", type=Path, help=_("write what failed as SARIF 2.1.0 as well"))
    arguments.add_argument("--summary", metavar="FILE", type=Path, help=_("write a Markdown summary as well"))
    add_map(arguments)
    add_output(arguments)
    return arguments
