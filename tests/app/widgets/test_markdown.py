"""Names are shown literally, not as Markdown."""

from app.widgets.markdown import escaped


def test_a_name_with_markdown_stays_a_name() -> None:
    assert escaped("**a** $x$ :red[b]") == r"\*\*a\*\* \$x\$ \:red\[b\]"
