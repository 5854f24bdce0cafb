import pytest

from trainer.config.local_or_hub import DATASET_SUFFIXES, absolute_path, check_dataset, check_model, is_path
from trainer.config.options import ConfigError


@pytest.mark.parametrize("name", ["gpt2", "Qwen/Qwen3-0.6B", "someone/some.model_v2"])
def test_an_id_of_the_hub_is_no_path_and_is_not_refused(name):
    assert not is_path(name)
    assert absolute_path(name) == name
    check_model(name, "model_name_or_path")
    check_dataset(name, "dataset")


@pytest.mark.parametrize("name", ["/no/model", "./model", "../model", "~/model", "runs/a/checkpoints/step-5", "model/"])
def test_what_is_written_as_a_path_and_is_not_there_is_refused_at_once(name):
    with pytest.raises(ConfigError, match="which is not a folder here; give a model's folder, or its id on the hub"):
        check_model(name, "model_name_or_path")


@pytest.mark.parametrize("name", ["no.jsonl", "data/no.csv", "no.parquet", "./no"])
def test_a_data_file_that_is_not_there_is_refused_at_once(name):
    with pytest.raises(ConfigError, match="is not a file; give a JSONL, CSV or parquet file"):
        check_dataset(name, "dataset")


def test_what_is_there_is_a_path_whatever_it_looks_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert absolute_path("mine") == str(tmp_path / "mine")
    with pytest.raises(ConfigError, match=r"has no config\.json; give the folder that save_pretrained wrote"):
        check_model("mine", "model_name_or_path")
    check_dataset("mine", "dataset")
    assert absolute_path("new.jsonl", DATASET_SUFFIXES) == str(tmp_path / "new.jsonl")


def test_a_data_file_of_an_unknown_kind_is_refused(tmp_path):
    (tmp_path / "rows.xlsx").touch()
    with pytest.raises(ConfigError, match=r"unknown file type; it must end in \.jsonl, "):
        check_dataset(str(tmp_path / "rows.xlsx"), "dataset")
