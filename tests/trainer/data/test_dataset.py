import json
import subprocess
import sys

import datasets
import pyarrow
import pytest
from pyarrow import parquet

from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.data.dataset import first_prompts, load_eval_rows, load_rows, read_dataset

TALK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1+1?"}]
ROWS = [
    {"prompt": "1+1=", "answer": "2", "hints": ["one", "two"]},
    {"prompt": "2+2=", "answer": "4", "hints": []},
]


def as_jsonl(rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


def test_the_columns_of_a_jsonl_file_come_along_unchanged(write):
    assert read_dataset(write("rows.jsonl", as_jsonl(ROWS))) == ROWS


def test_a_json_file_may_be_one_array_or_a_row_on_each_line(write):
    assert read_dataset(write("array.json", json.dumps(ROWS).encode())) == ROWS
    assert read_dataset(write("lines.json", as_jsonl(ROWS))) == ROWS


def test_a_csv_file_gives_texts_and_may_break_lines_within_a_field(write):
    file = write("rows.csv", b'\xef\xbb\xbfprompt,answer\n"a\nb",1\n"c, d",\n')
    assert read_dataset(file) == [{"prompt": "a\nb", "answer": "1"}, {"prompt": "c, d", "answer": ""}]
    assert read_dataset(write("rows.tsv", b"prompt\tanswer\na, b\t1\n")) == [{"prompt": "a, b", "answer": "1"}]


def test_a_parquet_file_gives_lists_and_messages_as_they_are(tmp_path):
    rows = [{"prompt": TALK, "answer": 2, "hints": ["one"]}, {"prompt": TALK[1:], "answer": None, "hints": []}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    assert read_dataset(str(tmp_path / "rows.parquet")) == rows


def test_a_prompt_may_be_a_list_of_messages(write):
    assert read_dataset(write("rows.jsonl", as_jsonl([{"prompt": TALK}])))[0]["prompt"] == TALK


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b'{"prompt": "a"}\n{oops', r"line 2 of the dataset .*a\.jsonl is not valid JSON"),
        ("a.jsonl", b'{"prompt": "a"}\n\n{"question": "b"}', "line 3 .* has no `prompt`"),
        ("a.jsonl", b'{"prompt": ""}', "line 1 .* has no `prompt`"),
        ("a.jsonl", b'{"prompt": []}', "line 1 .* has no `prompt`"),
        (
            "a.jsonl",
            b'{"prompt": [{"role": "user"}]}',
            r'line 1 .* has the `prompt` \[{"role": "user"}\]; .* with a text each',
        ),
        ("a.jsonl", b'{"prompt": {"text": ["' + b"a " * 99 + b'"]}}', "line 1 .* has the `prompt` {.{79}…; "),
        ("a.jsonl", b'["a"]', "line 1 .* has no `prompt`"),
        ("a.jsonl", b"\xff\xfe", "cannot be read"),
        ("a.json", b'[{"prompt": "a"},\n {oops}]', "line 2 .* is not valid JSON"),
        ("a.json", b'[{"prompt": "a"}, {}]', "row 2 .* has no `prompt`"),
        ("a.csv", b"question,answer\na,b\n", r"has no column `prompt` \(columns: question, answer\)"),
        ("a.csv", b"", r"has no column `prompt` \(columns: none\)"),
        ("a.csv", b'prompt,answer\n"a\nb",1\n,2\n', "line 4 .* has no `prompt`"),
        ("a.csv", b"prompt\na,b\n", "line 2 .* more fields than the header has columns"),
        ("a.csv", b'prompt\n"a\n', "cannot be read: unexpected end of data"),
        ("a.parquet", b"no parquet", "cannot be read"),
    ],
)
def test_bad_data_names_the_file_and_the_line(write, name, content, message):
    with pytest.raises(ConfigError, match=message) as refusal:
        read_dataset(write(name, content))
    assert "\n" not in str(refusal.value)


def saved_by_datasets(folder):
    splits = {"train": datasets.Dataset.from_list(ROWS), "test": datasets.Dataset.from_list(ROWS[:1])}
    datasets.DatasetDict(splits).save_to_disk(folder)
    return str(folder)


def test_a_folder_that_datasets_saved_is_read_by_its_splits(tmp_path):
    config = make_config("grpo", {"dataset": saved_by_datasets(tmp_path / "saved")})
    assert load_rows(config) == ROWS
    assert load_eval_rows(config) == ROWS[:1]
    with pytest.raises(ConfigError, match=r"has no split 'dev' \(splits: train, test\)"):
        load_rows(config.with_changes({"dataset_train_split": "dev"}))


def test_a_folder_of_data_files_is_read_as_datasets_reads_it(tmp_path):
    (tmp_path / "train.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "test.jsonl").write_bytes(as_jsonl(ROWS[1:]))
    config = make_config("grpo", {"dataset": str(tmp_path)})
    assert load_rows(config) == ROWS
    assert load_eval_rows(config) == ROWS[1:]


@pytest.mark.process
def test_an_id_on_the_hub_that_cannot_be_reached_gets_one_sentence():
    script = (
        "from trainer.data.dataset import read_dataset\nfrom trainer.config.options import ConfigError\n"
        "try:\n    read_dataset('someone/some-data')\n"
        "except ConfigError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(
        command, env={"HF_HUB_OFFLINE": "1", "PATH": ""}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("`datasets` cannot load someone/some-data (subset default, split train): ")
    assert done.stdout.endswith("a local JSONL, CSV or parquet file works without a network\n")


def test_rows_kept_out_of_training_come_from_eval_dataset_or_the_demo_task(write):
    train, held_out = write("train.jsonl", as_jsonl(ROWS)), write("eval.jsonl", as_jsonl(ROWS[:1]))
    assert load_eval_rows(make_config("grpo", {"dataset": train, "eval_dataset": held_out})) == ROWS[:1]
    demo = make_config("grpo", {"task": "addition"})
    asked = {row["prompt"] for row in load_rows(demo)}
    assert load_eval_rows(demo)
    assert not asked & {row["prompt"] for row in load_eval_rows(demo)}


def test_a_file_alone_keeps_no_rows_out_of_training(write):
    config = make_config("grpo", {"dataset": write("train.jsonl", as_jsonl(ROWS))})
    with pytest.raises(ConfigError, match="without a split that is kept out of training; name an eval_dataset"):
        load_eval_rows(config)


def test_a_look_at_the_first_prompts_reads_no_further_and_downloads_nothing(write):
    file = write("rows.jsonl", as_jsonl([{"prompt": TALK}]) + as_jsonl(ROWS) + b"{oops")
    assert first_prompts(make_config("grpo", {"dataset": file}), 2) == ["system: Be brief.\nuser: 1+1?", "1+1="]
    assert first_prompts(make_config("grpo", {"dataset": "someone/some-data"}), 2) == []
    assert len(first_prompts(make_config("grpo", {}), 3)) == 3
