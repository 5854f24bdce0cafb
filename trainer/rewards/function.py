"""A reward function as the trainer calls it: results are checked, and errors name the prompt."""

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any

from diagnostics.language import N_, _
from diagnostics.told import told
from trainer.config.reward_names import RewardError
from trainer.console import say_once
from trainer.data.conversations import Completion, Prompt, completion_text, prompt_text
from trainer.rewards.call_context import CallContext
from trainer.rewards.slow_call import announced_if_slow

Function = Callable[..., Any]
"""Called as `function(prompts=…, completions=…, **columns)` with lists of B; returns B rewards, None if unscorable."""

IDS_COLUMN = "completion_ids"
LONGEST_QUOTE = 80  # characters of a prompt in a message


@dataclass(frozen=True, slots=True)
class RewardFunc:
    """A reward function under the name that its metrics carry: `rewards/{name}/mean`.

    It receives those of `prompts`, `completions`, the columns and the `CallContext`'s arguments that its signature
    names, or all of them if it takes `**kwargs`. TRL always passes all of them, so a function without `**kwargs` fails
    there. It may be async.
    """

    name: str
    function: Function
    takes_messages: bool = True
    """Whether it receives conversations as messages, as in TRL; otherwise as plain text."""

    def __call__(
        self,
        prompts: Sequence[Prompt],
        completions: Sequence[Completion],
        context: CallContext | None = None,
        /,
        **columns: Sequence[Any],
    ) -> list[float | None]:
        """One reward per completion; None where it cannot be scored. NaN and infinity pass through as evidence.

        Args:
            prompts, completions: B each; columns: further columns of the dataset, B values each.
            context: Defaults to the first step of a training.

        Raises:
            RewardError: The function needs a missing column, raised, exited, or returned another count than B or
                something that is not a number.
        """
        from_context = (context or CallContext()).arguments()
        inputs = self._inputs(prompts, completions, columns, from_context)
        try:
            rewards = self._call(inputs, from_context)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # user code may raise anything, and sys.exit() must not end a run silently
            culprit = self._failing_prompt(inputs, prompts, from_context)
            raise self._error(told("raised {error}", error=f"{type(error).__name__}: {error}"), culprit) from error
        return self._checked(rewards, inputs, prompts, from_context)

    def load(self) -> None:
        """Call the function's own `load`, if it has one, for slow preparation such as reading a model.

        Raises:
            RewardError: It failed.
        """
        load = getattr(self.function, "load", None)
        if not callable(load) or _parameters(load).required:
            return
        try:
            load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # as in a call
            raise RewardError(
                told("reward function {name} cannot be loaded: {error}", name=self.name, error=error)
            ) from error

    def _inputs(
        self,
        prompts: Sequence[Prompt],
        completions: Sequence[Completion],
        columns: Mapping[str, Sequence[Any]],
        from_context: Mapping[str, Any],
    ) -> dict[str, list[Any]]:
        """The arguments of the call, B values under each name."""
        own: dict[str, Sequence[Any]] = {"prompts": prompts, "completions": completions}
        if not self.takes_messages:
            own = {
                "prompts": [prompt_text(prompt) for prompt in prompts],
                "completions": [completion_text(completion) for completion in completions],
            }
        offered = {name: list(values) for name, values in {**columns, **own}.items()}
        parameters = _parameters(self.function)
        if missing := [name for name in parameters.required if name not in offered and name not in from_context]:
            raise self._missing_argument(missing[0], [name for name in columns if name != IDS_COLUMN])
        return {
            name: values for name, values in offered.items() if name not in from_context and parameters.accept(name)
        }

    def _missing_argument(self, name: str, columns: Sequence[str]) -> RewardError:
        if name == IDS_COLUMN:
            return RewardError(
                told(
                    "reward function {name} needs {argument}, but no model wrote these completions as tokens: give the "
                    "parameter the default None, and read the texts where it is None",
                    name=self.name,
                    argument=name,
                )
            )
        return RewardError(
            told(
                "reward function {name} needs the column {column}, which the dataset lacks (columns: {columns}): "
                "add it, or take it out of the signature",
                name=self.name,
                column=name,
                columns=", ".join(columns) or told("none besides prompt"),
            )
        )

    def _call(self, inputs: Mapping[str, list[Any]], from_context: Mapping[str, Any]) -> Any:
        parameters = _parameters(self.function)
        accepted = {name: value for name, value in from_context.items() if parameters.accept(name)}
        with announced_if_slow(self.name):
            rewards = self.function(**{name: list(values) for name, values in inputs.items()}, **accepted)
            return _await_result(rewards) if inspect.isawaitable(rewards) else rewards

    def _checked(
        self,
        rewards: object,
        inputs: Mapping[str, list[Any]],
        prompts: Sequence[Prompt],
        from_context: Mapping[str, Any],
    ) -> list[float | None]:
        found = _as_list(rewards)
        if found is None:
            kind = type(rewards).__name__
            raise self._error(
                told("returned {kind} where a list with one number per completion is expected", kind=kind), prompts[0]
            )
        if len(found) != len(prompts):
            words = N_("returned {found} rewards for {wanted} completions")
            problem = told(words, found=len(found), wanted=len(prompts))
            raise self._error(problem, self._failing_prompt(inputs, prompts, from_context))
        numbers = [self._number(reward, prompt) for reward, prompt in zip(found, prompts, strict=True)]
        self._report_what_is_not_finite(numbers, prompts)
        return numbers

    def _number(self, reward: Any, prompt: Prompt) -> float | None:
        if reward is None:
            return None
        try:
            if isinstance(reward, str | bytes):  # float() would read "1.0"
                raise TypeError
            return float(reward)
        except (TypeError, ValueError):
            raise self._error(
                told("returned {reward!r} where a number or None is expected", reward=reward), prompt
            ) from None

    def _report_what_is_not_finite(self, rewards: Sequence[float | None], prompts: Sequence[Prompt]) -> None:
        for reward, prompt in zip(rewards, prompts, strict=True):
            if reward is not None and not math.isfinite(reward):
                found = "NaN" if math.isnan(reward) else f"{reward:+}"
                say_once(
                    f"{found} from {self.name}",
                    _(
                        "reward function {name} returned {found} (prompt {prompt}); it is logged as {found} and the "
                        "training goes on: return None for what cannot be scored"
                    ).format(name=self.name, found=found, prompt=_quoted(prompt)),
                )
                return

    def _failing_prompt(
        self, inputs: Mapping[str, list[Any]], prompts: Sequence[Prompt], from_context: Mapping[str, Any]
    ) -> Prompt:
        """The first prompt whose row also fails alone, else the first of the batch."""
        for row, prompt in enumerate(prompts):
            try:
                alone = _as_list(self._call({name: [values[row]] for name, values in inputs.items()}, from_context))
            except KeyboardInterrupt:
                raise
            except BaseException:
                return prompt
            if alone is None or len(alone) != 1:
                return prompt
        return prompts[0]

    def _error(self, problem: str, prompt: Prompt) -> RewardError:
        return RewardError(
            told(
                "reward function {name} {problem} (prompt {quoted}): correct it and start again",
                name=self.name,
                problem=problem,
                quoted=_quoted(prompt),
            )
        )


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameter names of a function's signature, and whether it takes other names."""

    required: tuple[str, ...]
    optional: frozenset[str]
    takes_others: bool

    def accept(self, name: str) -> bool:
        return self.takes_others or name in self.required or name in self.optional


def _parameters(function: Function) -> _Parameters:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a callable without a readable signature
        return _Parameters((), frozenset(), takes_others=True)
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return _Parameters(
        required=tuple(p.name for p in named if p.default is p.empty),
        optional=frozenset(p.name for p in named if p.default is not p.empty),
        takes_others=any(p.kind is p.VAR_KEYWORD for p in parameters),
    )


def _await_result(rewards: Awaitable[Any]) -> Any:
    async def waiting() -> tuple[Any, BaseException | None]:
        try:
            return await rewards, None
        except BaseException as error:  # a SystemExit raised here would silently end the loop's thread
            return None, error

    found, error = asyncio.run_coroutine_threadsafe(waiting(), _event_loop()).result()
    if error is not None:
        raise error
    return found


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """One event loop for all calls, in its own thread.

    A client that a function keeps between calls stays usable, and the caller's thread may run a loop, as in a notebook.
    """
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="async rewards", daemon=True).start()
    return loop


def _as_list(rewards: object) -> list[Any] | None:
    """The rewards of a list, tuple, array or tensor; None for anything without order, length or items."""
    if isinstance(rewards, str | bytes | Mapping | Set) or not (
        isinstance(rewards, Sized) and isinstance(rewards, Iterable)
    ):
        return None
    try:
        return list(rewards)
    except TypeError:  # a zero-dimensional array or tensor
        return None


def _quoted(prompt: Prompt) -> str:
    text = prompt_text(prompt)
    return repr(text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")
