"""Runs side by side, as text, JSON or Markdown: what `rlvitals compare` prints."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from diagnostics.addresses import shown
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.comparison.figures import Change, Figure, Reading
from diagnostics.comparison.settings import SettingRow, SettingValue
from diagnostics.language import N_, _
from diagnostics.punctuation import bracketed, labelled, sentences, with_remark
from diagnostics.report import markdown_elements as markup
from diagnostics.report.json import comparison_document
from diagnostics.report.report import Problem
from diagnostics.report.run_fields import run_fields
from diagnostics.report.strict_json import to_json
from diagnostics.report.table_forms import Table
from diagnostics.report.terminal import Style
from diagnostics.wording.runs import run_line
from diagnostics.wording.side_by_side import (
    change_text,
    differences_line,
    figure_title,
    origin_word,
    reading_text,
    relaunch_sentence,
    setting_value_text,
    side_by_side_notes,
    verdict_facts,
    verdict_in_a_sentence,
)

_NAME = "what"  # the first column of the tables


def render_text(side: SideBySide, _problems: Sequence[Problem], style: Style) -> str:
    """As text, for a terminal, where what could not be read has been told already."""
    return "\n".join(_text(side, style))


def render_json(side: SideBySide, problems: Sequence[Problem], _style: Style) -> str:
    """As JSON, by the schema in docs/guide/compare.md."""
    table = side.settings
    return to_json(
        {
            "runs": [_run(place, side) for place in range(len(side.diagnoses))],
            "step": side.step,
            "settings": {
                "differing": [_setting(row) for row in table.differing],
                "partial": [_setting(row) for row in table.partial],
                "equal": len(table.equal),
            },
            "figures": [_figure(figure) for figure in side.figures],
            "seed_groups": [[LETTERS[place] for place in places] for places in side.seed_groups],
            "relaunches": [
                {
                    "child": LETTERS[item.child],
                    "parent": LETTERS[item.parent],
                    "since_parent": comparison_document(item.comparison),
                }
                for item in side.relaunches
            ],
            "notes": list(side_by_side_notes(side)),
            "errors": [{"path": problem.path, "error": problem.error} for problem in problems],
        }
    )


def render_markdown(side: SideBySide, problems: Sequence[Problem], _style: Style) -> str:
    """As Markdown, for a pull request."""
    return "\n\n".join(_markdown(side, problems))


FORMS: Mapping[str, Callable[[SideBySide, Sequence[Problem], Style], str]] = {
    "text": render_text,
    "json": render_json,
    "markdown": render_markdown,
}
"""Form → what writes it."""


def _text(side: SideBySide, style: Style) -> Iterator[str]:
    for place, run in enumerate(side.runs):
        baseline = "  " + _("baseline") if place == 0 else ""
        yield style.paragraph(f"{LETTERS[place]}  {run.name}{baseline}  {run_line(run)}  {shown(run.path)}", indent=0)
    yield ""
    yield from (style.paragraph(note, indent=0) for note in side_by_side_notes(side))
    yield differences_line(side.settings)
    if side.settings.differing:
        yield _settings_table(side).text(style)
    yield ""
    for place, diagnosis in enumerate(side.diagnoses):
        told = labelled(_(diagnosis.verdict), verdict_in_a_sentence(diagnosis))
        sentence = sentences((told, bracketed(verdict_facts(diagnosis))))
        yield style.labelled(LETTERS[place], sentence, column=3)
    yield from (style.paragraph(relaunch_sentence(item), indent=0) for item in side.relaunches)
    if side.figures:
        yield ""
        yield _figures_table(side).text(style)


def _markdown(side: SideBySide, problems: Sequence[Problem]) -> Iterator[str]:
    title = _("{count} runs compared, {name} is the baseline")
    yield "### " + title.format(count=len(side.runs), name=markup.escaped(side.runs[0].name))
    rows = [
        [
            LETTERS[place],
            markup.escaped(diagnosis.run.name),
            markup.code(shown(diagnosis.run.path)),
            markup.escaped(labelled(_(diagnosis.verdict), verdict_in_a_sentence(diagnosis))),
            markup.escaped(verdict_facts(diagnosis)),
        ]
        for place, diagnosis in enumerate(side.diagnoses)
    ]
    yield markup.table(("", _("Run"), _("Path"), _("Verdict"), _("Since")), rows)
    yield from map(markup.escaped, side_by_side_notes(side))
    yield markup.escaped(differences_line(side.settings))
    if side.settings.differing:
        yield _settings_table(side).markdown()
    yield from (markup.escaped(relaunch_sentence(item)) for item in side.relaunches)
    if side.figures:
        yield _figures_table(side).markdown()
    if problems:
        rows = [[markup.code(problem.path), markup.escaped(problem.error)] for problem in problems]
        yield markup.table((_("Not readable"), _("Why")), rows)


def _settings_table(side: SideBySide) -> Table:
    rows = [
        {_NAME: row.argument, **{LETTERS[place]: _setting_cell(item) for place, item in enumerate(row.values)}}
        for row in side.settings.differing
    ]
    return Table("settings", {_NAME: N_("Setting"), **_columns(side)}, rows, codes=frozenset({_NAME}))


def _setting_cell(item: SettingValue | None) -> str:
    return with_remark(setting_value_text(item), origin_word(item))


def _figures_table(side: SideBySide) -> Table:
    step = side.step or 0
    rows = [
        {
            _NAME: figure_title(figure.metric, step),
            **{
                LETTERS[place]: with_remark(reading_text(reading, step), change_text(change))
                for place, (reading, change) in enumerate(zip(figure.readings, figure.changes, strict=True))
            },
        }
        for figure in side.figures
    ]
    return Table("figures", {_NAME: N_("Figure"), **_columns(side)}, rows)


def _columns(side: SideBySide) -> dict[str, str]:
    return {LETTERS[place]: LETTERS[place] for place in range(len(side.runs))}


def _run(place: int, side: SideBySide) -> dict[str, Any]:
    diagnosis = side.diagnoses[place]
    worst = diagnosis.findings[0] if diagnosis.findings else None
    return {
        "letter": LETTERS[place],
        **run_fields(diagnosis.run),
        "verdict": diagnosis.verdict,
        "summary": verdict_in_a_sentence(diagnosis),
        "finding": worst.name if worst else None,
        "first_step": worst.first_step if worst else None,
        "last_step": worst.last_step if worst else None,
        "still": worst.still if worst else None,
        "unchecked": len(diagnosis.blind_spots),
    }


def _setting(row: SettingRow) -> dict[str, Any]:
    return {
        "argument": row.argument,
        "setting": row.setting,
        "group": row.group,
        "values": [
            None if item is None else {"argument": item.argument, "value": item.value, "is_default": item.is_default}
            for item in row.values
        ],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "metric": figure.metric,
        "readings": [_reading(reading) for reading in figure.readings],
        "changes": [_change(change) for change in figure.changes],
    }


def _reading(reading: Reading | None) -> dict[str, Any] | None:
    return None if reading is None else {"step": reading.step, "value": reading.value}


def _change(change: Change | None) -> dict[str, Any] | None:
    return None if change is None else {"absolute": change.absolute, "relative": change.relative}
