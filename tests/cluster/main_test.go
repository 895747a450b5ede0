// Package cluster_test runs dray on a real Kubernetes control plane and asserts on what the API server holds.
package cluster_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const repository = "../.."

var (
	plane         *harness.ControlPlane // one for all tests; each leaves it clean
	planeBinaries string
	update        = flag.Bool("update", false, "write the recorded extender calls to tests/unit/wire/testdata/extender")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	dir, keep, err := harness.TempDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if !keep {
		defer os.RemoveAll(dir)
	}
	if err := start(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, "control plane:", err)
		return 1
	}
	defer plane.Stop()
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, plane.Tails(20))
	}
	return code
}

// start builds the control plane if need be, starts it and installs manifests/ as an operator would.
func start(ctx context.Context, dir string) error {
	binaries, err := filepath.Abs(filepath.Join(repository, "build/cluster-bin"))
	if err != nil {
		return err
	}
	build := exec.Command("./build.sh", binaries)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build.sh: %w", err)
	}
	if plane, err = harness.StartControlPlane(ctx, binaries, dir, harness.PlaneOptions{}); err != nil {
		return err
	}
	planeBinaries = binaries
	if err := plane.InstallManifests(ctx, repository); err != nil {
		plane.Stop()
		return err
	}
	return nil
}

func dryRun(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	return plane.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// drayProgram is the program under test.
func drayProgram(t *testing.T) string {
	t.Helper()
	return builtProgram(t, "DRAY_BIN", "dray")
}

// shared is the folder of the fixtures that are not part of this repository.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DRAY_SHARED")
	if dir == "" {
		t.Skip("DRAY_SHARED does not name the shared fixtures")
	}
	return filepath.Join(dir, "fixtures")
}
