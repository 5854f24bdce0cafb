import pytest

from trainer.acceleration import processor

ZEN_4 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\n"


@pytest.fixture
def described(tmp_path, monkeypatch):
    """Write what Linux says of the processor; the answer is not kept from one test to the next."""
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(processor, "_DESCRIPTION", path)
    processor.processor.cache_clear()
    yield path.write_text
    processor.processor.cache_clear()


def test_a_processor_is_told_by_the_names_that_linux_uses(described):
    described(ZEN_4 * 2)
    assert processor.processor()["model name"] == "AMD EPYC"


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        (ZEN_4, (True, False, True)),
        (ZEN_4.replace("25", "26"), (True, False, False)),
        (ZEN_4.replace("AuthenticAMD", "GenuineIntel"), (False, True, False)),
        ("CPU implementer\t: 0x41\n", (False, False, False)),
    ],
    ids=["Zen 4", "Zen 5", "Intel", "ARM"],
)
def test_a_processor_is_known_by_who_made_it_and_zen_4_alone_halves_its_vectors(described, description, kind):
    described(description)
    assert (processor.is_amd(), processor.is_intel(), processor.halves_vectors()) == kind


def test_of_a_system_that_says_nothing_nothing_is_known(described):
    assert processor.processor() == {}
    assert not any(is_known() for is_known in (processor.is_amd, processor.is_intel, processor.halves_vectors))
