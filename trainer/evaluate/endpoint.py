"""A judge behind an OpenAI-compatible endpoint, asked about several pairs at a time, with retries."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from diagnostics.language import _
from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.console import progress
from trainer.data.conversations import prompt_text
from trainer.evaluate.contest import Pair, Verdict

QUESTION = "Which of the two responses answers the prompt better?"
_TASK = """\
{question} The order of the responses means nothing.

<prompt>
{prompt}
</prompt>

<response A>
{a}
</response A>

<response B>
{b}
</response B>

Reply with one word: A, B or TIE."""
_WORDS: dict[str, Verdict] = {"A": "a", "B": "b", "TIE": "tie"}
_PASSING = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how the judge is asked. Times are in seconds; the pause doubles with each attempt."""

    base_url: str
    key: str | None = None
    question: str = QUESTION
    at_once: int = 8
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 1.0


class EndpointJudge:
    """A language model that compares two responses and replies A, B or TIE; other replies give no verdict.

    A pair whose attempts all fail gets no verdict. If no request is ever answered, that is an error.
    """

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self._model = model
        self._endpoint = endpoint
        self._has_answered = False

    @property
    def is_position_biased(self) -> bool:
        return True

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        with ThreadPoolExecutor(self._endpoint.at_once) as threads:
            verdicts = threads.map(self._verdict, pairs)
            return list(
                progress(
                    verdicts, len(pairs), _("{model} judges {count} pairs").format(model=self._model, count=len(pairs))
                )
            )

    def _verdict(self, pair: Pair) -> Verdict | None:
        task = _TASK.format(
            question=self._endpoint.question, prompt=prompt_text(pair.row["prompt"]), a=pair.a, b=pair.b
        )
        answer = self._reply_text({"model": self._model, "messages": [{"role": "user", "content": task}]})
        return None if answer is None else verdict_in(answer)

    def _reply_text(self, question: dict[str, Any]) -> str | None:
        """The text of the reply, if any. Raises ConfigError if retrying is pointless."""
        failure = ""
        for attempt in range(self._endpoint.attempts):
            if attempt:
                time.sleep(self._endpoint.pause * 2 ** (attempt - 1))
            try:
                text = text_of(self._post(question))
            except urllib.error.HTTPError as error:
                failure = f"{error.code} {error.reason}"
                if error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in _PASSING:
                    raise self._error(told("refuses ({failure})", failure=failure), _remedy(error)) from error
            except (
                OSError,
                ValueError,
                HTTPException,
            ) as error:  # no connection, a timeout, or a reply that is not JSON
                failure = str(error) or type(error).__name__
            else:
                self._has_answered = True
                return text
        if self._has_answered:
            return None
        problem = told("failed {count} times ({failure})", count=self._endpoint.attempts, failure=failure)
        raise self._error(problem, told("check --base_url"))

    def _error(self, problem: str, remedy: str) -> ConfigError:
        return ConfigError(
            told(
                "the judge at {base_url} {problem}; {remedy}",
                base_url=self._endpoint.base_url,
                problem=problem,
                remedy=remedy,
            )
        )

    def _post(self, question: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._endpoint.key:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        url = f"{self._endpoint.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, json.dumps(question).encode(), headers)
        with urllib.request.urlopen(request, timeout=self._endpoint.timeout) as reply:
            return json.load(reply)


def text_of(reply: Any) -> str | None:
    """The text of a chat completion; None if the reply has another shape or no text."""
    try:
        text = reply["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return None
    return text if isinstance(text, str) else None


def verdict_in(answer: str) -> Verdict | None:
    """The verdict of a reply whose last line is one of the three words; None for any other reply."""
    lines = answer.strip().splitlines()
    return _WORDS.get(re.sub(r"[\W_]", "", lines[-1]).upper()) if lines else None


def _remedy(error: urllib.error.HTTPError) -> str:
    if error.code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return told("set OPENAI_API_KEY")
    return told("check --base_url and the model's name")
