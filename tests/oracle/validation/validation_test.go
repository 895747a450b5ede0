package validation

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dray.dev/dray/tests/oracle/cases"
)

// dray is the program: $DRAY, or where `dev build` leaves it.
func dray(t *testing.T) string {
	t.Helper()
	path := os.Getenv("DRAY")
	if path == "" {
		_, here, _, _ := runtime.Caller(0)
		path = filepath.Join(filepath.Dir(here), "../../../build/release/bin/dray")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v (./dev build leaves it there; DRAY names another one)", err)
	}
	return path
}

const namespacesFile = "namespaces.yaml"

// lint is what `dray lint` says of every file of a folder.
func lint(t *testing.T, folder string) map[string]Verdict {
	t.Helper()
	out, err := exec.Command(dray(t), "lint", "-o", "json", folder).Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("dray lint: %v", err)
	}
	var findings []struct{ File, Path, Message string }
	if err := json.Unmarshal(out, &findings); err != nil {
		t.Fatalf("dray lint: %v: %.200s", err, out)
	}
	verdicts := map[string]Verdict{}
	for _, finding := range findings {
		name := filepath.Base(finding.File)
		verdict := verdicts[name]
		strictly := strings.HasPrefix(finding.Message, "strict decoding error")
		if strictly || strings.HasPrefix(finding.Message, "expected ") || strings.Contains(finding.Message, "quantities must match") || strings.Contains(finding.Message, "unable to parse") {
			verdict.Undecodable = true
		}
		verdict.Paths = append(verdict.Paths, finding.Path)
		verdicts[name] = verdict
	}
	for name, verdict := range verdicts {
		verdict.Paths = set(verdict.Paths)
		verdicts[name] = verdict
	}
	return verdicts
}

// agree: of what cannot be decoded upstream names unknown fields alone, and stops at the first value of a wrong type.
func agree(ours, theirs Verdict) bool {
	if ours.Undecodable != theirs.Undecodable {
		return false
	}
	if ours.Undecodable {
		for _, path := range theirs.Paths {
			if !slices.Contains(ours.Paths, path) {
				return false
			}
		}
		return true
	}
	return slices.Equal(ours.Paths, theirs.Paths)
}

func TestLintSaysWhatTheAPIServerSays(t *testing.T) {
	count := cases.Count(t, 2000, 20000)
	random := rand.New(rand.NewPCG(cases.Seed(t), 37))
	folder := t.TempDir()
	texts := map[string]string{}
	upstream := map[string]Verdict{}
	valid := 0
	for i := range count {
		kind, text := Mutant(random)
		verdict, err := Upstream(kind, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		name := fmt.Sprintf("%05d.json", i)
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		texts[name], upstream[name] = string(text), verdict
		if verdict.String() == "valid" {
			valid++
		}
	}
	known := "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n---\napiVersion: v1\nkind: Namespace\n" +
		"metadata: {name: admin, labels: {resource.kubernetes.io/admin-access: \"true\"}}\n"
	if err := os.WriteFile(filepath.Join(folder, namespacesFile), []byte(known), 0o600); err != nil {
		t.Fatal(err)
	}
	verdicts := lint(t, folder)
	different := 0
	for i := range count {
		name := fmt.Sprintf("%05d.json", i)
		if agree(verdicts[name], upstream[name]) {
			continue
		}
		different++
		if different <= 20 {
			t.Errorf("%s\n  dray:     %s\n  upstream: %s", texts[name], verdicts[name], upstream[name])
		}
	}
	t.Logf("%d objects, %d of them valid, %d differences", count, valid, different)
	if valid < count/20 || valid > count*3/4 {
		t.Errorf("%d of %d objects are valid: the mutants are not worth much", valid, count)
	}
}
