"""The list of trusted code: by content, for its user alone, and nothing trusted where it is broken."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trainer.trust.foreign_code import ForeignCode, Kind
from trainer.trust.store import TrustError, TrustStore, default_place


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "data" / "trusted.json")


def code(name: str) -> ForeignCode:
    return ForeignCode.on_hub(Kind.HUB_CODE, name, {"model_name_or_path"})


def test_what_is_remembered_is_trusted_and_nothing_else(store: TrustStore) -> None:
    assert store.untrusted([code("a"), code("b")]) == (code("a"), code("b"))
    store.remember([code("a")])
    store.remember([code("c")])
    assert store.untrusted([code("a"), code("b"), code("c")]) == (code("b"),)


def test_content_counts_wherever_it_lies(store: TrustStore, tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("f = len\n")
    one, other = (ForeignCode.of_files(Kind.REWARD_FILE, [tmp_path / name], ()) for name in ("one.py", "other.py"))
    store.remember([one])
    assert store.untrusted([other]) == ()


def test_its_file_is_for_its_user_alone_and_is_where_the_user_keeps_data(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.remember([code("a")])
    assert stat.S_IMODE(store.place.stat().st_mode) == 0o600
    monkeypatch.setenv("XDG_DATA_HOME", "/d")
    assert default_place() == Path("/d/rlvitals/trusted.json")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_place() == Path.home() / ".local/share/rlvitals/trusted.json"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"trusted": []}', '{"trusted": 1}', "[" * 100_000, "\xff"])
def test_a_broken_list_trusts_nothing_and_says_so(store: TrustStore, content: str) -> None:
    store.remember([code("a")])
    store.place.write_text(content, "latin-1")
    assert store.untrusted([code("a")]) == (code("a"),)
    assert "is broken, so nothing is trusted; remove it" in store.problem
    with pytest.raises(TrustError, match="is broken"):
        store.remember([code("b")])
    assert store.place.read_text("latin-1") == content


def test_a_list_that_others_may_write_trusts_nothing(store: TrustStore) -> None:
    store.remember([code("a")])
    store.place.chmod(0o620)
    assert store.untrusted([code("a")]) == (code("a"),)
    assert "others may write" in store.problem


def test_several_at_once_lose_nothing(store: TrustStore) -> None:
    names = [str(number) for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.remember([code(name)]), names))
    assert store.untrusted(map(code, names)) == ()
    assert len(json.loads(store.place.read_text())["trusted"]) == len(names)
    assert [path.name for path in store.place.parent.glob(".trusted-*")] == []
