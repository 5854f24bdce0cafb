"""Tests of the translations: that they are whole, keep what must stay, and are what is read at run time."""

import argparse
import gettext

import pytest
from babel.messages.extract import extract_from_file

from diagnostics.language import _, known_language, language, ngettext
from diagnostics.rules import CATALOG
from docs.translations.argparse_words import OF_PROGRAMMERS, PLURALS, WORDS
from docs.translations.checks import differences, faults
from docs.translations.files import TRANSLATED, forms, is_done, messages, mo_file, template, translations
from docs.translations.texts import DOMAINS
from docs.translations.units import composed_units, units

TRANSLATED_SO_FAR = dict.fromkeys(DOMAINS, 1.0)
"""How much of each domain is translated: it only rises, to 1."""

EACH = pytest.mark.parametrize(
    ("code", "domain"), [(code, domain) for code in TRANSLATED for domain in DOMAINS], ids="-".join
)


@EACH
def test_a_file_holds_the_texts_of_today(code: str, domain: str) -> None:
    expected = {(message.context, message.id) for message in messages(template(domain))}
    assert expected == {(message.context, message.id) for message in messages(translations(code, domain))}


@EACH
def test_as_much_is_translated_as_was(code: str, domain: str) -> None:
    every = list(messages(translations(code, domain)))
    assert sum(map(is_done, every)) >= TRANSLATED_SO_FAR[domain] * len(every)


@EACH
def test_a_translation_keeps_the_places_for_values_and_the_code(code: str, domain: str) -> None:
    done = [message for message in messages(translations(code, domain)) if is_done(message)]
    assert [fault for message in done for fault in differences(message)] == []


@EACH
def test_what_is_read_is_what_is_translated(code: str, domain: str) -> None:
    with mo_file(code, domain).open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in messages(translations(code, domain)):
        english = message.id[0] if isinstance(message.id, tuple) else message.id
        if message.context:
            found = compiled.pgettext(message.context, english)
        elif isinstance(message.id, tuple):
            found = compiled.ngettext(*message.id, 1)
        else:
            found = compiled.gettext(english)
        assert (forms(message)[0] if is_done(message) else english) == found


def test_what_argparse_says_is_known_whatever_the_version_of_python() -> None:
    found = extract_from_file("python", argparse.__file__, keywords={"_": None, "ngettext": (1, 2)})
    said = {words if isinstance(words, str) else words[0] for _line, words, _comments, _context in found}
    assert said - {*WORDS, *OF_PROGRAMMERS, *(one for one, _many in PLURALS)} == set()


def test_every_unit_that_a_rule_may_say_is_translated() -> None:
    assert list(composed_units()) == []
    known = {message.id for domain in DOMAINS for message in messages(translations("zh", domain)) if is_done(message)}
    said = {text.english for text in units()} | {limit.unit for rule in CATALOG for limit in rule.limit_docs}
    assert {"of a suspicious jump", "× its own median", "reward below the best"} <= said
    assert said <= known | {""}


def test_the_faults_of_a_file_are_listed() -> None:
    listed = list(faults("zh", "pages"))
    assert len(listed) == sum(not is_done(message) for message in messages(translations("zh", "pages")))


def test_a_text_is_in_the_language_of_its_context() -> None:
    assert _("critical") == "critical"
    with language("zh"):
        assert _("critical") == "严重"
        assert ngettext("{count} check", "{count} checks", 3).format(count=3) == "3 项检查"
        assert _("no text of rlvitals") == "no text of rlvitals"
        assert _("") == ""
    assert _("critical") == "critical"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("zh_CN.UTF-8", "zh"),
        ("zh-Hans-CN", "zh"),
        ("ZH", "zh"),
        ("en-GB", "en"),
        ("fr", "en"),
        ("C.UTF-8", "en"),
        ("", "en"),
    ],
)
def test_a_language_is_known_by_any_of_its_names(wanted: str, expected: str) -> None:
    assert expected == known_language(wanted)
