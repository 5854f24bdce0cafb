"""No module that reads what others wrote opens a file by another way than the door."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROOMS = (
    *("diagnostics/readers", "diagnostics/runlog", "diagnostics/configs", "diagnostics/producers", "diagnostics/fetch"),
    "diagnostics/remote",
    *("diagnostics/assemble", "diagnostics/cli", "diagnostics/foreign_files", "diagnostics/api.py"),
    *("app", "trainer/launch"),
)
OPENING = frozenset({"open", "fdopen", "read_bytes", "read_text", "OSFile", "memory_map"})
PARSING = frozenset({"json.load", "tomllib.load", "yaml.load", "yaml.safe_load", "yaml.parse", "tomllib.loads"})
ALLOWED = {
    "diagnostics/foreign_files/door.py": "the door",
    "diagnostics/foreign_files/documents.py": "behind the door",
    "diagnostics/readers/cache.py": "our own files, in the user's cache folder",
    "diagnostics/fetch/remote_folder.py": "its own copy, written in a mode that depends",
    "diagnostics/runlog/process_file.py": "a training's proof, whose owner, mode and links it checks",
    "diagnostics/cli/access_token.py": "the user's own token, whose owner and mode it checks",
    "diagnostics/cli/__init__.py": "the null device, in place of a closed pipe",
    "trainer/launch/queue/job_process.py": "the null device, as what a job reads",
    "diagnostics/cli/skill/__init__.py": "the skill of our own package",
    "diagnostics/foreign_files/archives.py": "entries of an uploaded archive, under bounds of their own",
    "diagnostics/producers/key_lists.py": "the key lists of our own package",
    "app/assets.py": "scripts and style sheets of our own package",
    "app/addresses.py": "the document of the Streamlit that is installed",
}
READING = frozenset({"r", "rb", "rt"})


def openings(source: str) -> Iterator[int]:
    """The lines that open a file for reading, or parse one, by another way than the door's functions."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in PARSING or (name.rpartition(".")[2] in OPENING and _reads(node, name)):
            yield node.lineno


def _reads(call: ast.Call, name: str) -> bool:
    if name in ("read_text", "st.text_input"):  # of the door, imported from it
        return False
    words = [
        word.value for word in (*call.args, *(key.value for key in call.keywords)) if isinstance(word, ast.Constant)
    ]
    is_open = name.rpartition(".")[2] == "open"
    if is_open and name in ("self.open", "self._columns.open"):  # of a column
        return False
    return not is_open or not words or bool(READING & {word for word in words if isinstance(word, str)})


def modules() -> Iterator[Path]:
    for room in ROOMS:
        yield from [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))


def test_every_foreign_file_is_opened_by_the_door() -> None:
    found = {
        f"{module.relative_to(ROOT)}:{line}"
        for module in modules()
        if str(module.relative_to(ROOT)) not in ALLOWED
        for line in openings(module.read_text("utf-8"))
    }
    assert found == set()


def test_what_opens_a_file_by_another_way_is_seen() -> None:
    ways = (
        "path.open()",
        "path.open('rb')",
        "open(path)",
        "path.read_bytes()",
        "path.read_text('utf-8')",
        "os.open(a, b)",
    )
    seen = [way for way in (*ways, "json.load(file)", "yaml.safe_load(text)") if list(openings(way))]
    assert [*ways, "json.load(file)", "yaml.safe_load(text)"] == seen


def test_what_is_allowed_is_still_there() -> None:
    assert [name for name in ALLOWED if not (ROOT / name).is_file()] == []
