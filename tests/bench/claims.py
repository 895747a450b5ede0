#!/usr/bin/env python3
"""What the field claims of sharing, flexible requests and fair share, measured: claims.py DRAY TRACES [DOCUMENT]

With DOCUMENT, which is docs/claims.md: fails if the tables there are not these. TRACES holds Alibaba's openb trace (openb/) and Philly's (philly/). The
same inputs give the same numbers. Of openb the jobs are those that ask for a GPU and run for less than a day (the few others have nine tenths of the
GPU time and never let go), with their run times. It has months of light load, so they come faster: all times of arrival are divided by
one number, which makes them ask for LOAD of the cluster's GPUs on average.
"""

import contextlib
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

LOAD = 0.9
LONGEST = 86400  # seconds
SERVED_WITHIN = 600  # seconds that one in twenty may wait longer than, where hardware is counted
WHOLE = 1000


def read(file):
    with open(file, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write(file, rows):
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file


def seconds(job):
    return int(job["deletion_time"]) - int(job["creation_time"])


def gpus(job):
    return int(job["num_gpu"]) * int(job["gpu_milli"]) / WHOLE


def gpu_jobs(trace):
    """Those that ask for a GPU and end within a day."""
    return [job for job in trace if int(job["num_gpu"]) > 0 and job["deletion_time"] and seconds(job) < LONGEST]


def compressed(jobs, capacity):
    """The same jobs in the same order, so close that they ask for LOAD of so many GPUs."""
    work = sum(gpus(job) * seconds(job) for job in jobs)
    span = max(int(job["creation_time"]) for job in jobs) - min(int(job["creation_time"]) for job in jobs)
    factor = capacity * LOAD * span / work
    made = []
    for job in jobs:
        begin = round(int(job["creation_time"]) / factor)
        made.append({**job, "creation_time": begin, "deletion_time": begin + seconds(job)})
    return made


def whole(jobs):
    return [{**job, "gpu_milli": WHOLE} for job in jobs]


def pinned(jobs, models):
    """Each asks for one model, as a node pool is chosen: the first that it may have; whoever may have any, each model's part of them."""
    made, turn = [], 0
    for job in jobs:
        model = job["gpu_spec"].split("|")[0]
        if not model:
            model = models[turn % len(models)]
            turn += 1
        made.append({**job, "gpu_spec": model})
    return made


TITLES = {"ended": "jobs that ran", "waitMean": "mean wait", "waitP50": "p50", "waitP95": "p95", "waitP99": "p99",
          "gangWaitP95": "p95 of gangs", "makespan": "makespan", "evictions": "evictions", "lostGpuHours": "GPU-hours lost"}
WAITS = ("ended", "waitMean", "waitP50", "waitP95", "waitP99", "makespan")


class Lab:
    """Runs dray simulate on files that it makes."""

    def __init__(self, dray, folder):
        self.dray, self.folder, self.files = dray, pathlib.Path(folder), 0

    def file(self, rows):
        self.files += 1
        return write(self.folder / f"{self.files}.csv", rows)

    def run(self, cluster, workload, policy, *flags):
        """The measures of one policy over the whole run."""
        command = [self.dray, "simulate", "--cluster", cluster, "--workload", workload, "--policy", policy, "-o", "json", *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"claims: {' '.join(map(str, command))}: {done.stderr}")
        run = json.loads(done.stdout)["runs"][0]
        return {**run["all"], "makespan": run["makespan"], "gpus": run["gpus"]}


def time_of(value):
    """`1h05m`, as people say it."""
    if value < 60:
        return f"{value:.0f}s"
    if value < 3600:
        return f"{value // 60:.0f}m{value % 60:02.0f}s"
    if value < 86400:
        return f"{value // 3600:.0f}h{value % 3600 // 60:02.0f}m"
    return f"{value / 86400:.1f}d"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    print()
    row(*cells)
    row(*("---" for _ in cells))


def table(title, runs, measures=WAITS):
    """Runs by name, a row each."""
    head(title, *(TITLES[measure] for measure in measures))
    for name, run in runs.items():
        row(name, *(time_of(run[measure]) if measure.startswith(("wait", "gang", "make")) else round(run[measure]) for measure in measures))


def hardware(title, unit, ways, most, run):
    """How many of a unit each way needs."""
    head(title, unit, "of the first")
    first = None
    for name, way in ways.items():
        need = least(lambda n, way=way: run(n, *way)["waitP95"] <= SERVED_WITHIN, most)
        first = first or need
        row(name, need, f"{100 * need / first:.0f} %")


def least(serves, most):
    """The least of 1 to `most` that serves; more serve better."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if serves(middle):
            high = middle
        else:
            low = middle + 1
    return low



def sharing(lab, traces, name):
    """Parts of GPUs against whole ones, on the same nodes, then on as few as do."""
    nodes = 24
    jobs = compressed(gpu_jobs(read(traces / "openb" / f"openb_pod_list_{name}.csv")), nodes * 8)
    asked, rounded = lab.file(jobs), lab.file(whole(jobs))
    ways = {"whole GPUs, best fit": (rounded, "bestfit"), "parts of GPUs, best fit": (asked, "bestfit"), "parts of GPUs, FGD": (asked, "fgd"),
            "parts of GPUs, dray": (asked, "dray")}

    def run(n, file, policy):
        return lab.run(f"nodes:{n}x8", f"openb-times:{file}", policy)

    table(f"{name}: {nodes} nodes of 8 GPUs", {way: run(nodes, *how) for way, how in ways.items()})
    hardware(f"{name}: p95 within {time_of(SERVED_WITHIN)}", "nodes", ways, 400, run)


def flexible(lab, traces, name):
    """Any model that will do against one that is chosen before, parts against whole GPUs, on a tenth of the openb cluster."""
    everywhere = [node for node in read(traces / "openb" / "openb_node_list_gpu_node.csv") if int(node["gpu"]) > 0]

    def spread(count):
        return [everywhere[i * len(everywhere) // count] for i in range(count)]

    nodes = spread(len(everywhere) // 10)
    models = [node["model"] for node in nodes for _ in range(int(node["gpu"]))]
    jobs = compressed(gpu_jobs(read(traces / "openb" / f"openb_pod_list_{name}.csv")), len(models))
    ways = {"one model, whole GPUs": pinned(whole(jobs), models), "any that will do, whole GPUs": whole(jobs),
            "one model, parts of GPUs": pinned(jobs, models), "any that will do, parts of GPUs": jobs}
    ways = {way: (lab.file(some),) for way, some in ways.items()}

    def run(count, file):
        return lab.run(f"openb:{lab.file(spread(count))}", f"openb-times:{file}", "bestfit")

    table(f"{name}: {len(nodes)} nodes with {len(models)} GPUs", {way: run(len(nodes), *how) for way, how in ways.items()})
    hardware(f"{name}: p95 within {time_of(SERVED_WITHIN)}", "nodes", ways, len(everywhere), run)


def fairness(lab, traces):
    """Philly's fifteen queues: kube-scheduler's way with several placements, dray's planner with one queue, and with fair share."""
    nodes = 96
    runs = {}
    for name, policy in (("anywhere", "random"), ("first fit", "first-fit"), ("best fit", "bestfit"), ("dray's strategy", "dray"),
                         ("planner, one queue", "fcfs"), ("planner, fair share", "fair")):
        runs[name] = lab.run(f"nodes:{nodes}x8", f"philly:{traces / 'philly' / 'philly.csv'}", policy, "--plan-pause", "60")
    table(f"Philly: {nodes} nodes of 8 GPUs", runs, ("waitMean", "waitP50", "waitP95", "waitP99", "gangWaitP95", "evictions", "lostGpuHours"))


def differences(text, document):
    """Rows that a document has and the text has not, and the other way round."""
    made, written = ([line for line in each.splitlines() if line.startswith("|")] for each in (text, document))
    return [f"measured: {line}" for line in made if line not in written] + [f"written:  {line}" for line in written if line not in made]


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    traces = pathlib.Path(arguments[1])
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(output):
        lab = Lab(arguments[0], folder)
        for name in ("gpushare40", "gpushare60"):
            sharing(lab, traces, name)
        flexible(lab, traces, "gpuspec25")
        fairness(lab, traces)
    print(output.getvalue())
    if len(arguments) == 3:
        different = differences(output.getvalue(), pathlib.Path(arguments[2]).read_text(encoding="utf-8"))
        print("\n".join(different))
        print(f"{int(not different)} passed, {int(bool(different))} failed, 0 skipped")
        sys.exit(1 if different else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
