#!/usr/bin/env python3
"""Holds includes to the layers of CMakeLists.txt: python3 tools/check_layers.py [ROOT]

The table is the `dray_layer(NAME USES ... LINKS ... FOLDERS ...)` lines. A file may include headers of
its own layer and of those it uses, directly or through another; a file in one of the layer's FOLDERS, which
stand from the lowest to the highest, only private headers of that folder and of those before it; the
layer's other files may include them all; a third-party header only where the table
below allows its library; the core (simulate and all below) neither the operating system nor clock, files,
threads, environment or random devices.
"""

import re
import sys
from pathlib import Path

# Header prefix, the library that LINKS names, who may include it: "above" the layers that link it and
# all that use them, "own" only those that link it, "cpp" only their .cpp files. First match counts.
THIRD_PARTY = (
    ("fmt/", "fmt::fmt", "above"),
    ("re2/", "dray_re2", "cpp"),
    ("nlohmann/", "nlohmann_json::nlohmann_json", "cpp"),
    ("simdjson", "simdjson::simdjson", "cpp"),
    ("yaml-cpp/", "yaml-cpp", "cpp"),
    ("boost/beast/", "Boost::headers", "cpp"),
    ("boost/asio/ssl/", "Boost::headers", "own"),
    ("boost/pfr", "Boost::headers", "own"),
    ("boost/", "Boost::headers", "above"),
    ("openssl/", "OpenSSL::SSL", "cpp"),
    ("prometheus/", "prometheus-cpp::core", "cpp"),
    ("spdlog/", "spdlog::spdlog", "own"),
    ("CLI/", "CLI11::CLI11", "own"),
    ("zlib.h", "ZLIB::ZLIB", "cpp"),
    ("zstd.h", "PkgConfig::ZSTD", "cpp"),
    ("sqlite3.h", "PkgConfig::SQLITE", "cpp"),
)
HIGHEST_CORE_LAYER = "simulate"
IMPURE_HEADERS = {"filesystem", "fstream", "future", "iostream", "thread"}
IMPURE_CALL = re.compile(r"\b(?:(?:system|steady|high_resolution)_clock::now|getenv|random_device)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


class Layers:
    """The layers, what each uses (transitively) and links."""

    def __init__(self, cmake):
        self.uses, self.links, self.folders = {}, {}, {}
        for name, rest in re.findall(r"^dray_layer\((\w+)([^)]*)\)", cmake, re.MULTILINE):
            rest, _, folders = rest.partition("FOLDERS")
            self.folders[name] = folders.split()
            words = re.split(r"\s+LINKS\b", rest)
            used = re.sub(r"^\s*USES\b", "", words[0]).split()
            unknown = [layer for layer in used if layer not in self.uses]
            if unknown:
                raise ValueError(f"layer {name} uses {unknown[0]}, which is not above it in CMakeLists.txt")
            self.uses[name] = set(used).union(*(self.uses[layer] for layer in used))
            self.links[name] = set(words[1].split()) if len(words) > 1 else set()
        core = HIGHEST_CORE_LAYER
        self.core = {core} | self.uses[core] if core in self.uses else set()

    def quoted(self, layer, folder, header):
        """What is wrong with #include "header" in that folder of the layer ("" outside of all), or None."""
        public = header.startswith("dray/")
        target = header.removeprefix("dray/").split("/")[0]
        if target not in self.uses:
            return f'"{header}" names no layer'
        if target != layer and target not in self.uses[layer]:
            return f"{layer} must not include {target}"
        if target != layer and target in self.core and not public:
            return f'"{header}" is private to {target}'
        return self.in_folders(layer, folder, header) if target == layer and folder and not public else None

    def in_folders(self, layer, folder, header):
        """What is wrong with a folder's file including this private header of its own layer, or None."""
        folders, target = self.folders[layer], folder_of(header)
        if not target:
            return f'"{header}" stands above the folders of {layer}'
        if target in folders and folders.index(target) > folders.index(folder):
            return f"{layer}/{folder} must not include {layer}/{target}"
        return None

    def angled(self, layer, header, is_header_file):
        """What is wrong with #include <header> in that layer, or None."""
        for prefix, library, who in THIRD_PARTY:
            if not header.startswith(prefix):
                continue
            own = library in self.links[layer]
            if who == "above" and (own or any(library in self.links[used] for used in self.uses[layer])):
                return None
            if who == "own" and own or who == "cpp" and own and not is_header_file:
                return None
            return f"<{header}> may not be included here"
        system = "." in header or "/" in header
        if layer in self.core and (system or header in IMPURE_HEADERS):
            return f"<{header}> in the pure core"
        return None


def folder_of(path):
    """FOLDER of LAYER/FOLDER/FILE, or nothing."""
    parts = Path(path).parts
    return parts[1] if len(parts) > 2 else ""


def problems_in(layers, layer, path, text, folder=""):
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            quoted, angled = include.groups()
            problem = layers.quoted(layer, folder, quoted) if quoted else layers.angled(layer, angled, path.endswith(".h"))
        else:
            call = layer in layers.core and IMPURE_CALL.search(line.split("//")[0])
            problem = f"{call[0]} in the pure core" if call else None
        if problem:
            yield f"{path}:{number}: {problem}"


def check(root, layers):
    problems, files = [], 0
    for top in ("include/dray", "src"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            files += 1
            path, layer = str(file.relative_to(root)), file.relative_to(root / top).parts[0]
            folder = folder_of(file.relative_to(root / top)) if top == "src" else ""
            if layer not in layers.uses:
                problems.append(f"{path}: {layer} is no layer of CMakeLists.txt")
            elif folder and folder not in layers.folders[layer]:
                problems.append(f"{path}: {folder} is no folder of {layer} in CMakeLists.txt")
            else:
                problems += problems_in(layers, layer, path, file.read_text(), folder)
    return problems, files


def print_house(root, layers):
    """The layers, top first, each with its folders and their files."""
    for layer in reversed(layers.uses):
        place = root / "src" / layer
        count = lambda where: sum(1 for f in where.glob("*") if f.suffix in (".h", ".cpp"))
        folders = "".join(f"  {name} {count(place / name)}" for name in layers.folders[layer])
        print(f"{layer:<10}{count(place):>4} files{folders}")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    layers = Layers((root / "CMakeLists.txt").read_text())
    problems, files = check(root, layers)
    print_house(root, layers)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{files - len({p.split(':')[0] for p in problems})} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
