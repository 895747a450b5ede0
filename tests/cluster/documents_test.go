package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// documents are those whose blocks `sh cluster` are run, the README first, as it installs dray, and last the one that takes
// it out again.
func documents(t *testing.T) []string {
	t.Helper()
	first, last := "README.md", "docs/doctor.md"
	all := []string{first}
	if err := filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, _ os.DirEntry, err error) error {
		name, _ := filepath.Rel(repository, path)
		if err == nil && strings.HasSuffix(name, ".md") && name != last {
			all = append(all, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return append(all, last)
}

// What documents tell an operator to type is taken by a cluster that has nothing of dray's yet, in the order in which he reads:
// the installation with kubectl, dray's commands, the way out.
func TestDocuments(t *testing.T) {
	program := drayProgram(t)
	cluster, err := harness.StartControlPlane(t.Context(), planeBinaries, t.TempDir(), harness.PlaneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	files, err := filepath.Glob(filepath.Join(repository, "config/demo/cluster/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := harness.Load(files...)
	if err == nil {
		err = cluster.Create(t.Context(), objects)
	}
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := cluster.Kubeconfig("reader", "reader", "system:masters")
	if err != nil {
		t.Fatal(err)
	}

	read := documents(t)
	if !slices.Contains(read, "docs/policy.md") {
		t.Fatalf("not all documents are found: %v", read)
	}
	command := exec.CommandContext(t.Context(), "python3", append([]string{"tools/run_docs.py", "--kubeconfig", kubeconfig, program}, read...)...)
	command.Dir = repository
	command.Env = append(os.Environ(), "PATH="+planeBinaries+":"+os.Getenv("PATH"))
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%s", text)
}
