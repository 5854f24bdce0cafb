"""The sentiment reward with the real lexicon."""

from trainer.rewards import get_reward_funcs


def test_sentiment_orders_remarks_as_a_reader_would() -> None:
    (sentiment,) = get_reward_funcs(["sentiment"])
    worst, nothing, best = sentiment(["p"] * 3, ["This is horrible, I hate it.", "", "What a wonderful, great film!"])
    assert worst is not None
    assert best is not None
    assert -1 <= worst < -0.5
    assert nothing == 0.0
    assert 0.5 < best <= 1
