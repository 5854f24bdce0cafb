"""The Learn page: from a word to the page of a metric, a rule or a cause, and to the sample run that shows it."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.app.browser.conftest import Dashboard

Fixture = Callable[..., Any]


def test_a_search_leads_to_a_rule_its_causes_and_the_sample_run_that_shows_it(
    dashboard: Dashboard, open_screen: Fixture
) -> None:
    page = open_screen(dashboard.page("learn")).page
    expect(page.get_by_text("Does the mean reward rise?")).to_be_visible()

    page.get_by_label("Find a metric, a rule or a cause").fill("negative kl")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Does the mean reward rise?")).to_be_hidden()
    found = page.get_by_role("link", name="kl-negative", exact=True)
    expect(found).to_have_count(1)  # those of the checklist have gone
    found.click()

    expect(page.get_by_role("heading", name="kl-negative")).to_be_visible()
    page.wait_for_url("**/learn?entry=kl-negative")
    expect(page.get_by_text("In the sample run negative-kl")).to_be_visible()
    page.locator(".rlvitals-chart").first.scroll_into_view_if_needed()
    expect(page.locator(".rlvitals-chart canvas").first).to_be_visible()
    page.get_by_role("link", name="Open", exact=True).first.click()
    page.wait_for_url("**/run?run=*negative-kl*")


def test_a_producers_tag_leads_to_the_metric_that_it_is(dashboard: Dashboard, open_screen: Fixture) -> None:
    page = open_screen(dashboard.page("learn", entry="objective/kl")).page

    expect(page.get_by_role("heading", name="kl_per_sequence")).to_be_visible()


def test_an_unknown_entry_is_said_to_be_so_beside_the_nearest_names(dashboard: Dashboard, open_screen: Fixture) -> None:
    page = open_screen(dashboard.page("learn", entry="kl-negativ <b>")).page

    expect(page.get_by_text("There is no metric, rule or cause called kl-negativ <b>.")).to_be_visible()
    page.get_by_role("link", name="kl-negative", exact=True).click()
    expect(page.get_by_role("heading", name="kl-negative")).to_be_visible()
