"""The page behind a real reverse proxy: nginx as the security guide sets it up, under a base path."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.app.browser.conftest import wait_until
from tests.dashboard import ask, free_port, handshake, listens

Fixture = Callable[..., Any]

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "security.md"
LOCATIONS = re.findall(r"```nginx\n(.*?)```", GUIDE.read_text(), re.DOTALL)
TOKEN = "the-token-of-RLVITALS_TOKEN"  # as the guide has it
CONFIG = """
daemon off; master_process off; pid {folder}/pid; error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {location}
  }}
}}
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Callable[[str], int]]:
    """Starts an nginx with this location on a port of the loopback; returns the port."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("there is no nginx; install the Debian package: apt-get install nginx-light")
    folder = tmp_path / "nginx"
    folder.mkdir()
    processes: list[subprocess.Popen[bytes]] = []

    def start(location: str) -> int:
        port = free_port()
        config = folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=folder, port=port, location=location))
        processes.append(subprocess.Popen([program, "-p", folder, "-c", config, "-e", "stderr"]))
        wait_until(lambda: listens(port), "nginx to listen")
        return port

    yield start
    for process in processes:
        process.terminate()
        process.wait(20)


@pytest.fixture
def dashboard(start_dashboard: Fixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RLVITALS_TOKEN", TOKEN)
    return start_dashboard(tmp_path, "--allow-host", "runs.example", "--base-path", "/team/rl")


def test_the_page_lives_under_a_path_of_another_name(
    dashboard: Any, nginx: Callable[[str], int], open_screen: Fixture
) -> None:
    port = nginx(LOCATIONS[0].replace("8501", str(urlsplit(dashboard.url).port)))
    root = f"http://runs.example:{port}/team/rl/"

    page = open_screen(f"{root}?token={TOKEN}").page
    page.get_by_role("link", name="Launch").click()

    expect(page.get_by_text("train ppo").or_(page.get_by_text("train grpo")).first).to_be_visible()
    assert page.url == f"{root}launch"
    page.reload()
    expect(page.get_by_role("link", name="Launch")).to_be_visible()
    (cookie,) = [each for each in page.context.cookies() if each["name"].startswith("rlvitals")]
    assert (cookie["name"], cookie["path"]) == (f"rlvitals-{port}-team-rl", "/team/rl")


def test_behind_the_proxy_hosts_origins_and_tokens_are_checked_as_before_it(
    dashboard: Any, nginx: Callable[[str], int]
) -> None:
    port = nginx(LOCATIONS[0].replace("8501", str(urlsplit(dashboard.url).port)))
    stream = "/team/rl/_stcore/stream"
    token = f"{stream}?token={TOKEN}"

    assert ask(port, "/team/rl/", Host=f"runs.example:{port}").status == 401
    assert ask(port, "/team/rl/", Host=f"evil.example:{port}").status == 403
    assert handshake(port, f"runs.example:{port}", f"http://runs.example:{port}", path=stream) == 401
    assert handshake(port, f"runs.example:{port}", f"http://runs.example:{port}", path=token) == 101
    assert handshake(port, f"runs.example:{port}", "http://evil.example", path=token) == 403
    assert handshake(port, f"evil.example:{port}", f"http://evil.example:{port}", path=token) == 403


def test_a_proxy_with_a_login_opens_the_page_without_a_token(
    dashboard: Any, nginx: Callable[[str], int], chromium: Browser, tmp_path: Path
) -> None:
    users = tmp_path / "users"
    users.write_text("ada:{PLAIN}lovelace\n")
    location = LOCATIONS[1].replace("8501", str(urlsplit(dashboard.url).port))
    port = nginx(location.replace("/etc/nginx/users", str(users)))
    login = {"username": "ada", "password": "lovelace"}
    context = chromium.new_context(http_credentials=login)

    page = context.new_page()
    page.goto(f"http://runs.example:{port}/team/rl/")

    expect(page.get_by_role("link", name="Launch")).to_be_visible()
    context.close()
    assert ask(port, "/team/rl/", Host=f"runs.example:{port}").status == 401
