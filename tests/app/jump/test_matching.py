"""What a few letters find: exactly, at a start, inside, in order; the nearer and the shorter first."""

from collections.abc import Sequence

from app.jump.matching import LONGEST_QUERY, MOST_HITS, best
from app.jump.targets import CHART, ENTRY, RUN, Target


def target(name: str, about: str = "", way: str = ENTRY) -> Target:
    return Target("", name, about, way, name)


def found(query: str, *targets: Target) -> Sequence[str]:
    return [hit.name for hit in best(query, targets)]


def test_the_better_a_name_fits_the_earlier_it_stands() -> None:
    worst_first = [
        target("kind-of-log"),
        target("ratio", about="like kl"),
        target("nickle"),
        target("approx-kl"),
        target("kl-negative"),
        target("kl"),
    ]
    assert found("kl", *worst_first) == ["kl", "kl-negative", "approx-kl", "nickle", "ratio", "kind-of-log"]


def test_of_equally_good_ones_a_chart_comes_before_a_run_and_both_before_an_entry() -> None:
    mixed = (target("reward", way=ENTRY), target("reward", way=RUN), target("reward", way=CHART))
    assert [hit.way for hit in best("rew", mixed)] == [CHART, RUN, ENTRY]


def test_of_equally_good_and_near_ones_the_shorter_name_comes_first() -> None:
    assert found("seed", target("seed-10"), target("seed-1")) == ["seed-1", "seed-10"]


def test_every_word_must_fit_somewhere_in_any_order() -> None:
    runs = (target("grpo-addition-7", "/runs/old"), target("grpo-remarks-7", "/runs/new"))
    assert found("7 ADD", *runs) == ["grpo-addition-7"]
    assert found("grpo new", *runs) == ["grpo-remarks-7"]
    assert found("grpo elsewhere-z", *runs) == []


def test_letters_out_of_order_and_nothing_find_nothing() -> None:
    assert found("lk", target("kl")) == []
    assert found("  ", target("kl")) == []


def test_the_list_and_what_is_read_of_a_query_are_bounded() -> None:
    many = [target(f"run-{number}") for number in range(MOST_HITS + 5)]
    assert len(found("run", *many)) == MOST_HITS
    assert found("a" * (LONGEST_QUERY + 1), target("a" * LONGEST_QUERY)) == ["a" * LONGEST_QUERY]
