"""The table of runs side by side: a column each, differing settings first, then the verdicts, then figures."""

from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from app import state
from app.figures.overlay import DASHES, dash_of, hex_of
from app.theme import VERDICTS
from app.widgets.markdown import escaped
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.comparison.figures import Figure
from diagnostics.comparison.settings import SettingRow, SettingsTable, SettingValue
from diagnostics.language import _, ngettext
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.visible_text import one_line
from diagnostics.wording.side_by_side import (
    change_text,
    figure_title,
    origin_word,
    reading_text,
    setting_value_text,
    verdict_facts,
    verdict_in_a_sentence,
)

_DASHES = dict(zip(DASHES, ("━━━", "╍╍╍", "•••", "━ ╍", "━ ━", "━━ ╍"), strict=True))
_Row = tuple[str, list[str]]
"""What a row is about, and its cells, as Markdown."""


def comparison_table(side: SideBySide) -> None:
    """Draw the table; settings that do not differ are folded below it."""
    rows = [*_setting_rows(side.settings), _verdict_row(side), *_figure_rows(side)]
    columns = [_heading(place, side) for place in range(len(side.runs))]
    frame = pd.DataFrame([cells for _, cells in rows], columns=columns, index=[label for label, _ in rows])
    st.table(frame, border="horizontal", alt=_("Runs side by side: settings that differ, verdicts, figures"))
    _other_settings(side)


def _heading(place: int, side: SideBySide) -> str:
    """`━━━ A cut-off baseline`, the line as it is drawn below."""
    colour = hex_of(place, state.palette())
    line = f':color[{_DASHES[dash_of(place)]} **{LETTERS[place]}**]{{foreground="{colour}"}}'
    parent = side.parent_of(place)
    relaunch = "" if parent is None else _("relaunch of {letter}").format(letter=LETTERS[parent])
    role = _("baseline") if place == 0 else relaunch
    return f"{line} {escaped(side.runs[place].name)}" + (f" :gray[· {role}]" if role else "")


def _setting_rows(table: SettingsTable) -> Iterator[_Row]:
    """The differing settings; the first of each group names it."""
    named = ""
    for row in table.differing:
        group = f" :gray[· {escaped(_(row.group))}]" if row.group not in (named, row.argument) else ""
        named = row.group
        yield escaped(row.argument) + group, [_setting_cell(place, row) for place in range(len(row.values))]


def _setting_cell(place: int, row: SettingRow) -> str:
    """A value; bold where it is not the baseline's, with a word where it is the producer's default."""
    base, item = row.values[0], row.values[place]
    text, word, differs = escaped(setting_value_text(item)), origin_word(item), row.differs_at(place)
    shown = f"**{text}**" if differs else text
    if item is None or (base is not item and base is not None and not differs):
        shown = f":gray[{text}]"
    return f"{shown} :gray[{word}]" if word else shown


def _verdict_row(side: SideBySide) -> _Row:
    return _("Verdict"), [_verdict_cell(diagnosis) for diagnosis in side.diagnoses]


def _verdict_cell(diagnosis: Diagnosis) -> str:
    sign = VERDICTS[diagnosis.verdict]
    sentence, facts = escaped(verdict_in_a_sentence(diagnosis)), escaped(verdict_facts(diagnosis))
    return f":{sign.colour}[**{sign}**] {sentence}" + (f"  \n:gray[{facts}]" if facts else "")


def _figure_rows(side: SideBySide) -> Iterator[_Row]:
    for figure in side.figures:
        yield escaped(figure_title(figure.metric, side.step or 0)), list(_figure_cells(figure, side.step or 0))


def _figure_cells(figure: Figure, step: int) -> Iterator[str]:
    for reading, change in zip(figure.readings, figure.changes, strict=True):
        value, changed = escaped(reading_text(reading, step)), escaped(change_text(change))
        yield f"{value} :gray[{changed}]" if changed else value


def _other_settings(side: SideBySide) -> None:
    """The settings that are equal, or that only some of the logs have, folded behind their count."""
    table = side.settings
    if not table.equal and not table.partial:
        return
    equal = ngettext("{count} setting equal", "{count} settings equal", len(table.equal))
    partial = _("{count} in some of the logs only")
    words = [equal.format(count=f"{len(table.equal):,}")] if table.equal else []
    words += [partial.format(count=len(table.partial))] if table.partial else []
    with st.expander(" · ".join(words), key="compare.equal", type="compact"):
        st.dataframe(_plain_frame((*table.partial, *table.equal), len(side.runs)), hide_index=True, height="content")


def _plain_frame(rows: Sequence[SettingRow], runs: int) -> pd.DataFrame:
    cells = [
        [one_line(row.argument), _(row.group), *(one_line(_with_origin(item)) for item in row.values)] for row in rows
    ]
    return pd.DataFrame(cells, columns=[_("setting"), _("group"), *LETTERS[:runs]])


def _with_origin(item: SettingValue | None) -> str:
    word = origin_word(item)
    return setting_value_text(item) + (f" ({word})" if word else "")
