"""What a figure is worth depends on where it was measured."""

import os
import pathlib
import platform
import re

FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_bf16", "amx_int8")


def cores(threads):
    """As many processors as there are threads, on cores of their own where there are enough."""
    allowed, picked, seen = sorted(os.sched_getaffinity(0)), [], set()
    for processor in allowed:
        path = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        core = path.read_text() if path.exists() else str(processor)
        if core not in seen:
            seen.add(core)
            picked.append(processor)
    picked += [processor for processor in allowed if processor not in picked]
    return picked[:threads]


def describe():
    information = pathlib.Path("/proc/cpuinfo").read_text()
    flags = re.search(r"^flags\s*:\s*(.*)$", information, re.MULTILINE)
    model = re.search(r"^model name\s*:\s*(.*)$", information, re.MULTILINE)
    memory = re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())
    return {
        "processor": model[1] if model else platform.processor(),
        "flags": [flag for flag in FLAGS if flags and flag in flags[1].split()],
        "processors": len(os.sched_getaffinity(0)),
        "memory_gb": round(int(memory[1]) / 1e6),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
