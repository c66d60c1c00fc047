"""The arrows between the rooms, read from the #include lines and from the names that code writes, are those that
cmake/Rooms.cmake lists."""

import pathlib
import re
import sys

import summand_testing

SOURCES = ("*.cpp", "*.hpp", "*.inc")
NAMESPACES = (  # each a room's own; base and lab share another
    "text", "model", "io", "reference", "engine", "api", "inputs", "terminal"
)


def listed_arrows(text):
    """room → rooms it may use."""
    rows = re.findall(r"^set\(SUMMAND_ROOM_(\w+)\s([^)]*)\)", text, re.MULTILINE)
    return {room: set(uses.replace('"', "").split()) for room, uses in rows}


def room_of(name, arrows):
    """The room of "base/error.hpp" or "lab/core/localized_text.hpp", as a path or as an include line names it; None if there is none."""
    parts = name.split("/")
    if len(parts) > 2 and f"{parts[0]}_{parts[1]}" in arrows:
        return f"{parts[0]}_{parts[1]}"
    return parts[0] if len(parts) > 1 and parts[0] in arrows else None


def name_of(path, root):
    """As an include line would name it."""
    parts = path.relative_to(root).parts
    return "/".join(parts[1:] if parts[0] in ("src", "include") else parts)


def includes(path):
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.MULTILINE)


def names_of(path):
    """Rooms whose names the code writes, however their headers came in: "engine" for engine::Engine."""
    code = re.sub(r'"(\\.|[^"\\\n])*"', '""', re.sub(r"//.*", "", path.read_text()))
    return set(re.findall(rf"(?<![\w:])(?:summand::)?({'|'.join(NAMESPACES)})::\w", code))


def house_files(root, arrows):
    tops = [root / "src", root / "include", *(root / room for room in arrows), *(root / room.replace("_", "/", 1) for room in arrows if room.startswith("serve_"))]
    for top in tops:
        for pattern in SOURCES:
            yield from (path for path in sorted(top.rglob(pattern)) if room_of(name_of(path, root), arrows))


def folder_of_experiment(name):
    """Of "lab/experiments/spectrum/figures.hpp": "spectrum"."""
    parts = name.split("/")
    return parts[2] if parts[:2] == ["lab", "experiments"] and len(parts) > 3 else None


def violations(root, arrows):
    """(unlisted arrows, edges between rooms that exist)"""
    found, edges = [], set()
    for path in house_files(root, arrows):
        room, names = room_of(name_of(path, root), arrows), includes(path)
        experiment = folder_of_experiment(name_of(path, root))
        for name in names:
            if experiment and folder_of_experiment(name) not in (None, experiment):
                found.append(f"{path.relative_to(root)}: experiment '{experiment}' may not use '{name}'")
            target = room_of(name, arrows)
            if target and target != room:
                edges.add((room, target))
                if target not in arrows[room]:
                    found.append(f"{path.relative_to(root)}: room '{room}' may not use '{name}'")
        for target in sorted(names_of(path) - {room}):
            if target in arrows and target not in arrows[room]:
                found.append(f"{path.relative_to(root)}: room '{room}' may not name '{target}::'")
        if any("dnnl" in name for name in names) and any("torch" in name for name in names):
            found.append(f"{path.relative_to(root)}: includes both dnnl and torch")
    return found, edges


def beyond_the_standard_library(root):
    """Lines of the public headers that include anything but each other and the standard library."""
    for path in sorted((root / "include").rglob("*.hpp")):
        for name in includes(path):
            if not name.startswith("summand/") and not re.fullmatch(r"[a-z_]+", name):
                yield f"{path.relative_to(root)}: shows {name}"


def shown_by_the_door(root):
    """Headers reachable from api's own that show types of oneDNN, torch or the JSON library."""
    waiting, seen, found = sorted((root / "src/api").rglob("*.hpp")), set(), []
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        names = includes(path)
        found += [f"{path.relative_to(root)}: shows {name}" for name in names if re.search(r"dnnl|torch|nlohmann", name)]
        waiting += [root / top / name for top in ("src", "include") for name in names if (root / top / name).is_file()]
    return found, len(seen)


def cycle(edges):
    """A room that reaches itself, or None."""
    reach = {room: {b for a, b in edges if a == room} for room, _ in edges}
    for _ in reach:
        for room in reach:
            reach[room] |= {c for b in reach[room] for c in reach.get(b, ())}
    return next((room for room, rooms in reach.items() if room in rooms), None)


def checks_can_fail(tmp):
    """The rules above find what they are for."""
    (tmp / "src/base").mkdir(parents=True)
    (tmp / "src/text").mkdir()
    (tmp / "src/api").mkdir()
    (tmp / "include/summand").mkdir(parents=True)
    (tmp / "include/summand/c.hpp").write_text('#include <span>\n#include <fmt/format.h>\n#include "base/a.hpp"\n')
    (tmp / "src/api/door.hpp").write_text('#include "base/a.hpp"\n')
    (tmp / "src/base/a.hpp").write_text('#include "text/b.hpp"\n#include <nlohmann/json.hpp>\n')
    (tmp / "src/text/b.cpp").write_text('#include "base/a.hpp"\n#include <dnnl.hpp>\n#include <torch/torch.h>\n')
    (tmp / "src/text/c.cpp").write_text('// io::File\nauto a = "io::File";\nusing text::A;\nsummand::io::File b;\n')
    found, edges = violations(tmp, {"base": set(), "text": {"base"}, "io": set(), "summand": set()})
    assert len(found) == 4, found
    assert "src/text/c.cpp: room 'text' may not name 'io::'" in found, found
    for folder, line in (("a", "lab/experiments/b/b.hpp"), ("b", "lab/core/localized_text.hpp"), ("c", "lab/run/run.hpp")):
        (tmp / "lab/experiments" / folder).mkdir(parents=True)
        (tmp / "lab/experiments" / folder / f"{folder}.hpp").write_text(f'#include "{line}"\n')
    of_lab, _ = violations(tmp, {"lab_experiments": {"lab_core"}, "lab_core": set(), "lab_run": set(), "lab": set()})
    assert len(of_lab) == 2 and "'a' may not" in of_lab[0] and "lab_experiments" in of_lab[1], of_lab
    assert len(list(beyond_the_standard_library(tmp))) == 2
    assert len(shown_by_the_door(tmp)[0]) == 1
    assert cycle(edges) in ("base", "text")


def main():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        checks_can_fail(pathlib.Path(folder))
    root = summand_testing.ROOT
    arrows = listed_arrows((root / "cmake/Rooms.cmake").read_text())
    files = list(house_files(root, arrows))
    assert len(arrows) >= 8 and len(files) > 40, (len(arrows), len(files))
    found, edges = violations(root, arrows)
    shown, headers = shown_by_the_door(root)
    assert headers > 20, headers
    found += [*shown, *beyond_the_standard_library(root)]
    print("\n".join(found))
    print(f"{len(files)} files in {len(arrows)} rooms, {len(edges)} arrows in use, {len(found)} violations")
    circle = cycle(edges)
    if circle:
        print(f"room '{circle}' uses itself through others")
    return 1 if found or circle else 0


if __name__ == "__main__":
    sys.exit(main())
