"""Tests that no command passes on what a log or a file's name would tell the terminal, or a spreadsheet, to do."""

import ast
import csv
import io
import json
from pathlib import Path

import pytest

import diagnostics.cli
from diagnostics.cli import main
from diagnostics.cli.command import print_note, write_result
from diagnostics.runlog import RunLog
from tests.hostile_text import COMMANDS, DANGEROUS, EVERYTHING, FORMULAS, LINES

WRITERS = {"stdout.write", "stderr.write", "stdout.writelines", "stderr.writelines", "stdout.buffer", "stderr.buffer"}


@pytest.fixture
def hostile_runs(tmp_path: Path) -> Path:
    """A folder with a hostile run, and a folder with a hostile name that holds nothing."""
    (tmp_path / "runs" / f"none{COMMANDS.replace(chr(0), '')}\u202e\nRUN CLEAN").mkdir(parents=True)
    with RunLog(
        tmp_path / "runs" / "a\x1b[2J\nRUN CLEAN", name=EVERYTHING, algorithm="grpo", config={"a": EVERYTHING}
    ) as log:
        for step in range(1, 6):
            log.log(step, {"reward": 0.5, EVERYTHING: 1.0, **dict.fromkeys(FORMULAS, -1.5)})
        log.close("failed", EVERYTHING)
    return tmp_path / "runs"


@pytest.mark.parametrize(
    "words",
    [("runs",), ("diagnose",), ("preflight",), ("runs", "--format", "markdown"), ("diagnose", "--format", "html")],
)
def test_no_command_passes_on_what_commands_a_terminal(
    hostile_runs: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in sorted(hostile_runs.iterdir()):
        main([words[0], str(folder), *words[1:]])
    printed = capsys.readouterr()
    assert DANGEROUS & set(printed.out + printed.err) == set()
    assert not [line for line in (printed.out + printed.err).splitlines() if line.startswith("RUN CLEAN")]
    assert "␛[2J" in printed.out
    assert "RUN CLEAN" in printed.err


@pytest.mark.parametrize("command", ["runs", "diagnose"])
def test_json_on_a_terminal_is_harmless_and_exact(
    hostile_runs: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([command, str(hostile_runs), "--format", "json"])
    printed = capsys.readouterr().out
    assert DANGEROUS & set(printed) == set()
    assert json.loads(printed)["runs"][0]["name"] == EVERYTHING


def test_no_cell_of_a_csv_is_a_formula_or_two_lines(hostile_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", str(next(hostile_runs.glob("a*")))])
    printed = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert DANGEROUS & set(printed) == set()
    assert len(rows) == len(printed.splitlines()) - 1 == 5 * (2 + len(FORMULAS))
    assert [row["tag"] for row in rows if row["tag"][0] in "=+-@＝\t\r"] == []
    assert {f"'{formula}" for formula in FORMULAS if formula[0] not in "\t\r"} <= {row["tag"] for row in rows}
    assert {row["value"] for row in rows} == {"0.5", "1.0", "-1.5"}


def test_a_tag_that_is_a_number_is_no_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 0.5, "-1.5": 1.0, "+2e-3": 1.0, "-1+1": 1.0})
    main(["export", str(tmp_path / "a")])
    tags = [row["tag"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert sorted(tags) == ["'-1+1", "+2e-3", "-1.5", "reward"]


def test_exported_json_lines_are_harmless_and_exact(hostile_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", str(next(hostile_runs.glob("a*"))), "--format", "jsonl"])
    printed = capsys.readouterr().out
    assert DANGEROUS & set(printed) == set()
    assert EVERYTHING in {json.loads(line)["tag"] for line in printed.splitlines()}


def test_what_a_command_forgets_is_caught_where_it_is_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_result(f"\x1b[1;31mCRITICAL\x1b[0m {COMMANDS}")
    write_result(COMMANDS, tmp_path / "report")
    print_note(LINES)
    printed = capsys.readouterr()
    assert printed.out.startswith("\x1b[1;31mCRITICAL\x1b[0m ␛]0;owned␇␛[2J⟨U+009B⟩31m␀")
    assert (tmp_path / "report").read_text("utf-8").startswith("␛]0;owned␇␛[2J")
    assert printed.err == "a⏎RUN CLEAN⏎b␍c⟨U+2028⟩d\n"


def test_every_command_prints_through_the_one_door() -> None:
    modules = [path for path in Path(diagnostics.cli.__file__).parent.glob("*.py") if path.name != "command.py"]
    used = {
        path.name: WRITERS
        & {
            ast.unparse(node).removeprefix("sys.")
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute)
        }
        for path in modules
    }
    assert {name: writers for name, writers in used.items() if writers} == {"export.py": {"stdout.buffer"}}  # parquet
