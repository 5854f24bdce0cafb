"""Names are shown literally, not as Markdown."""

import pytest

from app.widgets.markdown import escaped


def test_a_name_with_markdown_stays_a_name() -> None:
    assert escaped("**a** $x$ :red[b]") == r"\*\*a\*\* \$x\$ \:red\[b\]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://a.b", r"https\::small[]\/\/a\.b"),
        ("www.a.b", r"www:small[]\.a\.b"),
        ("me@a.b", r"me\@:small[]a\.b"),
        (":smile:", r"\::small[]smile\:"),
        (":material/home:", r"\::small[]material\/home\:"),
        ("a -> b", r"a \-:small[]\> b"),
        ("a: b 12:30 --flag", r"a\: b 12\:30 \-\-flag"),
    ],
)
def test_what_is_drawn_although_it_is_escaped_is_kept_apart(text: str, shown: str) -> None:
    assert shown == escaped(text)


def test_a_name_is_one_line_of_visible_characters() -> None:
    assert escaped("a\nb\x1b\u202e") == "a⏎b␛⟨U\\+202E⟩"
