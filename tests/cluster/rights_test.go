package cluster_test

import (
	"encoding/json"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

// writeStatus writes a claim's status as this account and fieldManager: dray's own may patch alone.
func writeStatus(t *testing.T, user, manager string, claim *resourcev1.ResourceClaim) error {
	t.Helper()
	claims := as(t, user).ResourceV1().ResourceClaims(claim.Namespace)
	if user != harness.Account {
		_, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{FieldManager: manager})
		return err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": claim.UID, "resourceVersion": claim.ResourceVersion}, "status": claim.Status})
	if err != nil {
		return err
	}
	_, err = claims.Patch(t.Context(), claim.Name, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: manager}, "status")
	return err
}

func TestRightsOfDray(t *testing.T) {
	rows := []struct {
		verb, group, resource, subresource, namespace string
		want                                          bool
	}{
		{"watch", "resource.k8s.io", "resourceslices", "", "", true},
		{"patch", "resource.k8s.io", "resourceclaims", "status", "team", true},
		{"patch", "resource.k8s.io", "resourceclaims", "binding", "", true},
		{"update", "resource.k8s.io", "resourceclaims", "", "team", false},
		{"update", "resource.k8s.io", "resourceclaims", "status", "team", false},
		{"update", "resource.k8s.io", "resourceclaims", "binding", "", false},
		{"create", "events.k8s.io", "events", "", "team", true},
		{"patch", "events.k8s.io", "events", "", "team", false},
		{"create", "", "events", "", "team", false},
		{"create", "", "pods", "binding", "team", true},
		{"patch", "", "pods", "status", "team", true},
		{"update", "coordination.k8s.io", "leases", "", "dray-system", true},
		{"update", "coordination.k8s.io", "leases", "", "kube-system", false},
		{"get", "", "secrets", "", "dray-system", false},
		{"list", "", "configmaps", "", "", false},
		{"delete", "", "pods", "", "team", false},
		{"create", "", "pods", "", "team", false},
		{"patch", "", "nodes", "", "", false},
		{"update", "resource.k8s.io", "resourceslices", "", "", false},
	}
	for _, row := range rows {
		name := row.verb + " " + row.resource + "/" + row.subresource + " in " + row.namespace
		t.Run(name, func(t *testing.T) {
			attributes := &authorizationv1.ResourceAttributes{Verb: row.verb, Group: row.group, Resource: row.resource,
				Subresource: row.subresource, Namespace: row.namespace}
			if row.resource == "leases" {
				attributes.Name = "dray"
			}
			review, err := plane.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(),
				&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
					User: harness.Account, ResourceAttributes: attributes}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != row.want {
				t.Errorf("allowed: %v, want %v", review.Status.Allowed, row.want)
			}
		})
	}
}

// The API server's feature gates are in its metrics alone.
func TestDrayMayReadTheMetricsOfTheAPIServerAndNoOtherPage(t *testing.T) {
	for path, want := range map[string]bool{"/metrics": true, "/debug/pprof/profile": false, "/logs": false} {
		review, err := plane.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(),
			&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: harness.Account,
				NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"}}},
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if review.Status.Allowed != want {
			t.Errorf("%s: allowed: %v, want %v", path, review.Status.Allowed, want)
		}
	}
}

// The namespace enforces the restricted Pod Security Standard; a Deployment would fail only later.
func TestDeployedPodsAreAdmitted(t *testing.T) {
	for _, name := range []string{"dray", "dray-scheduler"} {
		t.Run(name, func(t *testing.T) {
			deployment, err := plane.Client.AppsV1().Deployments("dray-system").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			template := deployment.Spec.Template
			pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
			pod.Namespace, pod.Name = "dray-system", name
			got, err := dryRun(t.Context(), pod)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Spec.SchedulingGates) > 0 {
				t.Error("gated by its own policy")
			}
		})
	}
}
