"""A rule's documentation, from the rule's own file."""

import streamlit as st

from app.widgets.markdown import escaped, with_code
from diagnostics.language import _
from diagnostics.rules import CATALOG

_RULES = {rule.name: rule for rule in CATALOG}


def rule_text(name: str) -> None:
    """Draw what the rule checks, why it matters, when it is wrong, what to try and its references."""
    rule = _RULES.get(name)
    if rule is None:
        st.caption(_("No text for {name}.").format(name=escaped(name)))
        return
    st.markdown(f"**{with_code(_(rule.summary))}**")
    for title, text in rule.sections.items():
        st.markdown(f"**{escaped(_(title))}**  \n{with_code(_(text))}")
