"""Tokenizers of single characters with a BOS and an end token, and chat templates for them, sound and sick."""

import string
from pathlib import Path

from tokenizers import Tokenizer, models, processors
from transformers import PreTrainedTokenizerFast

BOS, END, UNKNOWN = "<s>", "</s>", "<unk>"
_CALLS = "{% if m.tool_calls %}<call>{{ m.tool_calls[0].function.name }}{% endif %}"
SOUND = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]\n{{ m.content }}"
    f"{_CALLS}"
    "{{ eos_token }}\n{% endfor %}{% if add_generation_prompt %}[assistant]\n{% endif %}"
)
WITHOUT_BOS = SOUND.removeprefix("{{ bos_token }}")
TWO_BOS = "{{ bos_token }}" + SOUND
FORGETS_THOUGHTS = SOUND.replace("{{ m.content }}", "{{ m.content if loop.last else m.content.split('</think>')[-1] }}")
ENDS_CALLS_OTHERWISE = SOUND.replace(_CALLS, _CALLS + "{% if loop.last and m.tool_calls %}<return>{% endif %}")
MERGES = "{% for m in messages %}{{ '\n' + m.content + '\n' }}{% endfor %}"
"""Its line ends of two turns become one token."""
REFUSES = "{{ raise_exception('only for \x1b[31mfriends') }}"
ESCAPES = "{{ messages.__class__.__mro__[1].__subclasses__() }}"


def tiny_tokenizer(template: str | None, *, adds_bos: bool = False) -> PreTrainedTokenizerFast:
    """A token for each printable character, one for two line ends, and the special ones."""
    tokens = [BOS, END, UNKNOWN, *string.printable, "\n\n"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    backend = Tokenizer(models.BPE(vocabulary, [("\n", "\n")], unk_token=UNKNOWN))
    if adds_bos:
        backend.post_processor = processors.TemplateProcessing(single=f"{BOS} $A", special_tokens=[(BOS, 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=BOS, eos_token=END, unk_token=UNKNOWN, chat_template=template
    )


def write_tokenizer(folder: Path, template: str | None, *, adds_bos: bool = False) -> Path:
    """A model's folder without weights: only its tokenizer can be loaded."""
    tiny_tokenizer(template, adds_bos=adds_bos).save_pretrained(folder)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    return folder
