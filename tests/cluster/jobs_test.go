package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const jobDriver = "jobs.example.com"

// indexedJob is a Job whose pods all run at once, with a device each.
func indexedJob(namespace, name string, pods int) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  completionMode: Indexed
  parallelism: %[3]d
  completions: %[3]d
  template:
    spec:
      schedulerName: %[4]s
      restartPolicy: Never
      tolerations: [{operator: Exists}]
      resourceClaims: [{name: dev, resourceClaimTemplateName: one}]
      containers: [{name: main, image: pause, resources: {claims: [{name: dev}], requests: {cpu: 10m}}}]
`, namespace, name, pods, harness.SchedulerName)
}

// waitJob waits until as many pods of the Job are bound, and all others are told why they wait.
func waitJob(t *testing.T, namespace, name string, bound, waiting int) {
	t.Helper()
	what := fmt.Sprintf("%s/%s has %d pods bound and %d that were told why not", namespace, name, bound, waiting)
	eventually(t.Context(), t, what, func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(namespace).List(ctx,
			metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + name})
		if err != nil {
			return false, err
		}
		has := map[bool]int{}
		for i := range list.Items {
			pod := &list.Items[i]
			if pod.Spec.NodeName == "" && !harness.Refused(pod) {
				return false, nil
			}
			has[pod.Spec.NodeName != ""]++
		}
		return has[true] == bound && has[false] == waiting, nil
	})
}

func deleteJob(t *testing.T, namespace, name string) {
	t.Helper()
	background := metav1.DeletePropagationBackground
	err := plane.Client.BatchV1().Jobs(namespace).Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the pods of "+name+" are gone", func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		for i := range list.Items {
			// There is no kubelet that would end them.
			pod := &list.Items[i]
			if pod.DeletionTimestamp != nil {
				_ = plane.Client.CoreV1().Pods(namespace).Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0))
			}
		}
		return err == nil && len(list.Items) == 0, err
	})
}

// A Job of six with four devices: where its queue makes Jobs gangs, nobody starts, also after a restart of dray; where it
// does not, four do.
func TestJobsAreGangsWhereTheirQueueSaysSo(t *testing.T) {
	policy, err := filepath.Abs("testdata/jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pair := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	create(t, fleet(jobDriver, 2, 2, "8").All())
	create(t, oneDeviceTemplate("together", jobDriver)+"---"+oneDeviceTemplate("loose", jobDriver))

	create(t, indexedJob("together", "too-big", 6))
	waitJob(t, "together", "too-big", 0, 6)
	if devices, _ := allocated(t, "together"); len(devices) != 0 {
		t.Errorf("a gang that waits holds %v", devices)
	}

	create(t, indexedJob("loose", "each", 6))
	waitJob(t, "loose", "each", 4, 2)
	if err := pair.dray.Stop(15 * time.Second); err != nil {
		t.Fatal(err)
	}
	if err := pair.dray.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	deleteJob(t, "loose", "each")
	// There is room for four of the six: what belongs together is known again.
	create(t, indexedJob("together", "fits", 4))
	waitJob(t, "together", "fits", 4, 0)
	create(t, indexedJob("together", "later", 3))
	waitJob(t, "together", "later", 0, 3)
	waitJob(t, "together", "too-big", 0, 6)
	nodes := map[string]bool{}
	pods, err := plane.Client.CoreV1().Pods("together").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName != "" {
			nodes[pod.Spec.NodeName] = true
		}
	}
	if len(nodes) != 2 {
		t.Errorf("the Job runs on %v, want both nodes", nodes)
	}
}

// A Workload names a Job and makes no PodGroup: its minimum holds for the Job's pods as long as it is there.
func TestAWorkloadSpeaksForItsJob(t *testing.T) {
	withGates(t, "GenericWorkload")
	startPair(t, pairOptions{})
	create(t, fleet(jobDriver, 2, 2, "8").All())
	create(t, oneDeviceTemplate("said", jobDriver))
	workload, err := harness.Parse([]byte(`
apiVersion: scheduling.k8s.io/v1beta1
kind: Workload
metadata: {name: six, namespace: said}
spec:
  controllerRef: {apiGroup: batch, kind: Job, name: six}
  podGroupTemplates: [{name: workers, schedulingPolicy: {gang: {minCount: 6}}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Create(t.Context(), workload); err != nil {
		t.Fatal(err)
	}
	create(t, indexedJob("said", "six", 6))
	waitJob(t, "said", "six", 0, 6)
	if devices, _ := allocated(t, "said"); len(devices) != 0 {
		t.Errorf("a gang that waits holds %v", devices)
	}
	if err := plane.Delete(t.Context(), workload[0]); err != nil {
		t.Fatal(err)
	}
	waitJob(t, "said", "six", 4, 2)
}
