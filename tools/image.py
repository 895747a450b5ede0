#!/usr/bin/env python3
"""An OCI image of a program, without a container engine: image.py PROGRAM OUTPUT.tar --tag NAME:TAG --version V --time SECONDS

In it: the program, the libraries that it loads, certificates, time zones, what `--tree FOLDER=PATH` names, and of each Debian
package that something is from its status and copyright, for scanners. One layer, no shell, a user that is not root. The same
program and the same Debian packages give the same bytes, whoever builds them. `docker load`, `ctr images import`, `podman load`
and `skopeo copy oci-archive:` take the file.

Formats: opencontainers/image-spec v1.1 (layout, manifest, config); manifest.json is what engines before it read.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile

NOBODY = 65532  # as in the images of distroless, and in manifests/dray.yaml
PASSWD = f"root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:{NOBODY}:{NOBODY}:nonroot:/:/sbin/nologin\n"
GROUP = f"root:x:0:\nnonroot:x:{NOBODY}:\n"
NAMES = "hosts: files dns\n"  # glibc asks DNS for what /etc/hosts lacks
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
ZONES = pathlib.Path("/usr/share/zoneinfo")
ZONES_LEFT_OUT = {"posix", "right"}  # the same once more, and with leap seconds


class Failure(Exception):
    """What is missing, for the one who builds."""


def output_of(*command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else ""


def libraries(program):
    """Paths that the loader would open for the program, itself included."""
    found = []
    for line in output_of("ldd", str(program)).splitlines():
        words = line.split()
        if "not found" in line:
            raise Failure(f"{program}: {line.strip()}")
        paths = [word for word in words if word.startswith("/")]
        if paths:
            found.append(paths[0])
    if not found:
        raise Failure(f"{program}: ldd names no libraries: is it a program of this machine?")
    return found


def in_usr(path):
    """Where a path leads on a system whose /lib and /lib64 are links into /usr."""
    return path if path.startswith("/usr/") else "/usr" + path


def package_of(path):
    """The Debian package that a file is from; nothing: it is from none."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr")):
        owner = output_of("dpkg-query", "-S", name)
        if owner:
            return owner.split(":")[0]
    return None


class Layer:
    """A tar of files that belong to root, in the order of their paths."""

    def __init__(self, time):
        self.time = time
        self.entries = {}

    def entry(self, path, kind, mode, size=0):
        info = tarfile.TarInfo(path.lstrip("/"))
        info.type, info.mode, info.size, info.mtime = kind, mode, size, self.time
        return info

    def folder(self, path, mode=0o755):
        path = path.rstrip("/")
        if path and path not in self.entries:
            self.folder(os.path.dirname(path))
            self.entries[path] = (self.entry(path + "/", tarfile.DIRTYPE, mode), None)

    def file(self, path, content, mode=0o644):
        self.folder(os.path.dirname(path))
        self.entries[path] = (self.entry(path, tarfile.REGTYPE, mode, len(content)), content)

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        info = self.entry(path, tarfile.SYMTYPE, 0o777)
        info.linkname = target
        self.entries[path] = (info, None)

    def tree(self, folder, path, left_out=frozenset()):
        if not folder.is_dir():
            raise Failure(f"{folder}: no such folder")
        for found in sorted(folder.iterdir()):
            to = f"{path}/{found.name}"
            if found.name in left_out:
                continue
            if found.is_symlink() and not os.path.isabs(os.readlink(found)):
                self.link(to, os.readlink(found))
            elif found.is_dir():
                self.tree(found, to)
            else:
                self.file(to, found.read_bytes(), 0o755 if os.access(found, os.X_OK) else 0o644)

    def tar(self):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as out:
            for _, (info, content) in sorted(self.entries.items()):
                out.addfile(info, None if content is None else io.BytesIO(content))
        return data.getvalue()


def add_packages(layer, files):
    """What Debian says of the packages that the files are from: status, and the licence."""
    for package in sorted({package_of(file) for file in files} - {None}):
        layer.file(f"/var/lib/dpkg/status.d/{package}", output_of("dpkg-query", "-s", package).encode())
        licence = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if licence.exists():
            layer.file(str(licence), licence.read_bytes())


def fill(layer, program, trees):
    layer.file(f"/usr/bin/{program.name}", program.read_bytes(), 0o755)
    from_debian = [CERTIFICATES, str(ZONES / "UTC"), "/usr/lib/os-release"]
    for path in libraries(program):
        layer.file(in_usr(path), pathlib.Path(path).read_bytes(), 0o755)
        from_debian.append(path)
    for name in ("bin", "lib", "lib64", "sbin"):
        layer.folder(f"/usr/{name}")
        layer.link(f"/{name}", f"usr/{name}")
    if not os.path.exists(CERTIFICATES):
        raise Failure(f"{CERTIFICATES} is missing: install ca-certificates")
    layer.file(CERTIFICATES, pathlib.Path(CERTIFICATES).read_bytes())
    from_debian.append("/usr/sbin/update-ca-certificates")
    layer.tree(ZONES, str(ZONES), ZONES_LEFT_OUT)
    layer.file("/usr/lib/os-release", pathlib.Path("/usr/lib/os-release").read_bytes())
    layer.link("/etc/os-release", "../usr/lib/os-release")
    layer.file("/etc/passwd", PASSWD.encode())
    layer.file("/etc/group", GROUP.encode())
    layer.file("/etc/nsswitch.conf", NAMES.encode())
    layer.folder("/tmp", 0o1777)
    for tree in trees:
        folder, _, path = tree.partition("=")
        layer.tree(pathlib.Path(folder), path)
    add_packages(layer, from_debian)


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def full_name(tag):
    """As engines keep it: docker.io/library/dray:latest of dray:latest."""
    first = tag.split("/")[0]
    if "/" not in tag:
        return "docker.io/library/" + tag
    return tag if "." in first or ":" in first or first == "localhost" else "docker.io/" + tag


def describe(program, args, layer):
    created = datetime.datetime.fromtimestamp(args.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.title": program.name, "org.opencontainers.image.version": args.version}
    if args.revision:
        labels["org.opencontainers.image.revision"] = args.revision
    return {
        "created": created,
        "architecture": output_of("dpkg", "--print-architecture").strip(),
        "os": "linux",
        "config": {"User": f"{NOBODY}:{NOBODY}", "Entrypoint": [f"/usr/bin/{program.name}"], "WorkingDir": "/",
                   "Env": ["PATH=/usr/bin", "LC_ALL=C.UTF-8"], "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": created, "created_by": "tools/image.py"}],
    }


def image(program, args):
    """The bytes of the archive."""
    layer = Layer(args.time)
    fill(layer, program, args.tree)
    layer = layer.tar()
    packed = gzip.compress(layer, 9, mtime=0)
    oci = "application/vnd.oci.image."
    blobs = {}

    def blob(kind, data):
        blobs[digest(data)] = data
        return {"mediaType": oci + kind, "digest": digest(data), "size": len(data)}

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    config = blob("config.v1+json", text(describe(program, args, layer)))
    layers = [blob("layer.v1.tar+gzip", packed)]
    manifest = blob("manifest.v1+json", text({"schemaVersion": 2, "mediaType": oci + "manifest.v1+json",
                                             "config": config, "layers": layers}))
    manifest["annotations"] = {"io.containerd.image.name": full_name(args.tag),
                               "org.opencontainers.image.ref.name": args.tag.rpartition(":")[2]}

    def place(descriptor):
        return "blobs/" + descriptor["digest"].replace(":", "/")

    archive = Layer(args.time)
    archive.file("/oci-layout", text({"imageLayoutVersion": "1.0.0"}))
    archive.file("/index.json", text({"schemaVersion": 2, "mediaType": oci + "index.v1+json", "manifests": [manifest]}))
    archive.file("/manifest.json", text([{"Config": place(config), "RepoTags": [args.tag],
                                          "Layers": [place(each) for each in layers]}]))
    for name, data in blobs.items():
        archive.file("/blobs/" + name.replace(":", "/"), data)
    return archive.tar(), manifest["digest"]


def main(arguments):
    parser = argparse.ArgumentParser(description="An OCI image of a program")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--tag", required=True, help="NAME:TAG")
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", default="", help="the commit")
    parser.add_argument("--time", type=int, required=True, help="of all files, in seconds since 1970")
    parser.add_argument("--tree", action="append", default=[], metavar="FOLDER=PATH", help="goes into the image as PATH")
    args = parser.parse_args(arguments)
    if ":" not in args.tag.rpartition("/")[2]:
        parser.error(f"--tag {args.tag}: expected NAME:TAG, as in dray:latest")
    try:
        data, name = image(args.program, args)
    except (Failure, OSError) as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    args.output.parent.mkdir(parents=True, exist_ok=True)
    part = args.output.with_name(args.output.name + ".part")
    part.write_bytes(data)
    part.replace(args.output)
    print(f"{args.output}: {args.tag}, {len(data) / 1e6:.1f} MB, {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
