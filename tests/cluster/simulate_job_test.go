package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"dray.dev/dray/tests/cluster/harness"
)

const simulateNamespace = "dray-simulate"

// The Job as an operator installs it: Kubernetes makes and counts its pods, each runs in the image as its spec says, and what they
// print is, merged, what one process prints.
func TestSimulateJob(t *testing.T) {
	root := imageRoot(t, drayProgram(t))
	objects, err := harness.Render(filepath.Join(repository, "manifests/simulate-job"))
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Apply(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	defer deleteJob(t, simulateNamespace, "dray-simulate")
	putScenario(t, root, objects)

	pods := simulatePods(t)
	merge := []string{"simulate", "merge"}
	for i := range pods {
		args := argsOf(t, &pods[i])
		text := runInImage(t, root, args...)
		file := fmt.Sprintf("/tmp/%d.json", i)
		// kubectl logs has what goes to the standard error, too.
		warned := "dray simulate: warning: of this machine\n" + string(text)
		if err := os.WriteFile(filepath.Join(root, file), []byte(warned), 0o644); err != nil {
			t.Fatal(err)
		}
		merge = append(merge, file)
		succeed(t, &pods[i])
	}
	slices.Reverse(merge[2:])
	whole := runInImage(t, root, withoutShard(argsOf(t, &pods[0]))...)
	if merged := runInImage(t, root, merge...); !bytes.Equal(merged, whole) {
		t.Errorf("merged %d bytes, of one process %d", len(merged), len(whole))
	}
	checkRuns(t, whole, 8)
	eventually(t.Context(), t, "the Job is complete", func(ctx context.Context) (bool, error) {
		job, err := plane.Client.BatchV1().Jobs(simulateNamespace).Get(ctx, "dray-simulate", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue
		}), nil
	})
}

// With a volume the shards leave all runs there, and one process has them all without making any.
func TestSimulateJobKeepsRuns(t *testing.T) {
	root := imageRoot(t, drayProgram(t))
	objects, err := harness.Render(filepath.Join(repository, "overlays/simulate-kept"))
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Apply(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	defer deleteJob(t, simulateNamespace, "dray-simulate")
	putScenario(t, root, objects)
	volume := filepath.Join(root, "var/lib/dray")
	if err := os.MkdirAll(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	// As fsGroup has it.
	if err := os.Chown(volume, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	pods := simulatePods(t)
	for i := range pods {
		runInImage(t, root, argsOf(t, &pods[i])...)
	}
	kept := func() map[string]int64 {
		files, err := filepath.Glob(filepath.Join(volume, "kept/*.run"))
		if err != nil {
			t.Fatal(err)
		}
		times := map[string]int64{}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			times[file] = info.ModTime().UnixNano()
		}
		return times
	}
	before := kept()
	if len(before) != 8 {
		t.Errorf("%d runs are kept, want 8", len(before))
	}
	args := withoutShard(argsOf(t, &pods[0]))
	all := runInImage(t, root, args...)
	checkRuns(t, all, 8)
	for file, time := range kept() {
		if before[file] != time {
			t.Errorf("%s was made again", file)
		}
	}
	alone := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--checkpoint=") })
	if !bytes.Equal(all, runInImage(t, root, alone...)) {
		t.Error("what is kept is not what one process makes")
	}
}

// putScenario mounts the ConfigMap where the pods have it.
func putScenario(t *testing.T, root string, objects []*harness.Object) {
	t.Helper()
	folder := filepath.Join(root, "etc/dray/scenario")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if o.GetKind() != "ConfigMap" {
			continue
		}
		var scenario corev1.ConfigMap
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &scenario); err != nil {
			t.Fatal(err)
		}
		for name, text := range scenario.Data {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// simulatePods are the pods of the Job, by index, once all are made.
func simulatePods(t *testing.T) []corev1.Pod {
	t.Helper()
	var pods []corev1.Pod
	eventually(t.Context(), t, "the Job has its pods", func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(simulateNamespace).List(ctx,
			metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=dray-simulate"})
		if err != nil {
			return false, err
		}
		pods = list.Items
		return len(pods) == 4, nil
	})
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return strings.Compare(indexOf(&a), indexOf(&b))
	})
	for i := range pods {
		spec, security := &pods[i].Spec, pods[i].Spec.Containers[0].SecurityContext
		if index := indexOf(&pods[i]); index != fmt.Sprint(i) {
			t.Errorf("pod %d has index %s", i, index)
		}
		if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken || len(spec.Volumes) == 0 {
			t.Error("it has an account's token")
		}
		if !*spec.SecurityContext.RunAsNonRoot || !*security.ReadOnlyRootFilesystem {
			t.Error("it may be root, or write its root")
		}
	}
	return pods
}

func indexOf(pod *corev1.Pod) string { return pod.Labels["batch.kubernetes.io/job-completion-index"] }

// argsOf are the arguments of a pod's container as its kubelet makes them.
func argsOf(t *testing.T, pod *corev1.Pod) []string {
	t.Helper()
	var args []string
	container := &pod.Spec.Containers[0]
	for _, arg := range container.Args {
		for _, variable := range container.Env {
			value := variable.Value
			if from := variable.ValueFrom; from != nil && from.FieldRef != nil {
				value = fieldOf(t, pod, from.FieldRef.FieldPath)
			}
			arg = strings.ReplaceAll(arg, "$("+variable.Name+")", value)
		}
		if strings.Contains(arg, "$(") {
			t.Fatalf("%s: nobody sets it", arg)
		}
		args = append(args, arg)
	}
	return args
}

// fieldOf is what the downward API has of a pod: metadata.labels['NAME'].
func fieldOf(t *testing.T, pod *corev1.Pod, path string) string {
	t.Helper()
	name, found := strings.CutPrefix(path, "metadata.labels['")
	if !found {
		t.Fatalf("%s: a field that this test does not know", path)
	}
	return pod.Labels[strings.TrimSuffix(name, "']")]
}

func withoutShard(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--shard=") })
}

// runInImage is the standard output of dray in the image, as the user that the pods name.
func runInImage(t *testing.T, root string, args ...string) []byte {
	t.Helper()
	command := inImage(t.Context(), root, args...)
	var told bytes.Buffer
	command.Stderr = &told
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, told.String())
	}
	return text
}

func checkRuns(t *testing.T, text []byte, want int) {
	t.Helper()
	var result struct{ Runs []struct{ Policy string } }
	if err := json.Unmarshal(text, &result); err != nil || len(result.Runs) != want {
		t.Errorf("%d runs: %v", len(result.Runs), err)
	}
}

// succeed does what the kubelet of a pod does when its container has ended with 0.
func succeed(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	pod.Status.Phase = corev1.PodSucceeded
	if _, err := plane.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
