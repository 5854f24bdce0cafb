import pytest

from trainer.options import ConfigError
from trainer.prompts import Prompts, read_dataset


def test_every_row_comes_once_before_any_comes_again():
    rows = [{"prompt": str(number)} for number in range(10)]
    prompts = Prompts(rows, seed=1)
    drawn = prompts.draw(7) + prompts.draw(7)
    assert sorted(row["prompt"] for row in drawn[:10]) == [row["prompt"] for row in rows]


def test_the_seed_fixes_the_order():
    rows = [{"prompt": str(number)} for number in range(10)]
    assert Prompts(rows, 1).draw(25) == Prompts(rows, 1).draw(25)
    assert Prompts(rows, 1).draw(10) != Prompts(rows, 2).draw(10)


def test_columns_come_along(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"prompt": "1+1=", "answer": "2"}\n\n{"prompt": "2+2="}\n')
    assert read_dataset(file) == [{"prompt": "1+1=", "answer": "2"}, {"prompt": "2+2="}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b'{"prompt": "a"}\n{oops', r"line 2 .* is no JSON"),
        (b'{"prompt": "a"}\n{"question": "b"}', "line 2 .* has no text under `prompt`"),
        (b'{"prompt": ""}', "line 1 .* has no text under `prompt`"),
        (b'["a"]', "line 1 .* has no text under `prompt`"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_a_bad_dataset_names_the_line(tmp_path, content, message):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_dataset(file)
