"""Coins: an amount paid in coins, where many answers are right; paid by how near they come, judged by the exact sum."""

import random

from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_COINS = (50, 20, 10, 5, 2, 1)
_AMOUNTS: dict[Difficulty, tuple[int, int]] = {"easy": (1, 9), "usual": (11, 199), "hard": (901, 999)}


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    amount = rng.randint(*_AMOUNTS[difficulty])
    coins = _fewest(amount)
    without_last = coins[:-1] if len(coins) > 1 else [*coins, 1]
    return Problem(f"pay {amount}: ", _text(coins), _text(without_last))


def _fewest(amount: int) -> list[int]:
    coins = []
    for coin in _COINS:
        times, amount = divmod(amount, coin)
        coins += times * [coin]
    return coins


def _text(coins: list[int]) -> str:
    return " ".join(map(str, coins))


def sum_near(problem: Problem, completion: str) -> float:
    """1 for coins that add up to the amount, less the further off they are; 0 from twice the amount on."""
    amount = sum(_coins(problem.answer))
    return max(0.0, 1 - abs(sum(_coins(completion)) - amount) / amount)


def sum_right(problem: Problem, completion: str) -> float:
    """1 for coins that add up to the amount, whichever they are."""
    return float(sum_near(problem, completion) == 1)


def only_coins(problem: Problem, completion: str) -> float:
    """1 for coins that there are, whatever they add up to."""
    return float(bool(_coins(completion)))


def _coins(text: str) -> list[int]:
    """The coins of a completion; none if anything else is in it."""
    parts = text.split()
    known = {str(coin) for coin in _COINS}
    return [int(part) for part in parts] if all(part in known for part in parts) else []


TASK = Task("coins", _draw, sum_right, {"sum_near": sum_near}, only_coins)
