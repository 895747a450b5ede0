package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// drayCommand runs a command of dray's as an admin of the control plane and gives its output.
func drayCommand(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), drayProgram(t), args...)
	var problem strings.Builder
	command.Stderr = &problem
	text, err := command.Output()
	if err != nil {
		t.Fatalf("dray %s: %v: %s", strings.Join(args, " "), err, problem.String())
	}
	return string(text)
}

// A snapshot of a live cluster stands for it: commands say of the file what they say of the cluster, and of a redacted one
// the same but for names.
func TestSnapshot(t *testing.T) {
	const driver = "snapshot.example.com"
	startPair(t, pairOptions{})
	create(t, fleet(driver, 2, 2, "8").All())
	create(t, oneDeviceTemplate("payroll", driver))
	createPods(t, podOf("payroll", "payroll-a", harness.SchedulerName, "one"))
	waitBound(t, "payroll", "payroll-a")

	kubeconfig, err := plane.Kubeconfig("snapshot", "snapshot", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := drayCommand(t, "snapshot", "--kubeconfig", kubeconfig)
	redacted := drayCommand(t, "snapshot", "--redact", "--kubeconfig", kubeconfig)
	if !strings.Contains(plain, "payroll") || strings.Contains(redacted, "payroll") {
		t.Error("the redacted snapshot names what the plain one does")
	}
	claim := file("claim.yaml", `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: next, namespace: default}
spec: {devices: {requests: [{name: dev, exactly: {deviceClassName: `+driver+`, count: 2}}]}}
`)
	live := drayCommand(t, "allocate", "-f", claim, "--kubeconfig", kubeconfig, "-o", "json")
	for name, text := range map[string]string{"plain.json": plain, "redacted.json": redacted} {
		if got := drayCommand(t, "allocate", "-f", claim, "--cluster", file(name, text), "-o", "json"); got != live {
			t.Errorf("%s: allocate says\n%s\nof the live cluster\n%s", name, got, live)
		}
	}
}
