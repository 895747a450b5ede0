package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	blueNamespace = "dray-blue"
	blueScheduler = "dray-scheduler-blue"
	bluePool      = "pool=blue"
	blueDriver    = "blue.example.com"
	redDriver     = "red.example.com"
)

// installBlue installs overlays/partition as an operator would, and names its account in the first dray's policies.
func installBlue(t *testing.T) {
	t.Helper()
	objects, err := harness.Render(filepath.Join(repository, "overlays/partition"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []*harness.Object
	for _, o := range objects {
		if kind := o.GetKind(); kind != "Deployment" && kind != "PodDisruptionBudget" { // the test plays them
			wanted = append(wanted, o)
		}
	}
	if err := plane.Apply(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, o := range wanted {
			if err := plane.Delete(contextAfter(t), o); err != nil {
				t.Error(err)
			}
		}
	})
	// The policy that is waited for comes last.
	for _, name := range []string{"dray-claim-marks", "dray-pod-marks"} {
		altered(t, admission("validatingadmissionpolicies", name), func(o map[string]any) {
			conditions := o["spec"].(map[string]any)["matchConditions"].([]any)
			conditions[0].(map[string]any)["expression"] = fmt.Sprintf("!(request.userInfo.username in [%q, %q])",
				harness.Account, "system:serviceaccount:"+blueNamespace+":dray")
		})
	}
	eventually(t.Context(), t, "pods of the second scheduler are gated", func(ctx context.Context) (bool, error) {
		gated, err := dryRun(ctx, podOf("default", "probe", blueScheduler))
		return err == nil && len(gated.Spec.SchedulingGates) == 1, err
	})
	waitMarksOfBlue(t)
}

// waitMarksOfBlue returns when the first dray's policies have the second one's account, some time after they were altered.
func waitMarksOfBlue(t *testing.T) {
	t.Helper()
	blue, err := plane.AccountClientOf(blueNamespace)
	if err != nil {
		t.Fatal(err)
	}
	probe := podOf("default", "marks-of-blue", blueScheduler)
	createPods(t, probe)
	eventually(t.Context(), t, "the second dray's account may lift gates", func(ctx context.Context) (bool, error) {
		_, err := blue.CoreV1().Pods(probe.Namespace).Patch(ctx, probe.Name, types.JSONPatchType,
			[]byte(`[{"op": "remove", "path": "/spec/schedulingGates"}]`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		// Other policies may have a word of their own: it has no Lease yet.
		return err == nil || !strings.Contains(err.Error(), "'dray-pod-marks'"), nil
	})
	deleteNow(t, probe.Namespace, probe.Name)
}

// startBlue runs the second pair, beside the one of startPair.
func startBlue(t *testing.T, replica string) *harness.Dray {
	t.Helper()
	dray, err := plane.StartDray(t.Context(), drayProgram(t), harness.DrayOptions{Namespace: blueNamespace, Replica: replica,
		Args: []string{"--scheduler-name", blueScheduler, "--leader-elect-namespace", blueNamespace, "--nodes", bluePool,
			"--drivers", blueDriver}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if dray.Running() {
			if err := dray.Stop(15 * time.Second); err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.Log(dray.Tail(60))
		}
	})
	return dray
}

func startBlueScheduler(t *testing.T, dray *harness.Dray) *harness.Process {
	t.Helper()
	config := schedulerConfig(t, "scheduler.yaml")
	config["profiles"].([]any)[0].(map[string]any)["schedulerName"] = blueScheduler
	config.PointAt(dray.Extender, "", nil)
	scheduler, err := plane.StartScheduler(t.Context(), "kube-scheduler-blue", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(scheduler.Kill)
	return scheduler
}

// startTwoPartitions is two pairs on one control plane, red and blue, each with nodes and a driver of its own: the second dray,
// which leads, and its kube-scheduler.
func startTwoPartitions(t *testing.T, nodes, devices int) (*harness.Dray, *harness.Process) {
	t.Helper()
	manageDrivers(t, redDriver)
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--nodes", "pool!=blue", "--drivers", redDriver}}})
	installBlue(t)
	red, blue := fleet(redDriver, nodes, devices, "8"), fleet(blueDriver, nodes, devices, "8")
	red.NodeName, blue.NodeName = "red-%d", "blue-%d"
	create(t, red.All())
	create(t, strings.ReplaceAll(blue.All(), "labels: {", "labels: {pool: blue, "))
	create(t, oneDeviceTemplate("red", redDriver))
	create(t, oneDeviceTemplate("blue", blueDriver))
	second := startBlue(t, "blue-0")
	scheduler := startBlueScheduler(t, second)
	eventually(t.Context(), t, "the second dray leads", func(ctx context.Context) (bool, error) { return second.Ready(ctx), nil })
	return second, scheduler
}

// Two pairs on one control plane, each with nodes and a driver of its own: each binds its pods on its nodes with its devices,
// also pods that ask for none; what one does is no other's fault; a pod whose pool is full waits, whatever the other has.
func TestTwoPartitions(t *testing.T) {
	second, _ := startTwoPartitions(t, 2, 3)

	var pods []*corev1.Pod
	for n := range 7 { // of six devices each
		pods = append(pods, podOf("red", fmt.Sprintf("p%d", n), harness.SchedulerName, "one"),
			podOf("blue", fmt.Sprintf("p%d", n), blueScheduler, "one"))
	}
	pods = append(pods, podOf("red", "plain", harness.SchedulerName), podOf("blue", "plain", blueScheduler))
	createPods(t, pods...)
	for _, side := range []string{"red", "blue"} {
		waitBound(t, side, "plain")
		eventually(t.Context(), t, side+" has six pods with devices, and one that was told why not", func(ctx context.Context) (bool, error) {
			list, err := plane.Client.CoreV1().Pods(side).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, err
			}
			bound, told := 0, 0
			for i := range list.Items {
				pod := &list.Items[i]
				if harness.Bound(pod) {
					bound++
					if !strings.HasPrefix(pod.Spec.NodeName, side+"-") {
						return false, fmt.Errorf("%s/%s is on %s", side, pod.Name, pod.Spec.NodeName)
					}
				} else if harness.Refused(pod) {
					told++
				}
			}
			return bound == 7 && told == 1, nil
		})
		devices, _ := allocated(t, side)
		if len(devices) != 6 {
			t.Errorf("%s: %v", side, devices)
		}
		for _, device := range devices {
			if !strings.HasPrefix(device, side+".example.com/") {
				t.Errorf("%s has %s", side, device)
			}
		}
	}
	checkDoctorOfPartitions(t)
	// Neither has healed, undone or refused anything of the other's.
	for name, log := range map[string]string{"blue": second.Tail(400)} {
		for _, word := range []string{"two claims", "not of the Lease's epoch", "orbidden"} {
			if strings.Contains(log, word) {
				t.Errorf("%s: %s\n%s", name, word, log)
			}
		}
	}
}

// checkDoctorOfPartitions: each of the two is judged by its own objects, and says where the other's account is missing.
func checkDoctorOfPartitions(t *testing.T) {
	t.Helper()
	sides := map[string][]string{"red": nil, "blue": {"--partition", "blue"}}
	for name, args := range sides {
		if found := doctor(t, args...); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
	for policy, args := range map[string][]string{"dray-pod-marks": sides["red"], "dray-pod-marks-blue": sides["blue"]} {
		t.Run("doctor without the other's account in "+policy, func(t *testing.T) {
			altered(t, admission("validatingadmissionpolicies", policy), func(o map[string]any) {
				condition := o["spec"].(map[string]any)["matchConditions"].([]any)[0].(map[string]any)
				text := condition["expression"].(string)
				begin, end := strings.Index(text, ", \"system:"), strings.Index(text, "])")
				condition["expression"] = text[:begin] + text[end:]
			})
			found := doctor(t, args...)
			if len(found) != 1 || found[0].Name != "other-dray-unlisted" || found[0].Object != "ValidatingAdmissionPolicy "+policy {
				t.Errorf("found %+v", found)
			}
		})
	}
	t.Run("doctor without a policy of the partition", func(t *testing.T) {
		removed(t, admission("validatingadmissionpolicies", "dray-claim-marks-blue"))
		if found := doctor(t, sides["blue"]...); !slices.Equal(names(found), []string{"policy-missing"}) {
			t.Errorf("found %+v", found)
		}
		if found := doctor(t); len(found) > 0 {
			t.Errorf("the first dray's: %+v", found)
		}
	})
}

// A standby of a partition has everything listed: it is ready as soon as it has the Lease.
func TestStandbyOfAPartition(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	manageDrivers(t, redDriver)
	installBlue(t)
	blue := fleet(blueDriver, 2, 3, "8")
	blue.NodeName = "blue-%d"
	create(t, strings.ReplaceAll(blue.All(), "labels: {", "labels: {pool: blue, "))
	create(t, oneDeviceTemplate("blue", blueDriver))
	leader := startBlue(t, "blue-0")
	eventually(t.Context(), t, "the first leads", func(ctx context.Context) (bool, error) { return leader.Ready(ctx), nil })
	standby := startBlue(t, "blue-1")
	eventually(t.Context(), t, "the second has listed the cluster", func(context.Context) (bool, error) {
		return strings.Contains(standby.Tail(40), "the cluster has been listed"), nil
	})
	if standby.Ready(t.Context()) {
		t.Error("two are ready")
	}
	if err := leader.Stop(15 * time.Second); err != nil {
		t.Error(err)
	}
	eventually(t.Context(), t, "the second leads", func(ctx context.Context) (bool, error) { return standby.Ready(ctx), nil })
	ready := time.Now()
	lease, err := plane.Client.CoordinationV1().Leases(blueNamespace).Get(t.Context(), "dray", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *lease.Spec.HolderIdentity != "blue-1" {
		t.Errorf("%s holds the Lease", *lease.Spec.HolderIdentity)
	}
	t.Logf("ready %v after it took the Lease", ready.Sub(lease.Spec.AcquireTime.Time).Round(time.Millisecond))
	createPods(t, podOf("blue", "after", blueScheduler, "one"))
	startBlueScheduler(t, standby)
	waitBound(t, "blue", "after")
}
