"""Tests of `rlvitals skill`: what it installs, where, and what it leaves alone."""

import re
from pathlib import Path

from diagnostics.cli import main
from diagnostics.cli.skill import TEXT

LONGEST_DESCRIPTION = 1024  # characters that assistants read of a skill


def test_the_skill_is_one_and_names_the_tools_that_there_are() -> None:
    text = TEXT.read_text("utf-8")
    head = re.match(r"---\nname: (?P<name>[a-z]+)\ndescription: (?P<description>[^\n]+)\n---\n", text)
    assert head
    assert head["name"] == "rlvitals"
    assert ": " not in head["description"]  # unquoted YAML
    assert len(head["description"]) <= LONGEST_DESCRIPTION
    server = (Path(TEXT).parents[2] / "mcp" / "server.py").read_text("utf-8")
    tools = re.findall(r"def (\w+)\(\n?\s*(?:path|paths|name)[:,]", server)
    assert {"runs", "diagnose", "wait"} <= {*tools}
    assert [tool for tool in tools if tool not in ("stop",) and f"`{tool}`" not in text] == []


def test_it_is_installed_once_and_replaced_only_by_force(tmp_path: Path, capsys) -> None:
    target = tmp_path / "skills" / "rlvitals" / "SKILL.md"
    assert main(["skill", "--to", str(tmp_path / "skills")]) == 0
    assert target.read_text("utf-8") == TEXT.read_text("utf-8")
    target.write_text("mine")
    assert main(["skill", "--to", str(tmp_path / "skills")]) == 2
    assert "is there already; replace it with --force" in capsys.readouterr().err
    assert target.read_text() == "mine"

    elsewhere = tmp_path / "elsewhere"
    target.unlink()
    target.symlink_to(elsewhere)
    assert main(["skill", "--to", str(tmp_path / "skills")]) == 2
    assert main(["skill", "--to", str(tmp_path / "skills"), "--force"]) == 0
    assert (elsewhere.exists(), target.is_symlink()) == (False, False)


def test_it_is_printed_without_a_folder_and_refused_where_none_can_be(tmp_path: Path, capsys) -> None:
    assert main(["skill"]) == 0
    assert capsys.readouterr().out == TEXT.read_text("utf-8")
    (tmp_path / "file").write_text("")
    assert main(["skill", "--to", str(tmp_path / "file")]) == 2
    assert "cannot write" in capsys.readouterr().err
