"""The Learn page: what each metric, rule and cause means, what to try, and how it looks in the sample runs."""

import difflib
from collections.abc import Callable, Sequence

import streamlit as st

from app import state
from app.load.examples import Example, examples_of
from app.theme import VERDICTS
from app.widgets.charts import charts
from app.widgets.markdown import escaped, with_code
from diagnostics.catalogue import Page, known_names, pages_about
from diagnostics.catalogue.checklist import CHECKLIST, SOURCE
from diagnostics.catalogue.index import Line, chapters
from diagnostics.language import N_, _
from diagnostics.wording.messages import message_text
from diagnostics.wording.verdicts import verdict_headline

Link = Callable[[str, str], object]
"""Draws a link with this label to the page of the entry with this name."""

_CHECKLIST = N_("Checklist")
_CHAPTER, _SEARCH = "learn.chapter", "learn.search"
_NAMES = frozenset({"Shown by", "Supported by", "Points at", "Judged by", "Brings about", "Against it", "Ruled out by"})
"""The facts whose items are entries themselves."""


def render(entry: str | None, link: Link, link_to_index: Callable[[], object], open_run: Link) -> None:
    """Draw the page of an entry, or the index where none is named."""
    if not entry:
        _index(link)
        return
    link_to_index()
    pages = pages_about(entry)
    if not pages:
        st.warning(_("There is no metric, rule or cause called {name}.").format(name=escaped(entry)))
        _nearest(entry, link)
    for page in pages:
        _page(page, link)
    for number, example in enumerate(examples_of(pages[0].name) if pages else ()):
        _example(example, number, open_run)


def _index(link: Link) -> None:
    st.subheader(_("What the curves mean"), anchor=False)
    found = st.text_input(
        _("Find a metric, a rule or a cause"),
        key=_SEARCH,
        placeholder=_("kl, objective/kl, RV301, reward hacking …"),
        label_visibility="collapsed",
    )
    if words := found.lower().split():
        _matches(words, found.strip(), link)
        return
    counted = {name: f"{_(name)} ({len(lines)})" for name, lines in chapters().items()}
    chapter = st.segmented_control(
        _("Chapter"),
        [_CHECKLIST, *counted],
        format_func=lambda name: counted.get(name, _(name)),
        default=_CHECKLIST,
        required=True,
        key=_CHAPTER,
        label_visibility="collapsed",
    )
    if chapter in counted:
        _lines(chapters()[chapter], link)
    else:
        _checklist(link)


def _matches(words: Sequence[str], found: str, link: Link) -> None:
    """The entries with these words, chapter by chapter, and those that go by this very name: a producer's tag, say."""
    by_chapter = {name: [line for line in lines if line.matches(words)] for name, lines in chapters().items()}
    named = {line.name for lines in by_chapter.values() for line in lines}
    exact = [Line(page.name, page.sentence, _(page.kind)) for page in pages_about(found) if page.name not in named]
    for name, lines in {N_("By that name"): exact, **by_chapter}.items():
        if lines:
            st.markdown(f"**{escaped(_(name))}**")
            _lines(lines, link)
    if not exact and not any(by_chapter.values()):
        st.caption(_("Nothing is called {words}, and no text here holds it.").format(words=escaped(found)))
        _nearest(found, link)


def _nearest(name: str, link: Link) -> None:
    near = difflib.get_close_matches(name, tuple(dict.fromkeys(known_names())), n=3)
    if near:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(_("Did you mean"))
            for each in near:
                link(each, each)


def _checklist(link: Link) -> None:
    for number, check in enumerate(CHECKLIST, start=1):
        with st.container(gap="xxsmall"):
            st.markdown(f"**{number}. {escaped(_(check.question))}**  \n{with_code(_(check.text))}")
            with st.container(horizontal=True):
                for name in check.entries:
                    link(name, name)
    st.caption(_("Source: {source}").format(source=escaped(_(SOURCE))))


def _lines(lines: Sequence[Line], link: Link) -> None:
    for line in lines:
        name, text = st.columns([1, 3], vertical_alignment="center")
        with name:
            link(line.name, line.name)
        title = f"**{escaped(line.title)}** " if line.title else ""
        text.markdown(f"{title}{with_code(line.sentence)}")


def _page(page: Page, link: Link) -> None:
    st.subheader(escaped(page.name), anchor=False)
    st.caption(escaped(_(page.kind)))
    st.markdown(f"**{with_code(page.sentence)}**")
    for label, lines in page.lines().items():
        heading, text = st.columns([1, 5])
        heading.caption(escaped(_(label)))
        with text:
            if label in _NAMES:
                with st.container(horizontal=True, gap="small"):
                    for name in page.facts[label]:
                        link(name, name)
            else:
                st.markdown("  \n".join(map(with_code, lines)))
    for title, text_of_section in page.sections.items():
        if text_of_section:
            st.markdown(f"**{escaped(_(title))}**  \n{with_code(text_of_section)}")


def _example(example: Example, number: int, open_run: Link) -> None:
    diagnosis, outcome = example.diagnosis, example.outcome
    sign = VERDICTS[diagnosis.verdict]
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = message_text(outcome.message) if outcome else verdict_headline(diagnosis)
            shown = _("In the sample run {run}: {words}").format(run=escaped(diagnosis.run.name), words=escaped(words))
            st.markdown(f":{sign.colour}[{sign}] {shown}")
            if state.boundary().holds(diagnosis.run.path):
                open_run(_("Open"), str(diagnosis.run.path))
        if example.series is not None and len(example.series):
            charts(diagnosis.run, diagnosis.outcomes, [example.series], None, f"learn.{number}")
