#!/usr/bin/env python3
"""What dray's ports cost: full TLS handshakes a second with client certificates, resumed ones, memory of an idle
connection, and time and series of /metrics at 500 nodes of eight devices and 100 queues. Prints one line each; durations
are for a reader, as they depend on the machine.

    ports.py DRAY [SECONDS]
"""

import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

NODES, DEVICES, QUEUES, IDLE, SCRAPES = 500, 8, 100, 1000, 40
DRIVER = "gpu.example.com"


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ca.key")
    openssl(folder, "req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=ca", "-days", "2", "-out", "ca.crt")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost")
    for name in ("server", "client"):
        openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
        openssl(folder, "req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", "names", "-out", f"{name}.crt")


def write_cluster(folder):
    devices = ", ".join(f"{{name: gpu-{n}}}" for n in range(DEVICES))
    parts = ["apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
             f"spec: {{selectors: [{{cel: {{expression: device.driver == '{DRIVER}'}}}}]}}\n"]
    for n in range(NODES):
        parts.append(f"apiVersion: v1\nkind: Node\nmetadata: {{name: n{n}}}\n"
                     "status: {allocatable: {cpu: '64', memory: 256Gi, pods: '110'}}\n")
        parts.append(f"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s{n}}}\n"
                     f"spec: {{driver: {DRIVER}, nodeName: n{n}, pool: {{name: n{n}, generation: 1, resourceSliceCount: 1}}, "
                     f"devices: [{devices}]}}\n")
    (folder / "cluster.yaml").write_text("---\n".join(parts))
    queues = "".join(f"- {{name: q{n}, quota: {{gpu: 4}}}}\n" for n in range(QUEUES))
    (folder / "policy.yaml").write_text("apiVersion: dray.dev/v1alpha1\nkind: Policy\n"
                                        f"resources: {{gpu: [{{deviceClass: gpu, amount: 1}}]}}\nqueues:\n{queues}")


def start(dray, folder):
    """The process and its ports, once it is ready."""
    process = subprocess.Popen(
        [dray, "serve", "--cluster", "cluster.yaml", "--policy", "policy.yaml", "--dashboard-address", "", "--client-ca", "ca.crt",
         "--extender-address", "127.0.0.1:0", "--extender-tls-cert", "server.crt", "--extender-tls-key", "server.key",
         "--admin-address", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        found = re.search(r"extender on port (\d+), health and metrics on port (\d+)", line)
        if found:
            break
    else:
        sys.exit("dray serve did not start")
    extender, admin = map(int, found.groups())
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz").read()
            return process, extender, admin
        except OSError:
            time.sleep(0.1)
    sys.exit("dray serve is not ready after a minute")


def handshakes(folder, port, how, seconds):
    """Connections a second, of openssl s_time."""
    begun = time.monotonic()
    said = subprocess.run(["openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-cert", "client.crt", "-key", "client.key",
                           "-CAfile", "ca.crt", how, "-time", str(seconds)], cwd=folder, capture_output=True, text=True, check=True)
    took = time.monotonic() - begun
    return int(re.search(r"(\d+) connections in \d+ real seconds", said.stdout).group(1)) / took


def resident_kib(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text()).group(1))


def idle_kib(folder, process, port):
    """What a TLS connection takes that has had an answer and waits."""
    context = ssl.create_default_context(cafile=folder / "ca.crt")
    context.load_cert_chain(folder / "client.crt", folder / "client.key")
    before, kept = resident_kib(process), []
    for _ in range(IDLE):
        client = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.recv(4096)
        kept.append(client)
    grown = resident_kib(process) - before
    for client in kept:
        client.close()
    return grown / IDLE


def scrapes(port):
    times = []
    for _ in range(SCRAPES):
        begun = time.monotonic()
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        times.append((time.monotonic() - begun) * 1000)
    series = sum(1 for line in page.splitlines() if line and not line.startswith("#"))
    return statistics.median(times), max(times), series


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    dray, seconds = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory(prefix="dray-ports-") as name:
        folder = Path(name)
        make_certificates(folder)
        write_cluster(folder)
        process, extender, admin = start(dray, folder)
        try:
            middle, longest, series = scrapes(admin)
            print(f"/metrics: {middle:.1f} ms, at most {longest:.1f} ms of {SCRAPES}; {series} series")
            print(f"full handshakes: {handshakes(folder, extender, '-new', seconds):.0f} a second")
            print(f"resumed handshakes: {handshakes(folder, extender, '-reuse', seconds):.0f} a second")
            print(f"an idle TLS connection: {idle_kib(folder, process, extender):.0f} KiB of {IDLE}")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
