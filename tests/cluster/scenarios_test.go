package cluster_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// Our own scenarios, on a small inventory.
func TestScenarios(t *testing.T) {
	startPair(t, pairOptions{})
	load(t, "testdata/inventory.yaml")
	for _, s := range scenarios(t, "testdata/scenarios.yaml") {
		t.Run(s.Name, func(t *testing.T) { play(t, "testdata", s) })
	}
}

// Scenarios of the shared fixtures; testdata/shared-scenarios.txt names those that dray must meet by now.
func TestSharedScenarios(t *testing.T) {
	playShared(t, func(s harness.Scenario) bool { return len(s.Gates) == 0 })
}

// Those of them that need feature gates: on a control plane of their own.
func TestSharedScenariosWithGates(t *testing.T) {
	shared(t)
	drayProgram(t)
	withGates(t, "GenericWorkload", "DRAWorkloadResourceClaims")
	playShared(t, func(s harness.Scenario) bool { return len(s.Gates) > 0 })
}

// withGates puts a control plane with these feature gates in the place of the usual one for the rest of the test.
func withGates(t *testing.T, gates ...string) {
	t.Helper()
	usual := plane
	gated, err := harness.StartControlPlane(t.Context(), planeBinaries, t.TempDir(), gates...)
	if err != nil {
		t.Fatal(err)
	}
	plane = gated
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(gated.Tails(20))
		}
		gated.Stop()
		plane = usual
	})
	if err := install(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func playShared(t *testing.T, mine func(harness.Scenario) bool) {
	dir := shared(t)
	enabled, err := os.ReadFile("testdata/shared-scenarios.txt")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{})
	inventory, err := filepath.Glob(filepath.Join(dir, "[0-9]*.yaml"))
	if err != nil || len(inventory) == 0 {
		t.Fatalf("no inventory in %s: %v", dir, err)
	}
	load(t, inventory...)
	names := strings.Fields(string(enabled))
	played, wanted := 0, 0
	for _, s := range scenarios(t, filepath.Join(dir, "scenarios/expect.yaml")) {
		if !mine(s) {
			continue
		}
		if slices.Contains(names, s.Name) {
			wanted++
		}
		t.Run(s.Name, func(t *testing.T) {
			if !slices.Contains(names, s.Name) {
				t.Skip("not in testdata/shared-scenarios.txt")
			}
			played++
			play(t, dir, s)
			if reason := reasons[s.Name]; reason != "" {
				checkReason(t, s, reason)
			}
		})
	}
	if played != wanted || wanted == 0 {
		t.Errorf("played %d scenarios of %d", played, wanted)
	}
}

// reasons are the words of DrayAdmitted that all pods of a scenario must end with.
var reasons = map[string]string{"gang-too-big": "GangNoRoom"}

func checkReason(t *testing.T, s harness.Scenario, want string) {
	t.Helper()
	for name := range s.Pods {
		_, err := plane.WaitPod(t.Context(), "s-"+s.Name, name, patience, func(pod *corev1.Pod) bool {
			return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == "DrayAdmitted" && c.Status == corev1.ConditionFalse && c.Reason == want
			})
		})
		if err != nil {
			t.Error("reason "+want+":", err)
		}
	}
}

func load(t *testing.T, files ...string) {
	t.Helper()
	objects, err := harness.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Create(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
}

func scenarios(t *testing.T, file string) []harness.Scenario {
	t.Helper()
	all, err := harness.LoadScenarios(file)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// play creates a scenario's objects, waits for a decision on each pod, checks what the API server holds, deletes the
// pods and checks that their devices are free again.
func play(t *testing.T, dir string, s harness.Scenario) {
	if s.Inventory != "" {
		load(t, filepath.Join(dir, s.Inventory))
	}
	objects, err := harness.Load(filepath.Join(dir, s.File))
	if err != nil {
		t.Fatal(err)
	}
	var pods, others []*harness.Object
	for _, o := range objects {
		if o.GetKind() == "Pod" {
			pods = append(pods, o)
		} else {
			others = append(others, o)
		}
	}
	if len(pods) != len(s.Pods) {
		t.Fatalf("%s has %d pods, %d are expected", s.File, len(pods), len(s.Pods))
	}
	namespace := pods[0].GetNamespace()
	if err := plane.Create(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.DeletePods(contextAfter(t), namespace); err != nil {
			t.Error(err)
		}
		if err := plane.DeleteGroups(contextAfter(t), namespace); err != nil {
			t.Error(err)
		}
		if err := plane.WaitReleased(contextAfter(t), namespace, patience); err != nil {
			t.Error("after the pods were deleted:", err)
		}
	})
	schedule(t, s, pods)
	settle(t, namespace)
	judge(t, s, namespace)
}

func schedule(t *testing.T, s harness.Scenario, pods []*harness.Object) {
	t.Helper()
	wait := func(pod *harness.Object) {
		t.Helper()
		decided := harness.Refused
		if s.Pods[pod.GetName()].Bound {
			decided = harness.Bound
		}
		_, err := plane.WaitPod(t.Context(), pod.GetNamespace(), pod.GetName(), patience, func(p *corev1.Pod) bool {
			if s.Steps == "set-conditions" {
				playDriver(t, p)
			}
			return decided(p)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.Steps == "ordered" {
		for _, pod := range pods {
			if err := plane.Create(t.Context(), []*harness.Object{pod}); err != nil {
				t.Fatal(err)
			}
			wait(pod)
		}
		return
	}
	if err := plane.Create(t.Context(), pods); err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		wait(pod)
	}
}

// playDriver reports that allocated devices are ready, as a driver with binding conditions does.
func playDriver(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	claims, err := plane.ClaimsOf(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range claims {
		if harness.ReportReady(&claim) {
			_, err := plane.Client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(t.Context(), &claim,
				metav1.UpdateOptions{})
			if err != nil {
				t.Log("driver:", err) // repeated at the next poll
			}
		}
	}
}

// settle waits until a pod that came after all others is bound: what came before has been looked at by then.
func settle(t *testing.T, namespace string) {
	t.Helper()
	createPods(t, podOf(namespace, "last", harness.SchedulerName))
	waitBound(t, namespace, "last")
}

func judge(t *testing.T, s harness.Scenario, namespace string) {
	t.Helper()
	inventory, err := plane.ReadInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]harness.Outcome{}
	for name, expected := range s.Pods {
		pod, err := plane.Client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		claims, err := plane.ClaimsOf(t.Context(), pod)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[name] = harness.Outcome{Pod: *pod, Claims: claims}
		for _, wrong := range expected.Check(outcomes[name], inventory) {
			t.Errorf("pod %s: %s", name, wrong)
		}
	}
	for _, wrong := range s.CheckSameNode(outcomes) {
		t.Error(wrong)
	}
}
