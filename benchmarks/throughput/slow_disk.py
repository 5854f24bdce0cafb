"""A slow disk for a process: a library, loaded before all others, that delays what is written below one folder."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

LATENCY = 0.2  # seconds a write
BANDWIDTH = 2e6  # bytes a second: both are those of a busy network share
_FOLDER, _LATENCY, _BANDWIDTH = "SLOW_DISK_FOLDER", "SLOW_DISK_LATENCY", "SLOW_DISK_BANDWIDTH"
_SOURCE = rf"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(int file, double bytes) {{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    const char *folder = getenv("{_FOLDER}");
    if (length < 0 || !folder) return;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder))) return;
    double seconds = atof(getenv("{_LATENCY}")) + bytes / atof(getenv("{_BANDWIDTH}"));
    struct timespec pause = {{(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)}};
    nanosleep(&pause, NULL);
}}

ssize_t write(int file, const void *data, size_t bytes) {{
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "write");
    wait_for_disk(file, bytes);
    return next(file, data, bytes);
}}

ssize_t writev(int file, const struct iovec *parts, int count) {{
    static ssize_t (*next)(int, const struct iovec *, int);
    if (!next) next = dlsym(RTLD_NEXT, "writev");
    double bytes = 0;
    for (int part = 0; part < count; part++) bytes += parts[part].iov_len;
    wait_for_disk(file, bytes);
    return next(file, parts, count);
}}
"""


def compiler() -> str | None:
    """The C compiler that the library needs; None without one."""
    return shutil.which("cc")


def slow_disk(folder: Path, library: Path) -> Mapping[str, str]:
    """The environment of a process to which `folder` lies on a slow disk; builds `library`, with `cc`, on Linux."""
    built = subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library), "-ldl"],
        input=_SOURCE,
        text=True,
        check=False,
    )
    if built.returncode:
        raise SystemExit("cc could not build the slow disk; what it said stands above")
    own = {_FOLDER: f"{folder.resolve()}/", _LATENCY: str(LATENCY), _BANDWIDTH: str(BANDWIDTH)}
    return {**os.environ, "LD_PRELOAD": str(library.resolve()), **own}
