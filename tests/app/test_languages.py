"""The language of a page: two sessions of one server may speak two, and a choice goes from page to page."""

import re
from typing import Any

import orjson
from streamlit.testing.v1 import AppTest

from app.access.policy import TokenNeeded
from app.access.sign_in import sign_in_page
from diagnostics.language import language
from diagnostics.runlog.parent import SAMPLE_RUNS

PAGE = f"""
from app.languages import language_switch, speak
from app.views import run
speak()
run.render({str(SAMPLE_RUNS / "value-loss-nan")!r}, True)
language_switch()
"""
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def opened(**address: str) -> AppTest:
    test = AppTest.from_string(PAGE, default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    assert not test.run().exception
    return test


def drawn(test: AppTest, name: str) -> dict[str, Any]:
    (found,) = [item.proto for item in test.get("bidi_component") if item.proto.component_name == f"rlvitals_{name}"]
    told: dict[str, Any] = orjson.loads(found.json)
    return told


def cause(test: AppTest) -> str:
    return str(drawn(test, "verdict")["cards"][0]["cause"])


def summaries(test: AppTest) -> str:
    return "\n".join(str(item.value) for item in test.markdown)


def foot(test: AppTest) -> str:
    (found,) = [item.proto.body for item in test.get("html") if "hreflang" in item.proto.body]
    return str(found)


def test_two_sessions_of_one_server_speak_two_languages_and_each_can_change_its_own() -> None:
    english, chinese = opened(section="checks"), opened(section="checks", lang="zh")

    assert not CHINESE.search(cause(english) + summaries(english))
    assert CHINESE.search(cause(chinese))
    assert CHINESE.search(summaries(chinese))
    assert drawn(chinese, "verdict")["cards"][0]["name"] == drawn(english, "verdict")["cards"][0]["name"]
    assert 'href="?section=checks&amp;choose_lang=zh"' in foot(english)
    assert 'href="?section=checks&amp;choose_lang=en"' in foot(chinese)

    del chinese.query_params["lang"]  # as a link to another page does
    assert CHINESE.search(cause(chinese.run()))
    assert chinese.query_params["lang"] == "zh"

    chinese.query_params["lang"] = "en"
    assert cause(chinese.run()) == cause(english)
    assert summaries(chinese) == summaries(english)


def test_a_language_that_there_is_not_is_no_choice() -> None:
    test = opened(section="config", lang="xx")
    assert not CHINESE.search(cause(test))
    assert "language.chosen" not in test.session_state


def test_the_page_that_asks_for_the_token_says_its_language() -> None:
    needed = TokenNeeded("This dashboard opens with a token", (("lang", "zh"),), came_by_link=True)
    with language("zh"):
        page = sign_in_page(needed)
    assert '<html lang="zh-CN">' in page
    assert 'name="lang" value="zh"' in page
    assert '<html lang="en">' in sign_in_page(needed)
