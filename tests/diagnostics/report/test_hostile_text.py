"""Tests that nothing in a log is more than text in a report: hostile names, tags, settings, samples and errors."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from markdown_it import MarkdownIt
from markdown_it.token import Token

from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.report.forms import rendered
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.report import Problem, Report
from diagnostics.runlog import RunLog
from diagnostics.visible_text import one_line
from tests.hostile_text import CODES, COMMANDS, DANGEROUS, EVERYTHING, LEADS, LINES, LINKS, MARKUP, TURNED

LINKED_BY_GITHUB = re.compile(r"https?://|www\.|@\w|#\d|:\w+:")
TEXTS = (
    COMMANDS,
    TURNED,
    LINES,
    MARKUP,
    LINKS,
    CODES,
    EVERYTHING,
    *LEADS,
    "a\\|b",
    "`",
    "``a",
    "a`",
    "\\",
    "_a_ __b__",
)
OURS = {"html_block", "html_inline"}  # <details>, <summary> and <br>


@pytest.fixture
def hostile(tmp_path: Path) -> Diagnosis:
    """A cut-off GRPO run in which every text is hostile."""
    config = {EVERYTHING: EVERYTHING, "output_dir": EVERYTHING, "max_completion_length": 8}
    with RunLog(tmp_path / "a", name=EVERYTHING, algorithm="grpo", task=EVERYTHING, config=config, total=40) as log:
        for step in range(1, 41):
            rows = [{"query": EVERYTHING, "response": EVERYTHING, "score": 0.5, "terminated": False}] * 4
            metrics = {"reward": step / 40, "completions/clipped_ratio": 0.95, EVERYTHING: 1.0}
            log.log(step, {**metrics, f"rewards/{EVERYTHING}/mean": 0.5}, rows)
        log.close("failed", EVERYTHING)
    run = open_run(tmp_path / "a")
    return replace(diagnose(run), run=replace(run, parent=EVERYTHING, notes=(EVERYTHING,)))


@pytest.fixture
def report(hostile: Diagnosis) -> Report:
    return Report((hostile,), (Problem(f"runs/{EVERYTHING}", f"runs/{EVERYTHING} cannot be read"),))


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_no_report_holds_a_character_that_commands_turns_around_or_hides(report: Report, form: str) -> None:
    assert DANGEROUS & set(rendered(report, form)) == set()


def test_no_line_of_a_report_begins_inside_a_name(report: Report) -> None:
    assert [
        line for form in ("text", "markdown") for line in rendered(report, form).splitlines() if line[:9] == "RUN CLEAN"
    ] == []


def test_json_says_exactly_what_the_log_says(report: Report) -> None:
    document = json.loads(rendered(report, "json"))
    assert document["runs"][0]["name"] == EVERYTHING
    assert document["runs"][0]["parent"] == EVERYTHING
    assert document["errors"][0]["error"] == f"runs/{EVERYTHING} cannot be read"


def test_a_markdown_report_of_a_hostile_run_has_the_structure_of_any_other(report: Report) -> None:
    text = rendered(report, "markdown")
    tokens = flat(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text))
    assert [token.content for token in tokens if token.type in OURS and not is_ours(token.content)] == []
    assert not {"link_open", "image", "s_open", "em_open", "fence", "code_block", "blockquote_open"} & {
        t.type for t in tokens
    }
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3", "h3"]
    assert [token.content for token in tokens if token.type == "text" and LINKED_BY_GITHUB.search(token.content)] == []


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("place", ["{}", "### {}", "### {}: healthy", "- {}", "note\n\n{}\n\nnote"])
def test_escaped_text_reads_as_it_was_meant_wherever_it_stands(place: str, text: str) -> None:
    tokens = flat(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(place.format(escaped(text))))
    read = "".join(token.content for token in tokens if token.type in ("text", "code_inline"))
    assert re.sub(" +", " ", read) == re.sub(
        " +", " ", place.strip("#- \n").replace("\n", "").format(one_line(text).strip())
    )


@pytest.mark.parametrize("text", TEXTS)
def test_code_and_text_in_a_cell_read_as_they_were_meant(text: str) -> None:
    tokens = flat(MarkdownIt("commonmark").enable("table").parse(table(("A", "B"), [(escaped(text), code(text))])))
    start = next(index for index, token in enumerate(tokens) if token.type == "td_open")
    cells = "".join(
        token.content if token.type in ("text", "code_inline") else "\0" * (token.type == "td_close")
        for token in tokens[start:]
    )
    meant = " ".join(one_line(text).split())
    assert [" ".join(cell.split()) for cell in cells.split("\0")[:2]] == [meant, meant.replace("\\|", "|")]


@given(some.text())
def test_any_text_stays_text_in_markdown(text: str) -> None:
    tokens = flat(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(f"### {escaped(text)}: x"))
    assert {token.type for token in tokens} <= {"heading_open", "heading_close", "text", "code_inline"}


def flat(tokens: Iterable[Token]) -> list[Token]:
    """The tokens, with those inside a line in place of the line; escapes count as text."""
    found = [inner for token in tokens for inner in (token.children if token.children is not None else [token])]
    for token in found:
        token.type = "text" if token.type == "text_special" else token.type
    return found


def is_ours(markup: str) -> bool:
    return bool(re.fullmatch(r"<br>|<details><summary>[\w ]+\(\d+\)</summary>\n?|</details>\n?", markup))
