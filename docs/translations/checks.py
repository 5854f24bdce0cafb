"""What is wrong with a translation: missing, fuzzy, no longer a text of rlvitals, or with other places for values."""

import re
from collections import Counter
from collections.abc import Iterator

from babel.messages.catalog import Message

from docs.translations.files import forms, is_done, messages, template, translations

_PLACE = re.compile(r"\{[a-z_]*(?:![rs])?(?::[^{}]+)?\}|%\([a-z_]+\)[rs]|%[rs]")
_CODE = re.compile(r"`[^`]+`")


def faults(language: str, domain: str) -> Iterator[str]:
    """A line for each text that is not rightly translated."""
    known = {(message.context, _english(message)): message for message in messages(translations(language, domain))}
    for wanted in messages(template(domain)):
        found = known.pop((wanted.context, _english(wanted)), None)
        if found is None:
            yield f"not in the file: {_english(wanted)!r}"
        elif not is_done(found):
            yield f"{'fuzzy' if found.fuzzy else 'missing'}: {_english(wanted)!r}"
        else:
            yield from differences(found)
    yield from (f"no text of rlvitals any more: {english!r}" for _, english in known)


def differences(message: Message) -> Iterator[str]:
    """Where a translation has other places for values, or other code, than the English."""
    english = message.id[-1] if isinstance(message.id, list | tuple) else message.id
    for pattern in (_PLACE, _CODE):
        expected = Counter(pattern.findall(english))
        for form in forms(message):
            if Counter(pattern.findall(form)) != expected:
                yield f"has not the same {' '.join(sorted(expected)) or 'places, none'}: {form!r}"


def _english(message: Message) -> str:
    return message.id[0] if isinstance(message.id, list | tuple) else message.id
