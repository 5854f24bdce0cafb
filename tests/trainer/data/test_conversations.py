import pytest

from trainer.data.conversations import as_completion, completion_text, is_conversation, prompt_text

USER = {"role": "user", "content": "1+1?"}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ([USER], True),
        ((USER, USER), True),
        ([], False),
        ("1+1?", False),
        ([{"role": "user"}], False),
        ([{"role": "user", "content": ["1+1?"]}], False),
        (["1+1?"], False),
        (None, False),
    ],
)
def test_a_conversation_is_messages_that_all_have_a_role_and_a_text(prompt, expected):
    assert is_conversation(prompt) is expected


def test_a_prompt_reads_as_one_text():
    assert prompt_text("1+1?") == prompt_text([USER]) == "1+1?"
    assert prompt_text([{"role": "system", "content": "Be brief."}, USER]) == "system: Be brief.\nuser: 1+1?"


def test_a_completion_has_the_form_of_its_prompt():
    assert as_completion("2", "1+1?") == "2"
    assert as_completion("2", [USER]) == [{"role": "assistant", "content": "2"}]
    assert completion_text(as_completion("2", [USER])) == completion_text("2") == "2"
