package cluster_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// marksOf are the annotations of a pod's that are dray's, and its gates.
func marksOf(pod *corev1.Pod) []string {
	var marks []string
	for mark := range pod.Annotations {
		if strings.HasPrefix(mark, "dray.dev/") {
			marks = append(marks, mark)
		}
	}
	for _, gate := range pod.Spec.SchedulingGates {
		marks = append(marks, gate.Name)
	}
	slices.Sort(marks)
	return marks
}

// playSide has two pods bound on a side's two devices, and a third wait. a's device is returned.
func playSide(t *testing.T, side, scheduler string) string {
	t.Helper()
	createPods(t, podOf(side, "a", scheduler, "one"), podOf(side, "b", scheduler, "one"))
	device := deviceOf(t, waitBound(t, side, "a"))
	waitBound(t, side, "b")
	createPods(t, podOf(side, "c", scheduler, "one"))
	waitRefused(t, side, "c")
	return device
}

// Of two drays one is taken out: its pods go to kube-scheduler's own plugin, its policies are gone, and the other has all that
// was its own and goes on.
func TestHandbackOfAPartition(t *testing.T) {
	second, calling := startTwoPartitions(t, 1, 2)
	playSide(t, "red", harness.SchedulerName)
	device := playSide(t, "blue", blueScheduler)
	before := map[string][]string{}
	for _, name := range []string{"a", "b", "c"} {
		before[name] = marksOf(getPod(t, "red", name))
	}
	if len(before["c"]) == 0 {
		t.Fatal("nothing of red's would be seen to go")
	}

	ofBlue := []string{"--partition", "blue"}
	checkStranded := func(when string, args []string, side string, want ...string) {
		t.Helper()
		found := doctor(t, append([]string{"--uninstall"}, args...)...)
		if !slices.Equal(names(found), want) {
			t.Errorf("%s: stranded %v", when, names(found))
		}
		for _, each := range found {
			if strings.HasPrefix(each.Object, "Pod ") && !strings.HasPrefix(each.Object, "Pod "+side+"/") ||
				each.Name == "policy" && strings.HasSuffix(each.Object, "-blue") != (side == "blue") {
				t.Errorf("%s: %s is said to be %s's", when, each.Object, side)
			}
		}
	}
	checkStranded("before", ofBlue, "blue", "gated-pod", "policy")
	checkStranded("before", nil, "red", "gated-pod", "policy")
	if said, status := handback(t, ofBlue...); status != 2 || !strings.Contains(said, "blue-0 leads: stop it first (kubectl -n dray-blue ") {
		t.Errorf("while dray leads: status %d: %s", status, said)
	}

	if err := second.Stop(15 * time.Second); err != nil {
		t.Error(err)
	}
	calling.Kill()
	t.Run("another dray's policy does not name its account", func(t *testing.T) {
		unlisted(t, "dray-pod-marks")
		if said, status := handback(t, ofBlue...); status != 2 || !strings.Contains(said, "ValidatingAdmissionPolicy dray-pod-marks of another dray") {
			t.Errorf("status %d: %s", status, said)
		}
		checkStranded("refused", ofBlue, "blue", "gated-pod", "policy")
	})
	waitMarksOfBlue(t)
	said, status := handback(t, ofBlue...)
	if status != 0 || !strings.Contains(said, "lift Pod blue/c\n") || strings.Contains(said, "red/") {
		t.Fatalf("handback: status %d: %s", status, said)
	}
	for _, name := range []string{"a", "b", "c"} {
		if marks := marksOf(getPod(t, "blue", name)); len(marks) > 0 {
			t.Errorf("pod blue/%s still has %v", name, marks)
		}
		if marks := marksOf(getPod(t, "red", name)); !slices.Equal(marks, before[name]) {
			t.Errorf("pod red/%s had %v and has %v", name, before[name], marks)
		}
	}
	checkStranded("after", ofBlue, "blue", "waiting-pod")
	if found := doctor(t); len(found) > 0 {
		t.Errorf("the first dray has lost something: %+v", found)
	}

	inTree, err := harness.LoadSchedulerConfig(filepath.Join(repository, "config/handback.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	inTree["profiles"].([]any)[0].(map[string]any)["schedulerName"] = blueScheduler
	plugin, err := plane.StartScheduler(t.Context(), "kube-scheduler-plugin", inTree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plugin.Kill)
	for _, side := range []string{"red", "blue"} {
		if err := plane.Client.CoreV1().Pods(side).Delete(t.Context(), "b", *metav1.NewDeleteOptions(0)); err != nil {
			t.Fatal(err)
		}
		waitBound(t, side, "c")
	}
	if now := deviceOf(t, getPod(t, "blue", "a")); now != device {
		t.Errorf("pod a had %s and has %s", device, now)
	}
	devices, _ := allocated(t, "blue")
	if slices.Sort(devices); len(slices.Compact(devices)) != 2 {
		t.Errorf("blue: %v", devices)
	}
}

// unlisted takes the second dray's account out of a policy of the first, for the rest of the test.
func unlisted(t *testing.T, policy string) {
	t.Helper()
	altered(t, admission("validatingadmissionpolicies", policy), func(o map[string]any) {
		condition := o["spec"].(map[string]any)["matchConditions"].([]any)[0].(map[string]any)
		condition["expression"] = fmt.Sprintf("!(request.userInfo.username in [%q])", harness.Account)
	})
}
