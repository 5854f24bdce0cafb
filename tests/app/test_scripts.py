"""No script of the dashboard holds words that are shown: they come with its data, in the language of the page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.asked_language import in_current_language
from app.charts.words import chart_words
from app.widgets.sample_words import sample_words
from diagnostics.language import language

FOLDER = Path(__file__).parents[2] / "app"
SCRIPTS = sorted(FOLDER.rglob("*.js"))

NOT_SHOWN = {
    "ArrowDown": "a key, as browsers name it",
    "Enter": "a key, as browsers name it",
    "Escape": "a key, as browsers name it",
    "Ctrl+": "a key",
    "Ctrl+k": "a key",
    "Ctrl K": "a key, as it stands on keyboards",
    "Control+K Meta+K": "keys, as `aria-keyshortcuts` wants them",
    "AbortError": "an error, as browsers name it",
    "Infinity": "a number, as JavaScript reads it",
    "NaN": "a number, called so everywhere",
    " s": "the symbol of a unit",
    " min": "the symbol of a unit",
    " h": "the symbol of a unit",
    "input:not([type=checkbox]), textarea, select, [contenteditable=true]": "a selector",
    "input, textarea, select, [contenteditable], [role=radiogroup]": "a selector",
    "a, input, button, .rlv-cell-select": "a selector",
    '<?xml version="1.0" encoding="UTF-8"?>\\n\\n': "the head of a file",
}
"""Literals that look like words, and why they are none."""

COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|/\*.*?\*/|(?:^|(?<=[\s;{}()]))//[^\n]*""", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
FILLED_IN = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
PROSE = re.compile(r"(?<![\w-])[A-Za-z][a-z]+[ ,;:] ?[a-z]{2,}(?![\w-])|^[A-Z][a-z]+|^ ?[a-z]+[:]? $|^ [a-z]+")
SHOWN = tuple(
    re.compile(rf"{place}[\"`](?P<words>[^\"`]*)[\"`]")
    for place in (
        r"(?:textContent|\btitle|ariaLabel|placeholder)\s*[=:]\s*(?:[\w.() =!]+\?\s*)?",
        r"\"aria-label\"\s*[,:]\s*",
        r"(?:\belement|\bbutton)\(\s*\"[\w-]*\",\s*[\"`][^\"`]*[\"`],\s*(?:\(\) => [\w.]+\([^()]*\),\s*)?",
        r"(?:new Option|\.append)\(\s*",
    )
)
"""Where a literal is shown, whatever it looks like."""

LETTERS = re.compile(r"[A-Za-z]{2,}")


def without_comments(source: str) -> str:
    return COMMENT.sub(lambda found: found[1] or "", source)


def words_in(source: str) -> Iterator[str]:
    """The literals that look like prose, and those that stand where something is shown."""
    code = without_comments(source)
    for found in LITERAL.finditer(code):
        text = FILLED_IN.sub("", found[1] if found[1] is not None else found[2])
        if PROSE.search(text) and text not in NOT_SHOWN:
            yield text
    for place in SHOWN:
        for found in place.finditer(code):
            text = FILLED_IN.sub("", found["words"])
            if LETTERS.search(text) and text not in NOT_SHOWN:
                yield text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_holds_no_words_of_its_own(script: Path) -> None:
    assert list(words_in(script.read_text("utf-8"))) == []


def test_the_words_of_a_script_are_found_where_they_stand() -> None:
    source = """
        button.title = isLarge ? "small" : words.large; // "a comment" of words
        element("p", "rls-second", "none"); link.append("ghost ", `${count} more runs`);
        const about = { "aria-label": "find" }; place.className = "rlv-action rlv-first";
    """
    assert {*words_in(source)} == {"ghost ", " more runs", "small", "none", "find"}


def test_every_word_that_a_script_asks_for_comes_with_its_data() -> None:
    samples = (FOLDER / "widgets/samples.js").read_text("utf-8")
    assert set(re.findall(r"(?<!found\.)\bwords\.(\w+)", samples)) <= set(sample_words())
    charts = "".join(path.read_text("utf-8") for path in (FOLDER / "charts/scripts").glob("*.js"))
    assert set(re.findall(r"\b(?:page\.words|said)\.(\w+)", charts)) <= set(chart_words())


def test_the_words_of_the_view_options_are_those_of_the_options_that_there_are() -> None:
    source = (FOLDER / "charts/scripts/view_options.js").read_text("utf-8")
    listed = {name: re.findall(r"\w+", values) for name, values in re.findall(r"const (\w+) = \[([^]]*)\]", source)}
    words = chart_words()
    assert listed == {
        "AXES": list(words["axes"]),
        "SMOOTHING": list(words["smoothings"]),
        "SCALES": list(words["scales"]),
    }


def test_a_question_names_the_language_of_its_page_and_english_goes_without_saying() -> None:
    assert in_current_language("jump") == "jump"
    with language("zh"):
        assert in_current_language("jump") == "jump?lang=zh"
        assert in_current_language("charts/references?run=a") == "charts/references?run=a&lang=zh"
