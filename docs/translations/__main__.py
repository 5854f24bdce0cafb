"""Writes, compiles and checks the files of translations: `python -m docs.translations`, or `make translations`."""

import argparse
import sys

from docs.translations.checks import faults
from docs.translations.files import TRANSLATED, compile_domain, is_done, messages, translations, update
from docs.translations.texts import DOMAINS


def main() -> None:
    """Update and compile the domains that are named, or all; then say what is left to do."""
    given = _parser().parse_args()
    for language in TRANSLATED:
        for domain in given.domains or DOMAINS:
            if not given.compile:
                update(language, domain)
            compile_domain(language, domain)
            sys.stdout.write(f"{_state(language, domain)}\n")
            if given.faults:
                sys.stdout.writelines(f"{fault}\n" for fault in faults(language, domain))


def _state(language: str, domain: str) -> str:
    every = list(messages(translations(language, domain)))
    words = sum(len(str(message.id).split()) for message in every)
    return f"{language} {domain:<10} {sum(map(is_done, every)):>5} of {len(every):>5} texts, {words:>6} words"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m docs.translations", description=__doc__)
    parser.add_argument("domains", nargs="*", metavar="DOMAIN", help=f"of {', '.join(DOMAINS)}; by default all")
    parser.add_argument("--compile", action="store_true", help="do not look for texts, only compile what is translated")
    parser.add_argument("--faults", action="store_true", help="list what is missing or wrong")
    return parser


if __name__ == "__main__":
    main()
