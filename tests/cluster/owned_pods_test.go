package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const ownedNamespace = "owned"

// ownedManifests are objects of Kubernetes' own kinds, but a Deployment: its controller would run those of manifests/, too.
var ownedManifests = strings.NewReplacer(
	"ENDING", "{metadata: {labels: {app: owned}, annotations: {example.com/note: kept}},"+
		" spec: {schedulerName: nobody, restartPolicy: Never, containers: [{name: main, image: pause}]}}",
	"LASTING", "{metadata: {labels: {app: owned}}, spec: {schedulerName: nobody, containers: [{name: main, image: pause}]}}",
).Replace(`
apiVersion: batch/v1
kind: Job
metadata: {name: plain, namespace: owned}
spec: {parallelism: 3, completions: 2, template: ENDING}
---
apiVersion: batch/v1
kind: Job
metadata: {name: indexed, namespace: owned}
spec: {parallelism: 2, completions: 2, completionMode: Indexed, template: ENDING}
---
apiVersion: batch/v1
kind: Job
metadata: {name: held, namespace: owned}
spec: {suspend: true, template: ENDING}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: bare, namespace: owned}
spec: {replicas: 2, selector: {matchLabels: {app: owned}}, template: LASTING}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: counted, namespace: owned}
spec: {replicas: 2, podManagementPolicy: Parallel, serviceName: x, selector: {matchLabels: {app: owned}}, template: LASTING}
`)

// shapeOf is a pod without what its controller draws at random: `Job plain: plain-* app=owned …`.
func shapeOf(pod *corev1.Pod) string {
	random := func(name string) string { return name[:strings.LastIndex(name, "-")] + "-*" }
	name, owner := pod.Name, pod.OwnerReferences[0]
	switch owner.Kind {
	case "ReplicaSet", "Job":
		name = random(name)
	}
	var marks []string
	for _, of := range []map[string]string{pod.Labels, pod.Annotations} {
		for key, value := range of {
			switch {
			case key == "controller-revision-hash": // of what the StatefulSet's pods are made of
				continue
			case strings.HasSuffix(key, "controller-uid"):
				value = "*"
			case strings.HasPrefix(key, "dray.dev/"):
				continue
			}
			marks = append(marks, key+"="+value)
		}
	}
	slices.Sort(marks)
	return fmt.Sprintf("%s %s %s %t: %s %v", owner.APIVersion, owner.Kind, owner.Name, *owner.Controller, name, marks)
}

// The pods that dray makes of Jobs and the like are those that Kubernetes' controllers make, random letters aside.
func TestPodsAreTheirControllers(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	create(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: owned}\n---"+ownedManifests)
	path := filepath.Join(t.TempDir(), "owned.yaml")
	if err := os.WriteFile(path, []byte(ownedManifests), 0o600); err != nil {
		t.Fatal(err)
	}
	var made corev1.PodList
	if err := json.Unmarshal([]byte(drayCommand(t, "snapshot", "-f", path)), &made); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range made.Items {
		if made.Items[i].Kind == "Pod" {
			want = append(want, shapeOf(&made.Items[i]))
		}
	}
	slices.Sort(want)
	var are []string
	eventually(t.Context(), t, "the controllers have made as many", func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(ownedNamespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		are = nil
		for i := range list.Items {
			are = append(are, shapeOf(&list.Items[i]))
		}
		return len(are) >= len(want), nil
	})
	slices.Sort(are)
	if len(want) != 8 || !slices.Equal(are, want) {
		t.Errorf("the controllers make\n%s\ndray\n%s", strings.Join(are, "\n"), strings.Join(want, "\n"))
	}
}
