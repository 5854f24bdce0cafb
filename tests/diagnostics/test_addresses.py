"""Addresses and the folders of their copies: each leads to the other, and none holds a secret or leads outside."""

from pathlib import Path

import pytest

from diagnostics.addresses import AddressError, address_of, cache_folder, folder_of, is_address, local_path, shown


@pytest.mark.parametrize(
    "address",
    [
        "s3://bucket/runs/a",
        "s3://bucket",
        "sftp://me@host:2222/home/me/runs",
        "file:///tmp/runs",
        "hf://datasets/u/r/a b",
    ],
)
def test_a_copy_tells_its_address(address: str) -> None:
    folder = folder_of(address)
    assert folder.is_relative_to(cache_folder())
    assert ":" not in str(folder)
    assert (address_of(folder), shown(folder / "x.jsonl")) == (address, f"{address}/x.jsonl")
    assert local_path(address) == local_path(f"{address}/") == folder


def test_what_lies_on_this_machine_is_no_address(tmp_path: Path) -> None:
    assert not any(map(is_address, ("runs/a", "/runs/a", "c:/runs", "wandb://team/project/run")))
    assert (local_path(tmp_path), address_of(tmp_path), shown(tmp_path)) == (tmp_path, None, str(tmp_path))
    assert address_of(cache_folder() / "s3") is None


def test_an_address_that_pathlib_has_shortened_is_still_one() -> None:
    assert local_path(Path("s3://bucket/runs")) == folder_of("s3://bucket/runs")


def test_the_same_address_on_two_servers_has_two_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    usual = folder_of("s3://bucket/runs")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9000")
    other = folder_of("s3://bucket/runs")
    assert usual != other
    assert address_of(usual) == address_of(other) == "s3://bucket/runs"


@pytest.mark.parametrize(
    "address",
    ["s3://key:hidden@bucket/a", "https://host/runs?token=hidden", "sftp://me:hidden@host/runs"],
)
def test_an_address_with_a_secret_is_refused_and_the_secret_not_repeated(address: str) -> None:
    with pytest.raises(AddressError, match="with a password or a key in it is not taken") as refused:
        local_path(address)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("address", ["s3://bucket/../../etc", "s3://bucket//a", "s3://../a", "s3://", "s3://b/a\0b"])
def test_an_address_that_no_folder_can_be_named_by_is_refused(address: str) -> None:
    with pytest.raises(AddressError):
        local_path(address)
