"""Text for Streamlit's Markdown: names and messages may contain any character, and none may format the page."""

_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]()<>#+-.!|~$:^=&\"'@/"})


def escaped(text: str) -> str:
    """Text on one line in which Markdown finds nothing to format."""
    return text.translate(_SPECIAL).replace("\n", " ")


def with_code(text: str) -> str:
    """Text of our own documents: code between backticks, nothing else formatted."""
    parts = text.split("`")
    return "".join(f"`{part}`" if index % 2 else escaped(part) for index, part in enumerate(parts))
