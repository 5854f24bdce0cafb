"""What no rule judges is named where users look for it, with the reason."""

from pathlib import Path

import pytest

from diagnostics.catalogue import known_names, pages_about
from diagnostics.rules import CATALOG
from diagnostics.rules.not_judged import NOT_JUDGED, NotJudged

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "diagnosis.md"
JUDGED = {rule.name for rule in CATALOG}


@pytest.mark.parametrize("entry", NOT_JUDGED, ids=lambda entry: entry.name)
def test_it_is_no_rule_and_what_tells_instead_is(entry: NotJudged) -> None:
    assert entry.name not in JUDGED
    assert set(entry.instead) <= JUDGED


@pytest.mark.parametrize("entry", NOT_JUDGED, ids=lambda entry: entry.name)
def test_explain_and_the_guide_name_it(entry: NotJudged) -> None:
    (page,) = pages_about(entry.name)
    assert page.sections["Why it is left out"] == entry.reason
    assert entry.name in set(known_names())
    assert f"`{entry.name}`" in GUIDE.read_text()
