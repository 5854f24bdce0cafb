"""A real Slurm cluster on this machine: munged, slurmctld and two slurmd, in a folder and on ports of their own."""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))
HOST = socket.gethostname().partition(".")[0]
_NODES = (HOST, f"{HOST}-second")
"""The first one by name hosts the meeting place of the processes, so that its name must lead to an address."""
_SECONDS = 30.0

_CONFIGURATION = """\
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={munge},cred_expire=5
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_min_interval=100000
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=5
MailProg=/bin/true
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def lacking() -> list[str]:
    """The programs that are not installed."""
    return [name for name in (*DAEMONS, "sbatch", "srun") if shutil.which(name, path=_PATH) is None]


@dataclass(frozen=True)
class Cluster:
    """A running cluster; `environment` leads Slurm's commands to it."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *words: str) -> str:
        """What one of Slurm's commands prints."""
        environment = {**os.environ, **self.environment}
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=30, check=True).stdout

    def logs(self) -> str:
        """The ends of the daemons' logs, for a failure's message."""
        return "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in sorted(self.folder.glob("*.log")))


@contextmanager
def started_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a cluster in this folder, and end by its pid whatever was started."""
    cluster = Cluster(folder, {"SLURM_CONF": str(folder / "slurm.conf")})
    with ExitStack() as stack:
        socket_of_munge = _write_configuration(folder)
        stack.enter_context(_daemon(folder, "munged", *_munge_options(folder, socket_of_munge)))
        _wait_until(socket_of_munge.exists, cluster)
        stack.enter_context(_daemon(folder, "slurmctld", "-D", "-f", str(folder / "slurm.conf")))
        for node in _NODES:
            stack.enter_context(_daemon(folder, "slurmd", "-D", "-f", str(folder / "slurm.conf"), "-N", node))
        _wait_until(lambda: _idle_nodes(cluster) == len(_NODES), cluster)
        yield cluster
        subprocess.run(["scancel", "--user=root"], env={**os.environ, **cluster.environment}, check=False, timeout=30)


def _write_configuration(folder: Path) -> Path:
    """Write slurm.conf, cgroup.conf and munge's key; returns where munge's socket will be."""
    for name in ("state", "munge", *(f"spool.{node}" for node in _NODES)):
        (folder / name).mkdir()
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    munge = folder / "munge" / "socket"
    controller, *ports = _free_ports(1 + len(_NODES))
    nodes = "".join(
        f"NodeName={node} NodeHostname={HOST} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN\n"
        for node, port in zip(_NODES, ports, strict=True)
    )
    filled = _CONFIGURATION.format(folder=folder, host=HOST, controller=controller, munge=munge)
    (folder / "slurm.conf").write_text(nodes + filled)
    (folder / "cgroup.conf").write_text(_without_cgroups(folder))
    return munge


def _without_cgroups(folder: Path) -> str:
    """Since 23.02 Slurm can do without cgroups; before, it is content with a folder that nothing is mounted in."""
    told = subprocess.run([_found("slurmd"), "-V"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"(\d+)\.(\d+)", told)
    assert version is not None, told
    if (int(version[1]), int(version[2])) >= (23, 2):
        return "CgroupPlugin=disabled\n"
    return f"CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint={folder}/cgroup\n"


def _munge_options(folder: Path, munge: Path) -> list[str]:
    place = munge.parent
    files = {"key-file": place / "key", "socket": munge, "pid-file": place / "pid", "seed-file": place / "seed"}
    return ["--foreground", "--force", f"--log-file={folder}/munged.log", *(f"--{k}={v}" for k, v in files.items())]


@contextmanager
def _daemon(folder: Path, name: str, *options: str) -> Iterator[None]:
    with (folder / f"{name}.out.log").open("ab") as output:
        process = subprocess.Popen(
            [_found(name), *options], stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _found(name: str) -> str:
    path = shutil.which(name, path=_PATH)
    assert path is not None, f"{name} is not installed"
    return path


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in sockets]


def _idle_nodes(cluster: Cluster) -> int:
    try:
        return len(cluster.run("sinfo", "--noheader", "--Node", "--states=idle", "--responding").splitlines())
    except subprocess.CalledProcessError:  # the controller is not there yet
        return 0


def _wait_until(holds: Callable[[], bool], cluster: Cluster) -> None:
    deadline = time.monotonic() + _SECONDS
    while not holds():
        assert time.monotonic() < deadline, cluster.logs()
        time.sleep(0.2)
