package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"dray.dev/dray/tests/cluster/harness"
)

// provisioningDefinition is cluster-autoscaler's kind, as far as it matters: what a request has to say, and a status of its own.
const provisioningDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: provisioningrequests.autoscaling.x-k8s.io
  annotations: {api-approved.kubernetes.io: "https://github.com/kubernetes/kubernetes/pull/124450"}
spec:
  group: autoscaling.x-k8s.io
  scope: Namespaced
  names: {kind: ProvisioningRequest, listKind: ProvisioningRequestList, plural: provisioningrequests, singular: provisioningrequest}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [podSets, provisioningClassName]
            properties:
              provisioningClassName: {type: string, maxLength: 253}
              parameters: {type: object, additionalProperties: {type: string, maxLength: 255}}
              podSets:
                type: array
                minItems: 1
                maxItems: 32
                items:
                  type: object
                  required: [count, podTemplateRef]
                  properties:
                    count: {type: integer, format: int32, minimum: 1}
                    podTemplateRef: {type: object, required: [name], properties: {name: {type: string, maxLength: 253}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

var provisioning = schema.GroupVersionResource{Group: "autoscaling.x-k8s.io", Version: "v1", Resource: "provisioningrequests"}

// A Job of four, a device each, where there are two: dray asks for nodes for the four together, with a template by which an
// autoscaler can simulate them, and no gate goes. The test plays the autoscaler: when it says that the nodes are there, the
// gates go, and the pods say which request they use; when they really are, all are bound, and the request goes.
func TestProvisioningRequest(t *testing.T) {
	const driver, space = "provisioned.example.com", "provisioned"
	policy, err := filepath.Abs("testdata/provisioning.yaml")
	if err != nil {
		t.Fatal(err)
	}
	create(t, provisioningDefinition)
	t.Cleanup(func() {
		if err := plane.Any.Resource(definitions).Delete(contextAfter(t), provisioning.GroupResource().String(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	eventually(t.Context(), t, "the kind is served", func(ctx context.Context) (bool, error) {
		_, err := plane.Any.Resource(provisioning).Namespace("default").List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	there := fleet(driver, 1, 2, "8")
	there.NodeName = "provisioned-%d"
	create(t, there.All())
	create(t, oneDeviceTemplate(space, driver))
	create(t, indexedJob(space, "train", 4))

	request := onlyRequest(t, space)
	class, _, _ := unstructured.NestedString(request.Object, "spec", "provisioningClassName")
	if class != "best-effort-atomic-scale-up.autoscaling.x-k8s.io" {
		t.Errorf("the request is of class %q", class)
	}
	if owners := request.GetOwnerReferences(); len(owners) != 1 || owners[0].Kind != "Job" || owners[0].Name != "train" {
		t.Errorf("the request belongs to %v", owners)
	}
	checkPodSets(t, request, 4)
	forEachPod(t, space, func(pod *corev1.Pod) {
		if len(gatesOf(pod)) == 0 {
			t.Errorf("%s lost its gate before the nodes were there", pod.Name)
		}
	})

	setCondition(t, request, "Provisioned")
	eventually(t.Context(), t, "the gates go, and the pods say which request they use", func(ctx context.Context) (bool, error) {
		open := 0
		forEachPod(t, space, func(pod *corev1.Pod) {
			if len(gatesOf(pod)) == 0 && pod.Annotations["autoscaling.x-k8s.io/consume-provisioning-request"] == request.GetName() &&
				pod.Annotations["autoscaling.x-k8s.io/provisioning-class-name"] == class {
				open++
			}
		})
		return open == 4, nil
	})

	come := fleet(driver, 1, 4, "8")
	come.NodeName = "come-%d"
	_, added, _ := strings.Cut(come.All(), "---\n") // the class is there
	create(t, added)
	waitJob(t, space, "train", 4, 0)
	// Its templates go with it: the garbage collector sees to that, once it has seen this new kind.
	eventually(t.Context(), t, "the request is gone", func(ctx context.Context) (bool, error) {
		list, err := plane.Any.Resource(provisioning).Namespace(space).List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
}

// onlyRequest waits until there is one request in the namespace, with a template for each of its pod sets.
func onlyRequest(t *testing.T, space string) *unstructured.Unstructured {
	t.Helper()
	var found *unstructured.Unstructured
	eventually(t.Context(), t, "nodes are asked for", func(ctx context.Context) (bool, error) {
		list, err := plane.Any.Resource(provisioning).Namespace(space).List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		if len(list.Items) > 1 {
			return false, fmt.Errorf("%d requests", len(list.Items))
		}
		found = &list.Items[0]
		sets, _, _ := unstructured.NestedSlice(found.Object, "spec", "podSets")
		templates, err := plane.Client.CoreV1().PodTemplates(space).List(ctx, metav1.ListOptions{})
		return err == nil && len(templates.Items) == len(sets), err
	})
	if found == nil {
		t.FailNow()
	}
	return found
}

// checkPodSets: so many pods in all, each set by a template that could be a pod: of dray's scheduler, with its claims, without gates.
func checkPodSets(t *testing.T, request *unstructured.Unstructured, want int64) {
	t.Helper()
	sets, _, _ := unstructured.NestedSlice(request.Object, "spec", "podSets")
	var pods int64
	for _, each := range sets {
		set := each.(map[string]any)
		count, _, _ := unstructured.NestedInt64(set, "count")
		pods += count
		name, _, _ := unstructured.NestedString(set, "podTemplateRef", "name")
		template, err := plane.Client.CoreV1().PodTemplates(request.GetNamespace()).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if owners := template.OwnerReferences; len(owners) != 1 || owners[0].UID != request.GetUID() {
			t.Errorf("template %s belongs to %v", name, owners)
		}
		spec := template.Template.Spec
		if len(spec.SchedulingGates) != 0 || len(spec.ResourceClaims) != 1 || spec.SchedulerName != harness.SchedulerName {
			t.Errorf("template %s: gates %v, claims %v, scheduler %s", name, spec.SchedulingGates, spec.ResourceClaims, spec.SchedulerName)
		}
		if _, err := dryRun(t.Context(), &corev1.Pod{Spec: spec,
			ObjectMeta: metav1.ObjectMeta{Namespace: request.GetNamespace(), Name: "simulated", Labels: template.Template.Labels}}); err != nil {
			t.Errorf("no pod can be made by template %s: %v", name, err)
		}
	}
	if pods != want {
		t.Errorf("nodes are asked for %d pods, not %d", pods, want)
	}
}

func setCondition(t *testing.T, request *unstructured.Unstructured, name string) {
	t.Helper()
	request = request.DeepCopy()
	condition := map[string]any{"type": name, "status": "True", "reason": "Test", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"}
	if err := unstructured.SetNestedSlice(request.Object, []any{condition}, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	if _, err := plane.Any.Resource(provisioning).Namespace(request.GetNamespace()).UpdateStatus(t.Context(), request, metav1.UpdateOptions{}); err != nil &&
		!apierrors.IsConflict(err) {
		t.Fatal(err)
	}
}

func forEachPod(t *testing.T, space string, see func(*corev1.Pod)) {
	t.Helper()
	list, err := plane.Client.CoreV1().Pods(space).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		see(&list.Items[i])
	}
}
