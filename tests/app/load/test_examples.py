from app.load.examples import examples_of


def test_a_rule_is_shown_by_the_sample_run_on_which_it_fires_beside_a_healthy_curve_of_that_metric() -> None:
    sick, healthy = examples_of("kl-negative")

    assert (sick.diagnosis.run.name, sick.outcome and sick.outcome.rule) == ("negative-kl", "kl-negative")
    assert healthy.outcome is None
    assert healthy.diagnosis.verdict == "healthy"
    assert sick.series
    assert healthy.series
    assert sick.series.name == healthy.series.name


def test_a_metric_in_which_nothing_fires_is_shown_by_a_healthy_run_alone() -> None:
    (only,) = examples_of("learning_rate")

    assert (only.outcome, only.diagnosis.verdict) == (None, "healthy")
    assert only.series
    assert only.series.name == "learning_rate"


def test_an_entry_that_no_sample_run_shows_has_no_example() -> None:
    assert examples_of("kv-preempted") == ()
