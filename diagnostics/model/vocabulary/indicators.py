"""Of what is 0 or 1 for each sample or token: whether it is so for any of them, and whether for all."""

from diagnostics.model.metric import Metric, Section


def any_and_all(stem: str, title: str, what: str, section: Section, *, source: str) -> tuple[Metric, ...]:
    """The entries `any_<stem>` and `all_<stem>`; `what` completes "1 where any …" and "1 where every …"."""
    return tuple(
        Metric(
            f"{which}_{stem}",
            f"{title}, {which}",
            "0 or 1",
            f"1 where {word} {what}, else 0.",
            section,
            low=0,
            high=1,
            source=source,
        )
        for which, word in (("any", "any"), ("all", "every"))
    )
