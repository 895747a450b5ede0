"""Tests of image.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile
import tempfile
import unittest

import image

PROGRAM = "/usr/bin/true"


class Image(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, *options, name="image.tar", program=PROGRAM, tag="dray:1.2"):
        """Status, what it printed as an error, and the file."""
        file = self.folder / name
        arguments = [program, str(file), "--tag", tag, "--version", "1.2", "--time", "1700000000", *options]
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            status = image.main(arguments)
        return status, errors.getvalue(), file

    def parts(self, file):
        """Index, config and layer; each blob is what its name says."""
        with tarfile.open(file) as archive:
            content = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}

        def blob(descriptor):
            kind, value = descriptor["digest"].split(":")
            data = content[f"blobs/{kind}/{value}"]
            self.assertEqual(hashlib.sha256(data).hexdigest(), value)
            self.assertEqual(len(data), descriptor["size"])
            return data

        self.assertEqual(json.loads(content["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        index = json.loads(content["index.json"])
        manifest = json.loads(blob(index["manifests"][0]))
        config = json.loads(blob(manifest["config"]))
        layer = gzip.decompress(blob(manifest["layers"][0]))
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(layer).hexdigest()])
        older = json.loads(content["manifest.json"])[0]
        self.assertIn(older["Config"], content)
        self.assertIn(older["Layers"][0], content)
        return index["manifests"][0], older, config, tarfile.open(fileobj=io.BytesIO(layer))

    def test_the_program_is_there_with_all_that_it_loads(self):
        status, errors, file = self.build()
        self.assertEqual((status, errors), (0, ""))
        _, _, config, layer = self.parts(file)
        names = layer.getnames()
        for path in ("usr/bin/true", "etc/ssl/certs/ca-certificates.crt", "usr/share/zoneinfo/Europe/Berlin", "etc/passwd",
                     *(image.in_usr(path).lstrip("/") for path in image.libraries(PROGRAM))):
            self.assertIn(path, names)
        self.assertEqual(layer.extractfile("usr/bin/true").read(), pathlib.Path(PROGRAM).read_bytes())
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/bin/true"])
        self.assertIn("var/lib/dpkg/status.d/libc6", names)
        self.assertIn("usr/share/doc/libc6/copyright", names)
        self.assertNotIn("usr/bin/sh", names)

    def test_nobody_but_root_may_write_and_nobody_is_root(self):
        _, _, config, layer = self.parts(self.build()[2])
        self.assertEqual(config["config"]["User"], "65532:65532")
        for entry in layer:
            self.assertEqual((entry.uid, entry.gid, entry.mtime), (0, 0, 1700000000), entry.name)
            self.assertFalse(entry.mode & 0o6000, entry.name)
            if not entry.issym() and entry.name != "tmp":
                self.assertFalse(entry.mode & 0o022, entry.name)

    def test_links_lead_somewhere_in_the_image(self):
        _, _, _, layer = self.parts(self.build()[2])
        names = set(layer.getnames())
        for entry in layer:
            if entry.issym():
                to = os.path.normpath(os.path.join("/", os.path.dirname(entry.name), entry.linkname))
                self.assertIn(to.lstrip("/"), names, entry.name)

    def test_the_same_gives_the_same_bytes(self):
        first, second = self.build(name="a.tar")[2], self.build(name="b.tar")[2]
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_folders_go_where_they_are_told_to(self):
        tree = self.folder / "config" / "demo"
        tree.mkdir(parents=True)
        (tree / "policy.yaml").write_text("queues: []\n", encoding="utf-8")
        _, _, _, layer = self.parts(self.build("--tree", f"{self.folder}/config=/usr/share/dray")[2])
        self.assertEqual(layer.extractfile("usr/share/dray/demo/policy.yaml").read(), b"queues: []\n")

    def test_engines_find_it_by_its_name(self):
        for tag, full in (("dray:1.2", "docker.io/library/dray:1.2"), ("a/dray:1.2", "docker.io/a/dray:1.2"),
                          ("registry.example.com:5000/dray:1.2", "registry.example.com:5000/dray:1.2")):
            descriptor, older, _, _ = self.parts(self.build(tag=tag)[2])
            self.assertEqual(older["RepoTags"], [tag])
            self.assertEqual(descriptor["annotations"], {"io.containerd.image.name": full, "org.opencontainers.image.ref.name": "1.2"})

    def test_what_is_missing_is_said_and_nothing_is_left(self):
        script = self.folder / "script"
        script.write_text("#!/bin/sh\n", encoding="utf-8")
        for options, program, text in (((), str(script), "ldd names no libraries"), ((), str(self.folder / "none"), "none"),
                                       (("--tree", "gone=/usr/share/x"), PROGRAM, "gone: no such folder")):
            status, errors, file = self.build(*options, program=program)
            self.assertEqual(status, 1)
            self.assertIn(text, errors)
            self.assertFalse(file.exists())
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as errors:
            image.main([PROGRAM, "out", "--tag", "dray", "--version", "1", "--time", "0"])
        self.assertIn("expected NAME:TAG", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
