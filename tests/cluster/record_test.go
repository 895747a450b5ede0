package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

// What kube-scheduler really sends, in both forms, kept as golden files for the tests of the wire format. -update writes
// them; without it the test checks that they still have the shape of what is sent.
func TestRecordedCalls(t *testing.T) {
	forms := []struct {
		name   string
		cached bool              // nodeCacheCapable
		verbs  map[string]string // verb -> golden file
	}{
		{"names", true, map[string]string{"filter": "filter_names", "prioritize": "prioritize_names", "bind": "bind",
			"preempt": "preempt_meta_victims"}},
		{"nodes", false, map[string]string{"filter": "filter_nodes", "prioritize": "prioritize_nodes",
			"preempt": "preempt_victims"}},
	}
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			recorder := record(t, "record-"+form.name, form.cached)
			for verb, golden := range form.verbs {
				calls := recorder.Calls(verb)
				if len(calls) == 0 {
					t.Errorf("no %s call", verb)
					continue
				}
				compare(t, golden, calls[0])
			}
		})
	}
}

// record makes kube-scheduler use each verb: a pod with a claim finds its node; one of high priority finds none free.
func record(t *testing.T, namespace string, cached bool) *harness.Recorder {
	t.Cleanup(func() { clean(t) })
	recorder := harness.StartRecorder(harness.AcceptAll(plane.Client))
	t.Cleanup(recorder.Close)
	config := schedulerConfig(t, "scheduler.yaml")
	config.PointAt(recorder.URL, "", nil)
	for _, entry := range config.Extenders() {
		entry["nodeCacheCapable"] = cached
	}
	config.Extenders()[0]["prioritizeVerb"], config.Extenders()[0]["weight"] = "prioritize", 1
	startScheduler(t, config)

	create(t, fleet("gpu.example.com", 2, 1, "4").All())
	create(t, oneDeviceTemplate(namespace, "gpu.example.com"))
	urgent := schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	classes := plane.Client.SchedulingV1().PriorityClasses()
	if _, err := classes.Create(t.Context(), &urgent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := classes.Delete(contextAfter(t), "urgent", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})

	lift(t, podOf(namespace, "claimed", harness.SchedulerName, "one"))
	waitBound(t, namespace, "claimed")
	for n := range 2 {
		name := fmt.Sprintf("filler-%d", n)
		lift(t, withCPU(podOf(namespace, name, harness.SchedulerName), "3"))
		waitBound(t, namespace, name)
	}
	high := withCPU(podOf(namespace, "urgent", harness.SchedulerName), "3")
	high.Spec.PriorityClassName = "urgent"
	lift(t, high)
	eventually(t.Context(), t, "preempt call", func(context.Context) (bool, error) {
		return len(recorder.Calls("preempt")) > 0, nil
	})
	return recorder
}

func withCPU(pod *corev1.Pod, cpu string) *corev1.Pod {
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(cpu)
	return pod
}

// lift creates a pod and, once its claims exist, takes its gate off as dray does.
func lift(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	createPods(t, pod)
	if _, err := plane.WaitPod(t.Context(), pod.Namespace, pod.Name, patience, func(got *corev1.Pod) bool {
		return len(got.Status.ResourceClaimStatuses) == len(got.Spec.ResourceClaims)
	}); err != nil {
		t.Fatal(err)
	}
	setEpoch(t, 1)
	const patch = `{"metadata":{"annotations":{"dray.dev/reservation":"n0"}},` +
		`"spec":{"schedulingGates":[{"name":"dray.dev/admission","$patch":"delete"}]}}`
	if _, err := as(t, harness.Account).CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: fieldManager(1)}); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, golden string, call harness.Call) {
	t.Helper()
	base := filepath.Join(repository, "tests/unit/wire/testdata/extender", golden)
	for suffix, got := range map[string][]byte{".request.json": call.Request, ".answer.json": call.Answer} {
		if *update {
			if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(base+suffix, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(base + suffix)
		if err != nil {
			t.Fatal(err)
		}
		gotShape, wantShape := shape(t, got), shape(t, want)
		if !slices.Equal(gotShape, wantShape) {
			t.Errorf("%s: fields\n%v\nin the golden file\n%v", golden+suffix, gotShape, wantShape)
		}
	}
}

// shape lists every path of a JSON text with the type of its value; list positions count as one.
func shape(t *testing.T, text []byte) []string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	var walk func(string, any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, item := range v {
				walk(path+"."+key, item)
			}
		case []any:
			for _, item := range v {
				walk(path+"[]", item)
			}
		default:
			paths[fmt.Sprintf("%s %T", path, value)] = true
		}
	}
	walk("", value)
	return slices.Sorted(maps.Keys(paths))
}
