"""Rewrites every generated page: `python -m docs.generate`, which `make reference` runs."""

from docs.generate.pages import PAGES


def main() -> None:
    """Write all pages."""
    for path, page in PAGES.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
