"""The files of translations: one `.po` for each domain and language, and beside it what is compiled from it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from diagnostics.language import ENGLISH, FOLDER, LANGUAGES
from docs.translations import catalogues, source_code
from docs.translations.texts import DOMAINS, Text

TRANSLATED = tuple(code for code in LANGUAGES if code != ENGLISH)
_HEADER = "# Texts of rlvitals. docs/guide/translating.md says how they are translated."
_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # a file changes with its texts alone
_WIDTH = 120


def po_file(language: str, domain: str) -> Path:
    """Where a domain is translated."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def mo_file(language: str, domain: str) -> Path:
    """What is compiled from it."""
    return po_file(language, domain).with_suffix(".mo")


@cache
def texts_by_domain() -> dict[str, tuple[Text, ...]]:
    """Every text of rlvitals, each in one domain, in the order in which it is found."""
    order = {domain: place for place, domain in enumerate(DOMAINS)}
    found = [*source_code.texts(), *catalogues.texts()]
    domain_of: dict[tuple[str, str], str] = {}
    for domain, text in found:
        key = (text.context, text.english)
        domain_of[key] = min(domain, domain_of.get(key, domain), key=order.__getitem__)
    return {
        domain: tuple(text for _, text in found if text.english and domain_of[text.context, text.english] == domain)
        for domain in DOMAINS
    }


def template(domain: str) -> Catalog:
    """The texts of a domain without translations."""
    catalog = Catalog(domain=domain, charset="utf-8", creation_date=_DATE)
    for text in texts_by_domain()[domain]:
        catalog.add(
            (text.english, text.plural) if text.plural else text.english,
            locations=[(text.where, None)],  # type: ignore[list-item]  # a line number would change with every edit
            auto_comments=[text.what] if text.what else [],
            context=text.context or None,
        )
    return catalog


def translations(language: str, domain: str) -> Catalog:
    """What is translated of a domain so far."""
    path = po_file(language, domain)
    if not path.exists():
        return _empty(language, domain)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def update(language: str, domain: str) -> None:
    """Bring a domain's file up to the texts of today: translations stay, those of changed texts become fuzzy."""
    catalog, today = translations(language, domain), template(domain)
    catalog.update(today, no_fuzzy_matching=not any(message.string for message in catalog if message.id))
    catalog.obsolete.clear()
    _write_header(catalog)
    path = po_file(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=_WIDTH, include_lineno=False)


def compile_domain(language: str, domain: str) -> None:
    """Write the `.mo` that is read at run time; what is not done is left out, and read in English."""
    catalog = translations(language, domain)
    for message in [message for message in messages(catalog) if not is_done(message)]:
        catalog.delete(message.id, message.context)
    with mo_file(language, domain).open("wb") as file:
        write_mo(file, catalog)


def messages(catalog: Catalog) -> Iterator[Message]:
    """The messages of a catalogue without its header."""
    return (message for message in catalog if message.id)


def forms(message: Message) -> tuple[str, ...]:
    """A message's translation: one form, or one for each plural."""
    return tuple(message.string) if isinstance(message.string, list | tuple) else (message.string or "",)


def is_done(message: Message) -> bool:
    """Whether it is translated in every form, and nobody has to look at it again."""
    return not message.fuzzy and all(forms(message))


def _empty(language: str, domain: str) -> Catalog:
    return Catalog(locale=language, domain=domain, charset="utf-8")


def _write_header(catalog: Catalog) -> None:
    """Nothing of who wrote a file, or when and by which version: it changes with its texts alone."""
    catalog.header_comment, catalog.fuzzy = _HEADER, False
    catalog.mime_headers = [
        ("Project-Id-Version", "rlvitals"),
        ("Language", str(catalog.locale)),
        ("Plural-Forms", catalog.plural_forms),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", "8bit"),
    ]
