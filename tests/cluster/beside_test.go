package cluster_test

import (
	"context"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// Kueue holds pods of no Job back by this gate until it admits them.
const kueueGate = "kueue.x-k8s.io/admission"

func gatesOf(pod *corev1.Pod) (names []string) {
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return names
}

// takeGate is what Kueue does when it admits a pod.
func takeGate(t *testing.T, namespace, name, gate string) {
	t.Helper()
	eventually(t.Context(), t, "the gate of "+name, func(ctx context.Context) (bool, error) {
		pod := getPod(t, namespace, name)
		pod.Spec.SchedulingGates = slices.DeleteFunc(pod.Spec.SchedulingGates,
			func(each corev1.PodSchedulingGate) bool { return each.Name == gate })
		_, err := plane.Client.CoreV1().Pods(namespace).Update(ctx, pod, metav1.UpdateOptions{})
		return err == nil, nil
	})
}

// A pod that waits for somebody else's gate gets nothing and keeps nobody from anything, though it came first and is the most
// urgent; once it is admitted, it is placed as any other.
func TestPodsBehindKueuesGateDoNotWaitForDray(t *testing.T) {
	const driver = "kueue.example.com"
	startPair(t, pairOptions{})
	create(t, fleet(driver, 1, 1, "8").All())
	create(t, oneDeviceTemplate("kueue", driver))
	held := podOf("kueue", "held", harness.SchedulerName, "one")
	held.Spec.PriorityClassName = "system-cluster-critical"
	held.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: kueueGate}}
	createPods(t, held)
	createPods(t, podOf("kueue", "goes", harness.SchedulerName, "one"))
	waitBound(t, "kueue", "goes")
	still := getPod(t, "kueue", "held")
	if got := gatesOf(still); !slices.Contains(got, kueueGate) || !slices.Contains(got, "dray.dev/admission") {
		t.Errorf("the held pod has the gates %v", got)
	}
	if mark, marked := still.Annotations["dray.dev/reservation"]; marked {
		t.Errorf("the held pod has a reservation: %s", mark)
	}
	if slices.ContainsFunc(still.Status.Conditions, func(each corev1.PodCondition) bool { return each.Type == "DrayAdmitted" }) {
		t.Errorf("dray says that the held pod waits for it: %v", still.Status.Conditions)
	}
	takeGate(t, "kueue", "held", kueueGate)
	waitRefused(t, "kueue", "held") // now it waits for the one device
	deleteNow(t, "kueue", "goes")
	waitBound(t, "kueue", "held")
}

// Kueue holds Jobs back by `suspend`: they have no pods until then, and then dray places these.
func TestJobsThatKueueResumesArePlaced(t *testing.T) {
	const driver = "resumed.example.com"
	startPair(t, pairOptions{})
	create(t, fleet(driver, 1, 2, "8").All())
	create(t, oneDeviceTemplate("resumed", driver))
	template := podOf("resumed", "x", harness.SchedulerName, "one")
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	suspended, two := true, int32(2)
	jobs := plane.Client.BatchV1().Jobs("resumed")
	job, err := jobs.Create(t.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train"}, Spec: batchv1.JobSpec{
		Suspend: &suspended, Parallelism: &two, Completions: &two, Template: corev1.PodTemplateSpec{Spec: template.Spec}}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Else its controller makes its pods again after this test.
	t.Cleanup(func() {
		background := metav1.DeletePropagationBackground
		if err := jobs.Delete(contextAfter(t), "train", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Error(err)
		}
	})
	createPods(t, podOf("resumed", "other", harness.SchedulerName, "one"))
	waitBound(t, "resumed", "other") // the Job holds nothing while it is suspended
	deleteNow(t, "resumed", "other")
	eventually(t.Context(), t, "resume", func(ctx context.Context) (bool, error) {
		if job, err = jobs.Get(ctx, "train", metav1.GetOptions{}); err != nil {
			return false, err
		}
		*job.Spec.Suspend = false
		_, err = jobs.Update(ctx, job, metav1.UpdateOptions{})
		return err == nil, nil
	})
	waitMany(t, "resumed", 2, patience)
}
