#!/usr/bin/env python3
"""What monitoring/ holds is true: rules and dashboards parse, name only metrics of docs/metrics.md with labels that these
have, every alert fires where it should and not elsewhere, and has its entry in the runbook."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MONITORING = ROOT / "monitoring"
DASHBOARDS = sorted((MONITORING / "dashboards").glob("*.json"))
# Added by Prometheus when it scrapes, or by a histogram.
LABELS_OF_ALL = {"job", "instance", "namespace", "pod", "le"}
NO_PROMTOOL = shutil.which("promtool") is None


def metrics():
    """{name: labels}, with the series of histograms, as docs/metrics.md says."""
    found = {}
    for line in (ROOT / "docs/metrics.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 6 or not cells[1].startswith("`dray_"):
            continue
        name, labels = cells[1].strip("`"), set(re.findall(r"`(\w+)`", cells[4]))
        for suffix in ("_bucket", "_sum", "_count") if cells[2] == "histogram" else ("",):
            found[name + suffix] = labels
    return found


def rules():
    """The rules file of Prometheus' own form: what is below `spec` of the PrometheusRule."""
    text = (MONITORING / "prometheusrule.yaml").read_text()
    return re.sub(r"^  ", "", text.split("\nspec:\n")[1], flags=re.M)


def alerts():
    """[(name, expression)]"""
    return re.findall(r"- alert: (\w+)\n +expr: >-\n +(.+)\n", rules())


def panels():
    """[(dashboard and title, panel)]"""
    return [
        (f"{path.stem}: {panel['title']}", panel)
        for path in DASHBOARDS
        for panel in json.loads(path.read_text())["panels"]
    ]


def queries():
    """[(where, expression, legend)] of all panels, with Grafana's variables replaced."""
    return [
        (where, target["expr"].replace("$__rate_interval", "5m").replace("$queue", ".*"), target["legendFormat"])
        for where, panel in panels()
        for target in panel["targets"]
    ]


def wrong_names(expression, known):
    """What an expression names that there is not."""
    wrong, labels = [], set(LABELS_OF_ALL)
    for name, selector in re.findall(r"\b(dray_\w+)(\{[^}]*\})?", expression):
        if name not in known:
            wrong.append(name)
            continue
        labels |= known[name]
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector):
            if label not in known[name] | LABELS_OF_ALL:
                wrong.append(f"{name}{{{label}}}")
    for group in re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", expression):
        wrong += [f"by {label}" for label in re.findall(r"\w+", group) if label not in labels]
    return wrong


def promtool(*arguments, **files):
    """Runs promtool in a folder with these files; (status, output)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / f"{name}.yaml").write_text(text)
        done = subprocess.run(["promtool", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Names(unittest.TestCase):
    def test_a_wrong_name_is_found(self):
        known = {"dray_a": {"x"}, "dray_b_bucket": {"y"}}
        for expression, wrong in (
            ('sum by (x) (dray_a{x="1"})', []),
            ('dray_a{y="1"}', ["dray_a{y}"]),
            ("dray_b", ["dray_b"]),
            ("sum by (z) (dray_a)", ["by z"]),
            ("histogram_quantile(0.9, sum by (y, le) (rate(dray_b_bucket[5m])))", []),
        ):
            with self.subTest(expression):
                self.assertEqual(wrong_names(expression, known), wrong)

    def test_alerts_and_panels_name_what_there_is(self):
        known = metrics()
        self.assertGreater(len(known), 60)
        expressions = alerts() + [(where, expression) for where, expression, _ in queries()]
        self.assertGreater(len(expressions), 50)
        for where, expression in expressions:
            with self.subTest(where):
                self.assertEqual(wrong_names(expression, known), [])
                self.assertIn("dray_", expression)

    def test_a_legend_names_labels_that_its_query_keeps(self):
        for where, expression, legend in queries():
            kept = set(re.findall(r"\w+", " ".join(re.findall(r"\bby \(([^)]*)\)", expression))))
            with self.subTest(where):
                self.assertLessEqual(set(re.findall(r"\{\{(\w+)\}\}", legend)), kept)


class Alerts(unittest.TestCase):
    def test_each_has_a_severity_a_runbook_entry_and_both_cases(self):
        text, book = rules(), (ROOT / "docs/runbook.md").read_text()
        cases = (MONITORING / "tests/alerts.yaml").read_text()
        names = [name for name, _ in alerts()]
        self.assertGreaterEqual(len(names), 12)
        self.assertEqual(len(names), text.count("- alert:"))
        self.assertEqual(re.findall(r"^## (\w+)$", book, flags=re.M), names)
        for name in names:
            with self.subTest(name):
                self.assertIn(f"docs/runbook.md#{name.lower()}", text)
                self.assertIn(f"- name: {name} fires\n", cases)
                self.assertIn(f"- name: {name} quiet\n", cases)
                entry = book.split(f"## {name}\n")[1].split("\n## ")[0]
                self.assertIn("*Look:*", entry)
                self.assertIn("*Mend:*", entry)
        self.assertEqual(len(re.findall(r"severity: (?:critical|warning)\}", text)), len(names))
        self.assertEqual(cases.count("exp_alerts: []"), len(names))

    @unittest.skipIf(NO_PROMTOOL, "no promtool (Debian package prometheus)")
    def test_they_parse_and_fire_where_they_should(self):
        status, said = promtool("check", "rules", "rules.yaml", rules=rules())
        self.assertEqual(status, 0, said)
        cases = (MONITORING / "tests/alerts.yaml").read_text()
        status, said = promtool("test", "rules", "alerts.yaml", rules=rules(), alerts=cases)
        self.assertEqual(status, 0, said)


class Dashboards(unittest.TestCase):
    def test_there_are_three_and_each_panel_says_what_it_shows(self):
        self.assertEqual([path.stem for path in DASHBOARDS], ["dray-extender", "dray-operator", "dray-tenant"])
        kustomization = (MONITORING / "kustomization.yaml").read_text()
        for path in DASHBOARDS:
            self.assertEqual(json.loads(path.read_text())["uid"], path.stem)
            self.assertIn(f"dashboards/{path.name}", kustomization)
        for where, panel in panels():
            with self.subTest(where):
                self.assertTrue(panel["description"].endswith("."))
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertTrue(panel["targets"])

    @unittest.skipIf(NO_PROMTOOL, "no promtool (Debian package prometheus)")
    def test_every_query_parses(self):
        lines = ["groups:", "- name: dashboards", "  rules:"]
        for number, (_, expression, _) in enumerate(queries()):
            lines += [f"  - record: dashboard:query:{number}", f"    expr: {json.dumps(expression)}"]
        status, said = promtool("check", "rules", "rules.yaml", rules="\n".join(lines) + "\n")
        self.assertEqual(status, 0, said)


if __name__ == "__main__":
    unittest.main()
