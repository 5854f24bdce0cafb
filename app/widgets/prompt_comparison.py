"""The same prompt's answers in several runs, side by side; model output is never rendered as Markdown or HTML."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from app import state
from app.widgets import compare_address as address
from app.widgets.markdown import escaped
from app.widgets.sample_text import sample_text
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.comparison.prompts import Answers, SharedPrompt, shared_prompts
from diagnostics.language import N_, _
from diagnostics.model.messages import shortened
from diagnostics.model.samples import Sample
from diagnostics.visible_text import one_line, visible
from diagnostics.wording.side_by_side import shared_prompts_line
from diagnostics.wording.values import optional_value

_LONGEST_LABEL = 100  # characters of a prompt in the list
_MOST_ROWS, _ROW_HEIGHT = 16, 30  # rows, pixels
_TABLE = "compare.answers"
_FOUND = "compare.prompts"  # what was searched last: reading samples from disk takes time
_CUT = N_(" | cut")


def prompt_comparison(side: SideBySide, revisions: object) -> None:
    """Draw the answers to the chosen prompt; `revisions` change with the runs, whose samples are then read again."""
    shared = _shared(side, revisions)
    st.caption(escaped(shared_prompts_line(shared, side.runs)))
    if not shared:
        return
    prompt = _choose(shared)
    if shortened(prompt.query, _LONGEST_LABEL) != prompt.query:  # else the list shows it whole
        st.code(visible(prompt.query), language=None, wrap_lines=True)
    st.caption(escaped(_steps_line(prompt)))
    clicked = _answers_table(prompt)
    if clicked is not None:
        place, sample = clicked
        st.markdown(f"**{LETTERS[place]}** {escaped(side.runs[place].name)}")
        sample_text(sample)


def _shared(side: SideBySide, revisions: object) -> tuple[SharedPrompt, ...]:
    asked = (revisions, state.chosen_step())
    known = st.session_state.get(_FOUND)
    if known is None or known[0] != asked:
        known = st.session_state[_FOUND] = (asked, shared_prompts(side.runs, state.chosen_step()))
    found: tuple[SharedPrompt, ...] = known[1]
    return found


def _choose(shared: Sequence[SharedPrompt]) -> SharedPrompt:
    """The prompt in the address, else the first."""
    by_id = {address.prompt_id(prompt.query): prompt for prompt in shared}
    ids = list(by_id)
    asked = state.in_address(address.PROMPT)
    current = asked if asked in by_id else ids[0]
    place = ids.index(current)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _step_button("◀", _("The prompt before"), ids[max(place - 1, 0)], current)
        key = f"compare.prompt.{current}"
        st.selectbox(
            _("Prompt"),
            ids,
            index=place,
            format_func=lambda item: one_line(shortened(by_id[item].query, _LONGEST_LABEL)),
            key=key,
            on_change=lambda: state.write_into_address(address.PROMPT, st.session_state[key]),
            width=560,
        )
        _step_button("▶", _("The prompt after"), ids[min(place + 1, len(ids) - 1)], current)
    return by_id[current]


def _step_button(sign: str, words: str, target: str, current: str) -> None:
    st.button(
        sign,
        key=f"compare.prompt.{sign}",
        help=words,
        disabled=target == current,
        on_click=state.write_into_address,
        args=(address.PROMPT, target),
    )


def _steps_line(prompt: SharedPrompt) -> str:
    """Which run answered at which step, and how well on average."""
    return " · ".join(
        _("{letter} step {step}").format(letter=LETTERS[place], step=item.step) + _mean(item)
        for place, item in enumerate(prompt.answers)
        if item is not None
    )


def _mean(item: Answers) -> str:
    scores = [sample.score for sample in item.samples if sample.score is not None]
    if not scores:
        return ""
    mean = optional_value(sum(scores) / len(scores))
    return _(", mean score {mean} of {count}").format(mean=mean, count=len(scores))


def _answers_table(prompt: SharedPrompt) -> tuple[int, Sample] | None:
    """Score and answer of each run, the best first; the place and sample of the cell clicked last."""
    found = {place: item.samples for place, item in enumerate(prompt.answers) if item is not None}
    event = st.dataframe(
        _heat(_frame(found), found),
        hide_index=True,
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-cell",
        height="content" if max(map(len, found.values())) <= _MOST_ROWS else _MOST_ROWS * _ROW_HEIGHT,
        row_height=_ROW_HEIGHT,
        column_config={_score_column(place): st.column_config.NumberColumn(width=64, format="%.3g") for place in found},
    )
    for row, column in event["selection"]["cells"]:
        place = LETTERS.index(column[0])
        if row < len(found.get(place, ())):
            return place, found[place][row]
    return None


def _frame(found: Mapping[int, Sequence[Sample]]) -> pd.DataFrame:
    rows = range(max(map(len, found.values())))
    columns: dict[str, list[object]] = {}
    for place, samples in found.items():
        columns[_score_column(place)] = [samples[row].score if row < len(samples) else None for row in rows]
        columns[_("{letter} answer").format(letter=LETTERS[place])] = [
            _answer(samples[row]) if row < len(samples) else "" for row in rows
        ]
    return pd.DataFrame(columns)


def _answer(sample: Sample) -> str:
    return visible(sample.response) + (_(_CUT) if sample.terminated is False else "")


def _score_column(place: int) -> str:
    return _("{letter} score").format(letter=LETTERS[place])


def _heat(frame: pd.DataFrame, found: Mapping[int, Sequence[Sample]]) -> Styler:
    """Scores on one scale for all runs: the higher, the more of the accent."""
    scores = [sample.score for samples in found.values() for sample in samples if sample.score is not None]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    accent = state.palette().line

    def shade(score: object) -> str:
        if not isinstance(score, float) or not low <= score <= high or low == high:
            return ""
        alpha = round(10 + 90 * (score - low) / (high - low))
        return f"background-color: {accent}{alpha:02x}"

    return frame.style.map(shade, subset=[_score_column(place) for place in found])
