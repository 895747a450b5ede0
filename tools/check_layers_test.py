"""Tests of check_layers.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import tempfile
import unittest
from pathlib import Path

import check_layers

CMAKE = """
dray_layer(base LINKS fmt::fmt)
dray_layer(cel USES base LINKS dray_re2 FOLDERS text value)
dray_layer(sim USES cel)
dray_layer(simulate USES sim)
dray_layer(wire USES simulate LINKS simdjson::simdjson
           yaml-cpp)
dray_layer(net USES base LINKS Boost::headers OpenSSL::SSL)
dray_layer(kube USES net wire LINKS spdlog::spdlog)
"""


class Problems(unittest.TestCase):
    def setUp(self):
        self.layers = check_layers.Layers(CMAKE)

    def of(self, layer, line, path="a.cpp"):
        return list(check_layers.problems_in(self.layers, layer, path, line))

    def test_allowed(self):
        for layer, path, line in (
            ("cel", "a.h", '#include "dray/base/quantity.h"'),
            ("cel", "a.cpp", '#include "cel/arena.h"'),
            ("sim", "a.h", '#include "dray/base/quantity.h"'),
            ("kube", "a.h", '#include "net/http.h"'),
            ("sim", "a.h", "#include <fmt/format.h>"),
            ("sim", "a.h", "#include <vector>"),
            ("cel", "a.cpp", "#include <re2/re2.h>"),
            ("wire", "a.cpp", "#include <simdjson.h>"),
            ("wire", "a.cpp", "#include <yaml-cpp/yaml.h>"),
            ("net", "a.cpp", "#include <boost/beast/http.hpp>"),
            ("kube", "a.h", "#include <boost/asio/awaitable.hpp>"),
            ("net", "a.cpp", "#include <sys/socket.h>"),
            ("net", "a.cpp", "auto t = std::chrono::steady_clock::now();"),
            ("sim", "a.cpp", "// as getenv would"),
        ):
            with self.subTest(f"{layer} {line}"):
                self.assertEqual(self.of(layer, line, path), [])

    def test_refused(self):
        for layer, path, line, want in (
            ("base", "a.h", '#include "dray/cel/value.h"', "base must not include cel"),
            ("wire", "a.cpp", '#include "net/http.h"', "wire must not include net"),
            ("sim", "a.cpp", '#include "cel/arena.h"', '"cel/arena.h" is private to cel'),
            ("sim", "a.cpp", '#include "arena.h"', '"arena.h" names no layer'),
            ("sim", "a.cpp", "#include <re2/re2.h>", "<re2/re2.h> may not be included here"),
            ("cel", "a.h", "#include <re2/re2.h>", "<re2/re2.h> may not be included here"),
            ("wire", "a.h", "#  include <simdjson.h>", "<simdjson.h> may not be included here"),
            ("kube", "a.cpp", "#include <boost/beast/http.hpp>", "<boost/beast/http.hpp> may not be included here"),
            ("kube", "a.cpp", "#include <openssl/ssl.h>", "<openssl/ssl.h> may not be included here"),
            ("wire", "a.cpp", "#include <boost/asio.hpp>", "<boost/asio.hpp> may not be included here"),
            ("net", "a.cpp", "#include <spdlog/spdlog.h>", "<spdlog/spdlog.h> may not be included here"),
            ("sim", "a.cpp", "#include <fstream>", "<fstream> in the pure core"),
            ("sim", "a.cpp", "#include <unistd.h>", "<unistd.h> in the pure core"),
            ("sim", "a.cpp", "x = std::chrono::system_clock::now();", "system_clock::now in the pure core"),
            ("sim", "a.cpp", 'std::getenv("HOME")', "getenv in the pure core"),
        ):
            with self.subTest(f"{layer} {line}"):
                self.assertEqual(self.of(layer, line, path), [f"{path}:1: {want}"])

    def test_folders(self):
        for folder, header, want in (
            ("value", "cel/text/utf8.h", None),
            ("value", "cel/value/arena.h", None),
            ("value", "dray/cel/value.h", None),
            ("", "cel/value/arena.h", None),
            ("text", "cel/value/arena.h", "cel/text must not include cel/value"),
            ("text", "cel/program.h", '"cel/program.h" stands above the folders of cel'),
        ):
            with self.subTest(f"{folder} {header}"):
                problems = list(check_layers.problems_in(self.layers, "cel", "a.h", f'#include "{header}"', folder))
                self.assertEqual(problems, [f"a.h:1: {want}"] if want else [])

    def test_a_layer_uses_only_layers_before_it(self):
        with self.assertRaises(ValueError):
            check_layers.Layers("dray_layer(a USES b)\ndray_layer(b)\n")


class Tree(unittest.TestCase):
    def test_walks_headers_and_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "CMakeLists.txt").write_text(CMAKE)
            for path, text in (
                ("include/dray/base/a.h", '#include "dray/cel/b.h"\n'),
                ("src/cel/text/b.cpp", "#include <thread>\n"),
                ("src/cel/deep/b.cpp", ""),
                ("src/other/c.cpp", ""),
                ("src/wire/d.cpp", ""),
            ):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            problems, files = check_layers.check(root, check_layers.Layers(CMAKE))
        self.assertEqual(files, 5)
        self.assertEqual(problems, [
            "include/dray/base/a.h:1: base must not include cel",
            "src/cel/deep/b.cpp: deep is no folder of cel in CMakeLists.txt",
            "src/cel/text/b.cpp:1: <thread> in the pure core",
            "src/other/c.cpp: other is no layer of CMakeLists.txt",
        ])


if __name__ == "__main__":
    unittest.main()
