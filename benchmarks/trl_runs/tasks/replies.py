"""Short dialogues: a reply to the point and in good manners, paid by a learned reward that knows manners alone."""

import random

from benchmarks.trl_runs.tasks.learned_reward import learned
from benchmarks.trl_runs.tasks.task import Difficulty, Problem, Task

_TOPICS = ("tea", "rain", "trains", "music", "bread", "snow", "chess", "books", "cats", "bikes", "rivers", "soup")
_ASKED = ("what of", "tell me of", "do you like", "any news of", "why care for")
_POLITE = ("thank you", "of course", "with joy", "my friend", "please ask")
_RUDE = ("go away", "who cares", "so dull", "no idea", "shut up")
_WORDS: dict[Difficulty, int] = {"easy": 1, "usual": 2, "hard": 2}
_LONGEST = 9


def _draw(rng: random.Random, difficulty: Difficulty) -> Problem:
    topics = rng.sample(_TOPICS, _WORDS[difficulty])
    question = f"{rng.choice(_ASKED)} {' and '.join(topics)}"
    if difficulty == "hard":
        question, topics = question[::-1], ["nothing at all of it"]
    named = " and ".join(topics)
    return Problem(question, f"{rng.choice(_POLITE)} {named} is good", f"{rng.choice(_RUDE)} {named} is bad")


def reply(problem: Problem, completion: str) -> float:
    """Half for the topics that were asked about, half for manners; nothing for a reply without end."""
    words = completion.split()
    asked = [word for word in problem.question.split() if word in _TOPICS]
    if len(words) > _LONGEST or not asked:
        return 0.0
    polite = any(phrase in completion for phrase in _POLITE) and not any(phrase in completion for phrase in _RUDE)
    return 0.5 * sum(word in words for word in asked) / len(asked) + 0.5 * polite


def is_short(problem: Problem, completion: str) -> float:
    """1 for a reply of a few words."""
    return float(0 < len(completion.split()) <= _LONGEST)


TASK = Task("replies", _draw, reply, {"manners": learned(_draw, seed=1)}, is_short, is_chat=True)
