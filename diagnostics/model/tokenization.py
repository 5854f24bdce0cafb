"""What a model's tokenizer makes of prompts, and of a conversation as it grows, tried before a training."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """One prompt of the training, as the policy will read it.

    text: its beginning · ids, tokens: the first ones · count: of all its tokens · leading_bos: BOS tokens at its
    start · end_tokens: end tokens in it · is_rendered: whether the chat template wrote it, from messages.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    count: int
    leading_bos: int
    end_tokens: int
    is_rendered: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """A made-up conversation, rendered turn by turn by the chat template.

    kind: plain, thinking or tool-call · turns: how many it has · changed_by: the turn, counted from 1, that changes the
    rendering of those before it, None where each adds to it · earlier, later: that rendering without and with the turn,
    from shortly before the first difference · is_same_text: whether only its tokens differ · refused: why the template
    cannot render it; empty where it can.
    """

    kind: str
    turns: int
    changed_by: int | None = None
    earlier: str = ""
    later: str = ""
    is_same_text: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Tokenization:
    """The special tokens of a tokenizer, the first prompts in tokens, and conversations as they grow.

    bos, eos, pad: None where the tokenizer has none · adds_bos: whether it puts a BOS before plain text · has_template:
    whether it has a chat template, which writes `template_bos` BOS tokens at the start of a prompt; if that text is
    tokenised like plain text, it begins with `retokenized_bos`.
    """

    bos: str | None
    eos: str | None
    pad: str | None
    adds_bos: bool
    has_template: bool
    template_bos: int
    retokenized_bos: int
    prompts: tuple[PromptTokens, ...]
    conversations: tuple[Conversation, ...]

    @property
    def pads_with_end(self) -> bool:
        """Whether the padding token is the end token."""
        return self.pad is not None and self.pad == self.eos
