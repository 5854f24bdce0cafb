"""Tests of the page that asks for the token."""

from app.access.policy import TokenNeeded
from app.access.sign_in import sign_in_page


def test_it_keeps_the_address_and_nothing_in_it_is_markup() -> None:
    page = sign_in_page(TokenNeeded("Which?", (("run", '"><script>alert(1)</script>'),), came_by_link=True))

    assert "<script>" not in page
    assert 'name="run" value="&quot;&gt;&lt;script&gt;' in page
    assert 'href="?run=%22%3E%3Cscript%3E' in page


def test_it_speaks_of_a_link_only_to_those_who_came_by_one() -> None:
    assert "another site" not in sign_in_page(TokenNeeded("Which?", (), came_by_link=False))
