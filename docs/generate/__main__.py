"""Writes every generated page anew: `python -m docs.generate`, which `make reference` runs."""

from docs.generate.pages import PAGES


def main() -> None:
    """Write them all, one after the other."""
    for path, page in PAGES.items():
        path.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
