package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

const onlooker = "system:serviceaccount:dray-record:dray-record"

var onlookerNeeds = []need{{"records", "list watch", watched(), ""}}

// installOnlooker gives the account of overlays/record its rights, and nothing else; it returns the ClusterRole's rules.
func installOnlooker(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	objects, err := harness.Render(filepath.Join(repository, "overlays/record"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []*harness.Object
	for _, o := range objects {
		switch o.GetKind() {
		case "ClusterRole", "ClusterRoleBinding":
			wanted = append(wanted, o)
		}
	}
	if err := plane.Apply(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	rbac := plane.Client.RbacV1()
	t.Cleanup(func() {
		if err := rbac.ClusterRoleBindings().Delete(contextAfter(t), "dray-record", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if err := rbac.ClusterRoles().Delete(contextAfter(t), "dray-record", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	role, err := rbac.ClusterRoles().Get(t.Context(), "dray-record", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the onlooker's rights are there", func(ctx context.Context) (bool, error) {
		return len(refusedOf(ctx, t, questionsOf(onlooker, onlookerNeeds))) == 0, nil
	})
	return role.Rules
}

// The account of dray record may look at what is recorded, nothing of that is too much, and it may change nothing.
func TestNoRightOfTheOnlookerIsTooMuch(t *testing.T) {
	rules := installOnlooker(t)
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			if verb != "list" && verb != "watch" {
				t.Errorf("%v may be %sed", rule.Resources, verb)
			}
		}
	}
	put := func(ctx context.Context, rules []rbacv1.PolicyRule) {
		patch, err := json.Marshal(map[string]any{"rules": rules})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plane.Client.RbacV1().ClusterRoles().Patch(ctx, "dray-record", types.MergePatchType, patch,
			metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	asked := questionsOf(onlooker, onlookerNeeds)
	for what, fewer := range less(rules) {
		if testing.Short() && !strings.HasPrefix(what, "rule ") {
			continue
		}
		t.Run("without "+what, func(t *testing.T) {
			put(t.Context(), fewer)
			eventually(t.Context(), t, "something is refused", func(ctx context.Context) (bool, error) {
				return len(refusedOf(ctx, t, asked)) > 0, nil
			})
			put(t.Context(), rules)
			eventually(t.Context(), t, "all rights are there", func(ctx context.Context) (bool, error) {
				return len(refusedOf(ctx, t, asked)) == 0, nil
			})
		})
	}
}

// startRecord runs dray record with view rights until what it returns is called, which shows the end of its log.
func startRecord(t *testing.T, folder string) (stop func() string) {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("onlooker", onlooker, "system:serviceaccounts")
	if err != nil {
		t.Fatal(err)
	}
	process, err := harness.StartProcess(t.TempDir(), "record", drayProgram(t), "record", folder, "--kubeconfig", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Kill)
	eventually(t.Context(), t, "the cluster is recorded", func(context.Context) (bool, error) {
		if !process.Running() {
			return false, fmt.Errorf("it has ended: %s", process.Tail(20))
		}
		return strings.Contains(process.Tail(20), "the cluster has been listed"), nil
	})
	return func() string {
		if err := process.Stop(15 * time.Second); err != nil {
			t.Error(err)
		}
		return process.Tail(20)
	}
}

// pluginNode is a node with GPUs of a device plugin.
func pluginNode(name string, gpus int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s}}
status:
  capacity: &all {cpu: "8", memory: 64Gi, pods: "110", nvidia.com/gpu: "%[2]d"}
  allocatable: *all
  conditions: [{type: Ready, status: "True"}]
---
`, name, gpus)
}

func pluginPod(name string, gpus int64) *corev1.Pod {
	pod := withCPU(podOf("beside", name, "default-scheduler"), "2") // by which kube-scheduler spreads
	amount := *resource.NewQuantity(gpus, resource.DecimalSI)
	resources := &pod.Spec.Containers[0].Resources
	resources.Requests["nvidia.com/gpu"] = amount
	resources.Limits = corev1.ResourceList{"nvidia.com/gpu": amount}
	return pod
}

func removePod(t *testing.T, name string) {
	t.Helper()
	now := int64(0)
	if err := plane.Client.CoreV1().Pods("beside").Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
}

// queuedJob is a Job as a user of Kueue makes it: suspended until it is admitted.
const queuedJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: queued, namespace: beside, labels: {kueue.x-k8s.io/queue-name: local}}
spec:
  suspend: true
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: pause, resources: {limits: {nvidia.com/gpu: 2}}}]
`

// measured is what dray simulate says of a run.
type measured struct {
	Policy string
	GPUs   float64 `json:"gpus"`
	All    struct {
		Jobs, Ended int
		WaitP99     float64 `json:"waitP99"`
	}
	Queues []struct {
		Queue   string
		Jobs    int
		WaitP50 float64 `json:"waitP50"`
	}
}

// recordedRuns is what dray simulate says of a record under each policy.
func recordedRuns(t *testing.T, folder string, policies ...string) []measured {
	t.Helper()
	args := []string{"simulate", "--workload", "recorded:" + folder, "-o", "json"}
	for _, policy := range policies {
		args = append(args, "--policy", policy)
	}
	var said struct{ Runs []measured }
	text := drayCommand(t, args...)
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return said.Runs
}

// Beside a default kube-scheduler, with rights to look alone: what happened is read as jobs, and what dray would have done
// with them on the same nodes is simulated.
func TestRecordBesideADefaultScheduler(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	manageDrivers(t, "none.example.com")
	installOnlooker(t)
	startScheduler(t, harness.DefaultSchedulerConfig())
	devices := fleet("gpu.example.com", 1, 2, "8")
	devices.Class = "gpu.nvidia.com"
	create(t, devices.All())
	create(t, pluginNode("p0", 4)+pluginNode("p1", 4))
	create(t, oneDeviceTemplate("beside", "gpu.nvidia.com"))
	folder := os.Getenv("DRAY_KEEP_RECORD") // of the sample in docs/
	if folder == "" {
		folder = filepath.Join(t.TempDir(), "record")
	}
	stop := startRecord(t, folder)

	// kube-scheduler spreads the small pods, so that a whole node has to be waited for.
	createPods(t, podOf("beside", "claims", "default-scheduler", "one"), pluginPod("small-0", 1))
	waitBound(t, "beside", "claims")
	first := waitBound(t, "beside", "small-0")
	createPods(t, pluginPod("small-1", 1))
	if second := waitBound(t, "beside", "small-1"); second.Spec.NodeName == first.Spec.NodeName {
		t.Fatal("kube-scheduler packs")
	}
	createPods(t, pluginPod("whole", 4))
	waitRefused(t, "beside", "whole")
	create(t, queuedJob)
	time.Sleep(2 * time.Second) // of the jobs' run times
	removePod(t, "small-0")
	waitBound(t, "beside", "whole")
	removePod(t, "whole")
	if _, err := plane.Client.BatchV1().Jobs("beside").Patch(t.Context(), "queued", types.MergePatchType,
		[]byte(`{"spec":{"suspend":false}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the Job's pods are bound", func(ctx context.Context) (bool, error) {
		pods, err := plane.Client.CoreV1().Pods("beside").List(ctx, metav1.ListOptions{LabelSelector: "job-name=queued"})
		if err != nil || len(pods.Items) != 2 {
			return false, err
		}
		return harness.Bound(&pods.Items[0]) && harness.Bound(&pods.Items[1]), nil
	})
	removePod(t, "small-1")
	removePod(t, "claims")
	deleteJob(t, "beside", "queued")
	eventually(t.Context(), t, "the record shows the end of every job", func(context.Context) (bool, error) {
		runs := recordedRuns(t, folder, "recorded")
		return len(runs) == 1 && runs[0].All.Ended == 5, nil
	})
	if log := stop(); strings.Contains(log, "orbidden") {
		t.Error(log)
	}

	t.Log(drayCommand(t, "simulate", "--workload", "recorded:"+folder, "--policy", "recorded", "--policy", "fcfs"))
	runs := recordedRuns(t, folder, "recorded", "fcfs")
	if len(runs) != 2 {
		t.Fatalf("%+v", runs)
	}
	was, would := runs[0], runs[1]
	for _, run := range runs {
		if run.GPUs != 10 || run.All.Jobs != 5 || run.All.Ended != 5 {
			t.Errorf("%s: %v GPUs, %d of %d jobs", run.Policy, run.GPUs, run.All.Ended, run.All.Jobs)
		}
		if len(run.Queues) != 2 || run.Queues[1].Queue != "local" || run.Queues[1].Jobs != 1 {
			t.Errorf("%s: queues %+v", run.Policy, run.Queues)
		}
	}
	if was.All.WaitP99 < 2 || would.All.WaitP99 >= was.All.WaitP99 {
		t.Errorf("jobs waited %vs, and would have waited %vs", was.All.WaitP99, would.All.WaitP99)
	}
	if was.Queues[1].WaitP50 < 2 {
		t.Errorf("Kueue's Job waited %vs", was.Queues[1].WaitP50)
	}
	snapshot := drayCommand(t, "replay", "--until", time.Now().Add(time.Hour).UTC().Format(time.RFC3339), folder)
	if !strings.Contains(snapshot, `"name":"p1"`) {
		t.Error("the record has no state of the cluster")
	}
}
