package cluster_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

func TestGateOnNewPods(t *testing.T) {
	gated := corev1.PodSchedulingGate{Name: "dray.dev/admission"}
	other := corev1.PodSchedulingGate{Name: "example.com/other"}
	rows := []struct {
		name   string
		change func(*corev1.Pod)
		want   []corev1.PodSchedulingGate
	}{
		{"a pod for dray", func(*corev1.Pod) {}, []corev1.PodSchedulingGate{gated}},
		{"other gates stay", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{other} },
			[]corev1.PodSchedulingGate{other, gated}},
		{"gated already", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{gated} },
			[]corev1.PodSchedulingGate{gated}},
		{"a pod with a node", func(p *corev1.Pod) { p.Spec.NodeName = "n0" }, nil},
		{"a pod of another scheduler", func(p *corev1.Pod) { p.Spec.SchedulerName = "default-scheduler" }, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			pod := podOf("default", "p", harness.SchedulerName)
			row.change(pod)
			got, err := dryRun(t.Context(), pod)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Spec.SchedulingGates, row.want) {
				t.Errorf("gates %v, want %v", got.Spec.SchedulingGates, row.want)
			}
		})
	}
}

func TestMarksOnNewClaims(t *testing.T) {
	claim := claimOf("c")
	claim.Annotations = map[string]string{"example.com/mine": "kept"}
	got, err := plane.Client.ResourceV1().ResourceClaims("default").Create(t.Context(), claim,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Finalizers, []string{harness.Finalizer}) {
		t.Errorf("finalizers %v", got.Finalizers)
	}
	if got.Annotations["example.com/mine"] != "kept" {
		t.Errorf("annotations %v", got.Annotations)
	}
}

func TestMarksAreDrays(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	const (
		annotate  = `{"metadata":{"annotations":{"dray.dev/reservation":"n1"}}}`
		requeue   = `{"metadata":{"annotations":{"dray.dev/queue":"other"}}}`
		ask       = `{"metadata":{"annotations":{"dray.dev/moved-requests":"main nvidia.com/gpumem=1"}}}`
		unmark    = `{"metadata":{"annotations":{"dray.dev/queue":null}}}`
		lift      = `{"spec":{"schedulingGates":[{"name":"dray.dev/admission","$patch":"delete"}]}}`
		label     = `{"metadata":{"labels":{"example.com/a":"b"}}}`
		relabel   = `{"metadata":{"labels":{"dray.dev/queue":"rich"}}}`
		fixed     = `{"metadata":{"labels":{"kai.scheduler/preemptibility":"non-preemptible"}}}`
		nominate  = `{"status":{"nominatedNodeName":"n1"},"metadata":{"annotations":{"dray.dev/reservation":"n1"}}}`
		admin     = "admin"
		marks     = "annotations dray.dev/* are dray's"
		gate      = "only dray removes the gate"
		settled   = "a pod's queue and preemptibility are settled when it is created"
		liftFully = `{"spec":{"schedulingGates":[{"name":"dray.dev/admission","$patch":"delete"}]},` +
			`"metadata":{"annotations":{"dray.dev/reservation":"n1"}}}`
	)
	setEpoch(t, 3)
	pod := podOf("default", "marked", harness.SchedulerName)
	pod.Annotations = map[string]string{"dray.dev/queue": "research"}
	createPods(t, pod)
	rows := []struct{ name, user, patch, subresource, refused string }{
		{"a user reserves", admin, annotate, "", marks},
		{"a user reserves through status", admin, nominate, "status", marks},
		{"a user changes the queue", admin, requeue, "", marks},
		{"a user asks for a part of a device that the pod did not ask for", admin, ask, "", marks},
		{"a user removes the queue", admin, unmark, "", marks},
		{"a user lifts", admin, lift, "", gate},
		{"a user labels", admin, label, "", ""},
		{"a user labels another queue", admin, relabel, "", settled},
		{"a user labels a running pod as one to keep", admin, fixed, "", settled},
		{"dray nominates and reserves", harness.Account, nominate, "status", ""},
		{"dray lifts and reserves in one patch", harness.Account, liftFully, "", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			client := plane.Client
			if row.user != admin {
				client = as(t, row.user)
			}
			_, err := client.CoreV1().Pods("default").Patch(t.Context(), "marked", types.StrategicMergePatchType,
				[]byte(row.patch), metav1.PatchOptions{FieldManager: fieldManager(3)}, subresources(row.subresource)...)
			checkRefusal(t, err, row.refused)
		})
	}
	t.Run("a user creates a reservation", func(t *testing.T) {
		forged := podOf("default", "forged", harness.SchedulerName)
		forged.Annotations = map[string]string{"dray.dev/reservation": "n1"}
		_, err := dryRun(t.Context(), forged)
		checkRefusal(t, err, marks)
	})
	t.Run("a user marks a claim", func(t *testing.T) {
		claim := newClaim(t, "marked")
		claim.Annotations = map[string]string{"dray.dev/mine": "2"}
		_, err := plane.Client.ResourceV1().ResourceClaims("default").Update(t.Context(), claim, metav1.UpdateOptions{})
		checkRefusal(t, err, "annotations dray.dev/* on claims are dray's")
	})
}

func subresources(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
