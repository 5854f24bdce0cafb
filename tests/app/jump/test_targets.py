"""The targets of a jump in the language of whoever asks."""

from app.jump.targets import ENTRY, Target, named_exactly, targets
from diagnostics.boundary import Boundary
from diagnostics.language import language


def entries(code: str) -> dict[str, Target]:
    with language(code):
        return {found.name: found for found in targets(Boundary.around(()), None) if found.way == ENTRY}


def test_an_entry_keeps_its_name_and_is_told_in_the_language_of_the_page() -> None:
    english, chinese = entries("en"), entries("zh")
    assert english.keys() == chinese.keys()
    assert "The policy has moved" in english["kl-too-high"].about
    assert "策略" in chinese["kl-too-high"].about
    assert (english["kl-too-high"].kind, chinese["kl-too-high"].kind) == ("rule", "规则")


def test_an_entry_found_by_a_tag_says_its_kind_in_the_language_of_the_page() -> None:
    (english,) = named_exactly("train/grad_norm")
    with language("zh"):
        (chinese,) = named_exactly("train/grad_norm")
    assert (english.kind, chinese.kind) == ("metric", "指标")
    assert english.where == chinese.where
