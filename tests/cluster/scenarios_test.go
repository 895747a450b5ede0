package cluster_test

import (
	"context"
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

// Scenarios of the shared fixtures, all of them.
func TestSharedScenarios(t *testing.T) {
	playShared(t, pairOptions{}, func(s harness.Scenario) bool { return len(s.Gates) == 0 })
}

// Those of them that need feature gates, each set on a control plane, and with a dray, that have these. Gates of devices
// alone go together: one inventory needs several.
func TestSharedScenariosWithGates(t *testing.T) {
	dir := shared(t)
	drayProgram(t)
	sets := map[string][]string{}
	for _, s := range scenarios(t, filepath.Join(dir, "scenarios/expect.yaml")) {
		if len(s.Gates) > 0 {
			name := gateSet(s)
			sets[name] = slices.Compact(slices.Sorted(slices.Values(append(sets[name], s.Gates...))))
		}
	}
	for name, gates := range sets {
		t.Run(name, func(t *testing.T) {
			withGates(t, gates...)
			playShared(t, gatedDray(gates), func(s harness.Scenario) bool { return len(s.Gates) > 0 && gateSet(s) == name })
		})
	}
}

// gateSet names the control plane that the scenario is played on.
func gateSet(s harness.Scenario) string {
	if slices.ContainsFunc(s.Gates, func(gate string) bool { return !strings.HasPrefix(gate, "DRA") }) {
		return strings.Join(s.Gates, ",")
	}
	return "devices"
}

// checkGatesAlike waits until dray has seen that the API server's gates are its own.
func checkGatesAlike(t *testing.T, p *pair) {
	t.Helper()
	eventually(t.Context(), t, "dray knows the gates", func(ctx context.Context) (bool, error) {
		return strings.Contains(page(ctx, t, p.dray.Admin+"/readyz?verbose"), "[+]feature-gates ok\n"), nil
	})
}

// gatedDray is dray with those of these gates that it has; groups and their claims it reads wherever they are served.
func gatedDray(gates []string) pairOptions {
	var own []string
	for _, gate := range gates {
		if strings.HasPrefix(gate, "DRA") && gate != "DRAWorkloadResourceClaims" {
			own = append(own, gate+"=true")
		}
	}
	if len(own) == 0 {
		return pairOptions{}
	}
	return pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--feature-gates", strings.Join(own, ",")}}}
}

// emptyPlane puts a control plane without anything of dray's in the place of the usual one for the rest of the test.
func emptyPlane(t *testing.T, options harness.PlaneOptions) {
	t.Helper()
	usual := plane
	empty, err := harness.StartControlPlane(t.Context(), planeBinaries, t.TempDir(), options)
	if err != nil {
		t.Fatal(err)
	}
	plane = empty
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(empty.Tails(20))
		}
		empty.Stop()
		plane = usual
	})
}

// withGates puts a control plane with these feature gates in the place of the usual one for the rest of the test.
func withGates(t *testing.T, gates ...string) {
	t.Helper()
	emptyPlane(t, harness.PlaneOptions{Gates: gates})
	if err := plane.InstallManifests(t.Context(), repository); err != nil {
		t.Fatal(err)
	}
}

// playShared plays the shared scenarios that are mine.
func playShared(t *testing.T, options pairOptions, mine func(harness.Scenario) bool) {
	t.Helper()
	dir := shared(t)
	pair := startPair(t, options)
	inventory, err := filepath.Glob(filepath.Join(dir, "[0-9]*.yaml"))
	if err != nil || len(inventory) == 0 {
		t.Fatalf("no inventory in %s: %v", dir, err)
	}
	load(t, inventory...)
	if slices.Contains(options.Args, "--feature-gates") {
		checkGatesAlike(t, pair)
	}
	played := 0
	loaded := map[string]bool{"": true}
	for _, s := range scenarios(t, filepath.Join(dir, "scenarios/expect.yaml")) {
		if !mine(s) {
			continue
		}
		played++
		t.Run(s.Name, func(t *testing.T) {
			if !loaded[s.Inventory] {
				loaded[s.Inventory] = true
				load(t, filepath.Join(dir, s.Inventory))
			}
			play(t, dir, s)
			if reason := reasons[s.Name]; reason != "" {
				checkReason(t, s, reason)
			}
		})
	}
	if played == 0 {
		t.Error("no scenario is of these")
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

// judge compares what the API server holds; a warning may come a moment after the binding that it is about.
func judge(t *testing.T, s harness.Scenario, namespace string) {
	t.Helper()
	inventory, err := plane.ReadInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	eventually(t.Context(), t, "what is expected", func(ctx context.Context) (bool, error) {
		wrong = nil
		all := map[string]harness.Observed{}
		for name := range s.Pods {
			pod, claims, observed, err := plane.Observe(ctx, namespace, name)
			if err != nil {
				return false, err
			}
			all[name] = observed
			for i := range claims {
				if harness.Bound(pod) {
					wrong = append(wrong, harness.CheckClaim(&claims[i], pod)...)
				}
			}
		}
		wrong = append(wrong, harness.Unmet(s.Pods, all, inventory)...)
		onlyWarnings := !slices.ContainsFunc(wrong, func(text string) bool { return !strings.Contains(text, ": no warning ") })
		return len(wrong) == 0 || !onlyWarnings, nil
	})
	for _, text := range wrong {
		t.Error(text)
	}
}
