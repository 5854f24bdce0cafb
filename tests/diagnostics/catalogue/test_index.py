from diagnostics.catalogue import pages_about
from diagnostics.catalogue.index import Line, chapters


def test_every_line_of_the_index_leads_to_a_page() -> None:
    assert [line.name for lines in chapters().values() for line in lines if not pages_about(line.name)] == []


def test_a_name_stands_once_in_a_chapter() -> None:
    for lines in chapters().values():
        names = [line.name for line in lines]
        assert sorted(set(names)) == sorted(names)


def test_a_line_matches_words_of_its_name_title_and_sentence_in_any_order() -> None:
    line = Line("kl-negative", "The KL is negative.", "RV301")

    assert line.matches(["rv301"])
    assert line.matches(["negative", "kl"])
    assert not line.matches(["kl", "reward"])
