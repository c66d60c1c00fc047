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


# (family, models): the kind of AMD's processors. Sources: Linux, arch/x86/kernel/cpu/amd.c, and Intel's of intel-family.h.
AMD = (
    (23, range(0x30), "Zen"), (23, (*range(0x30, 0x50), *range(0x60, 0x100)), "Zen 2"),
    (25, (*range(0x10), *range(0x20, 0x60)), "Zen 3"), (25, (*range(0x10, 0x20), *range(0x60, 0xB0)), "Zen 4"), (26, (*range(0x50), *range(0x60, 0x80)), "Zen 5"),
)  # fmt: skip
INTEL = {
    85: "Skylake or Cascade Lake", 106: "Ice Lake", 108: "Ice Lake", 143: "Sapphire Rapids", 207: "Emerald Rapids", 173: "Granite Rapids",
    151: "Alder Lake", 154: "Alder Lake", 183: "Raptor Lake", 186: "Raptor Lake",
}  # fmt: skip
WITH_TILES = ("Sapphire Rapids", "Emerald Rapids", "Granite Rapids")
ARM = {("0x41", "0xd0b"): "Arm Cortex-A76", ("0x41", "0xd0c"): "Arm Neoverse N1", ("0x41", "0xd49"): "Arm Neoverse N2",
       ("0x41", "0xd40"): "Arm Neoverse V1", ("0x41", "0xd4f"): "Arm Neoverse V2"}  # fmt: skip


def kind(information):
    """What kind of processor a /proc/cpuinfo tells of: one table of figures is for one kind."""

    def first(key):
        found = re.search(rf"^{key}[ \t]*:[ \t]*(.*)$", information, re.MULTILINE)
        return found[1].strip() if found else ""

    vendor, family, model = first("vendor_id"), first("cpu family"), first("model")
    numbers = (int(family), int(model)) if family.isdigit() and model.isdigit() else (None, None)
    if vendor == "AuthenticAMD":
        names = [name for known, models, name in AMD if numbers[0] == known and numbers[1] in models]
        return f"AMD {names[0]}" if names else f"AMD family {family} model {model}".strip()
    if vendor == "GenuineIntel":
        name = INTEL.get(numbers[1]) if numbers[0] == 6 else None
        if name in WITH_TILES:
            return f"Intel {name} with{'' if 'amx_tile' in first('flags').split() else 'out'} AMX"
        return f"Intel {name}" if name else f"Intel family {family} model {model}"
    part = first("CPU implementer"), first("CPU part")
    return ARM.get(part) or " ".join(["processor", *filter(None, (vendor, family, model, *part))])


def describe():
    information = pathlib.Path("/proc/cpuinfo").read_text()
    flags = re.search(r"^flags\s*:\s*(.*)$", information, re.MULTILINE)
    model = re.search(r"^model name\s*:\s*(.*)$", information, re.MULTILINE)
    memory = re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())
    return {
        "kind": kind(information),
        "processor": model[1] if model else platform.processor(),
        "flags": [flag for flag in FLAGS if flags and flag in flags[1].split()],
        "processors": len(os.sched_getaffinity(0)),
        "memory_gb": round(int(memory[1]) / 1e6),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
