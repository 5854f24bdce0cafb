"""The page through a real SSH tunnel, as the security guide sets it up, with Debian's sshd on the loopback."""

import getpass
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.app.browser.conftest import end, wait_until
from tests.dashboard import ask, free_port, handshake, listens

Fixture = Callable[..., Any]

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "security.md"
SSHD = Path("/usr/sbin/sshd")  # it must be started by its whole path
SEPARATED = Path("/run/sshd")  # where it shuts in what an unknown client reaches
CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/mine.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
"""


@pytest.fixture
def login(tmp_path: Path) -> Iterator[list[str]]:
    """How to reach an sshd of the loopback as this user: the words before those of the guide."""
    if not SSHD.exists() or shutil.which("ssh") is None:
        pytest.skip("there is no sshd; install the Debian package: apt-get install openssh-server")
    folder, port = tmp_path / "ssh", free_port()
    folder.mkdir()
    for name in ("host", "mine"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    config = folder / "sshd_config"
    config.write_text(CONFIG.format(port=port, folder=folder))
    SEPARATED.mkdir(exist_ok=True)
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", config])
    wait_until(lambda: listens(port), "sshd to listen")
    quiet = ("StrictHostKeyChecking=no", f"UserKnownHostsFile={folder}/known", "ExitOnForwardFailure=yes")
    yield ["ssh", "-F", "none", "-N", "-p", str(port), "-i", str(folder / "mine"), *(f"-o{word}" for word in quiet)]
    end(server)


def test_a_tunnel_shows_the_page_on_another_port_and_still_asks_for_the_token(
    start_dashboard: Fixture, login: list[str], open_screen: Fixture, tmp_path: Path
) -> None:
    dashboard = start_dashboard(tmp_path)
    address, here = urlsplit(dashboard.url), free_port()
    line = re.search(r"^ssh (-L 9000:127\.0\.0\.1:8501) you@gpu-box", GUIDE.read_text(), re.MULTILINE)
    assert line is not None
    words = shlex.split(line[1].replace("9000", str(here)).replace("8501", str(address.port)))
    tunnel = subprocess.Popen([*login, *words, f"{getpass.getuser()}@127.0.0.1"])
    try:
        wait_until(lambda: listens(here), "the tunnel")

        screen = open_screen(f"http://127.0.0.1:{here}/?{address.query}")
        page = screen.page
        page.get_by_role("link", name="Launch").click()

        expect(page.get_by_text("train ppo").or_(page.get_by_text("train grpo")).first).to_be_visible()
        assert f"http://127.0.0.1:{here}/launch" == page.url
        assert ask(here, "/").status == 401
        assert handshake(here, f"127.0.0.1:{here}", "http://evil.example") == 403
        screen.close()  # before its tunnel
    finally:
        end(tunnel)
