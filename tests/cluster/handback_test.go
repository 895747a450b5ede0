package cluster_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// handback runs the command as an admin.
func handback(t *testing.T, args ...string) (text string, status int) {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("handback", "handback", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"handback", "--kubeconfig", kubeconfig}, args...)
	said, err := exec.CommandContext(t.Context(), drayProgram(t), args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(said), status
}

func deviceOf(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	claims, err := plane.ClaimsOf(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	if len(claims) != 1 || claims[0].Status.Allocation == nil {
		t.Fatalf("pod %s has no devices: %+v", pod.Name, claims)
	}
	device := claims[0].Status.Allocation.Devices.Results[0]
	return device.Pool + "/" + device.Device
}

func getPod(t *testing.T, namespace, name string) *corev1.Pod {
	t.Helper()
	pod, err := plane.Client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// Pods that dray gated are scheduled by kube-scheduler's own plugin once they are handed back; what runs keeps its
// devices, and nothing of dray's is left.
func TestHandback(t *testing.T) {
	const driver = "handback.example.com"
	t.Cleanup(func() {
		// kube-apiserver reads no Lease anew for policies whose last binding was deleted: dray-epoch would judge by the one
		// that it knew, and refuse whatever dray writes.
		if err := plane.RestartAPIServer(contextAfter(t), 0); err != nil {
			t.Error(err)
		}
		if err := plane.InstallManifests(contextAfter(t), repository); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { clean(t) })
	manageDrivers(t, driver)
	audit(t)
	dray, err := plane.StartDray(t.Context(), drayProgram(t), harness.DrayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dray.Kill() })
	config := schedulerConfig(t, "scheduler.yaml")
	config.PointAt(dray.Extender, dray.Authority, dray.Caller)
	scheduler, err := plane.StartScheduler(t.Context(), "kube-scheduler", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scheduler.Kill() })

	create(t, fleet(driver, 1, 2, "8").All())
	create(t, oneDeviceTemplate("handback", driver))
	createPods(t, podOf("handback", "a", harness.SchedulerName, "one"), podOf("handback", "b", harness.SchedulerName, "one"))
	device := deviceOf(t, waitBound(t, "handback", "a"))
	waitBound(t, "handback", "b")
	queued := podOf("handback", "c", harness.SchedulerName, "one")
	queued.Annotations = map[string]string{"dray.dev/queue": "mine"}
	createPods(t, queued)
	waitRefused(t, "handback", "c")

	stranded := names(doctor(t, "--uninstall"))
	if !slices.Equal(stranded, []string{"gated-pod", "policy"}) {
		t.Errorf("stranded: %v", stranded)
	}
	if said, status := handback(t); status != 2 || !strings.Contains(said, " leads: stop it first") {
		t.Errorf("while dray leads: status %d: %s", status, said)
	}
	if said, status := handback(t, "--dry-run"); status != 0 || !strings.Contains(said, "would lift Pod handback/c\n") ||
		!strings.Contains(said, "would delete ValidatingAdmissionPolicyBinding dray-epoch\n") {
		t.Errorf("dry run: status %d: %s", status, said)
	}
	if len(getPod(t, "handback", "c").Spec.SchedulingGates) != 1 {
		t.Error("a dry run, or one that was refused, lifted a gate")
	}

	if err := dray.Stop(15 * time.Second); err != nil {
		t.Error(err)
	}
	scheduler.Kill()
	said, status := handback(t)
	if status != 0 || !strings.Contains(said, "lift Pod handback/c\n") {
		t.Fatalf("handback: status %d: %s", status, said)
	}
	c := getPod(t, "handback", "c")
	if len(c.Spec.SchedulingGates) > 0 || c.Annotations["dray.dev/queue"] != "mine" ||
		slices.ContainsFunc(c.Status.Conditions, func(each corev1.PodCondition) bool { return each.Type == "DrayAdmitted" }) {
		t.Errorf("handed back: gates %v, annotations %v, conditions %v", c.Spec.SchedulingGates, c.Annotations, c.Status.Conditions)
	}
	for _, pod := range []string{"a", "b"} {
		for mark := range getPod(t, "handback", pod).Annotations {
			if strings.HasPrefix(mark, "dray.dev/") {
				t.Errorf("pod %s still has %s", pod, mark)
			}
		}
	}
	if stranded := names(doctor(t, "--uninstall")); !slices.Equal(stranded, []string{"waiting-pod"}) {
		t.Errorf("left behind: %v", stranded)
	}

	inTree, err := harness.LoadSchedulerConfig(filepath.Join(repository, "config/handback.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	startScheduler(t, inTree)
	if now := deviceOf(t, getPod(t, "handback", "a")); now != device {
		t.Errorf("pod a had %s and has %s", device, now)
	}
	if err := plane.Client.CoreV1().Pods("handback").Delete(t.Context(), "b", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	if other := deviceOf(t, waitBound(t, "handback", "c")); other == device {
		t.Errorf("pods a and c both have %s", device)
	}
	again, status := handback(t)
	if status != 0 || !strings.HasSuffix(again, "0 done, 0 left.\n") {
		t.Errorf("handed back once more: status %d: %s", status, again)
	}
}
