package cluster_test

import (
	"context"
	"net/http"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"dray.dev/dray/tests/cluster/harness"
)

// The API server says with each answer which FlowSchema and which priority level the request was of.
func TestLevelsOfRequests(t *testing.T) {
	const scheduler = "system:serviceaccount:dray-system:dray-scheduler"
	const lease = "/apis/coordination.k8s.io/v1/namespaces/dray-system/leases/dray"
	rows := []struct{ name, user, path, schema, level string }{
		{"dray's claims", harness.Account, "/apis/resource.k8s.io/v1/resourceclaims?limit=1", "dray", "dray"},
		{"dray's pods", harness.Account, "/api/v1/pods?limit=1", "dray", "dray"},
		{"its kube-scheduler's nodes", scheduler, "/api/v1/nodes?limit=1", "dray", "dray"},
		{"dray's Lease", harness.Account, lease, "dray-leader-election", "leader-election"},
		{"another Lease", harness.Account, "/apis/coordination.k8s.io/v1/namespaces/default/leases/x", "dray", "dray"},
		{"another account", "system:serviceaccount:team:app", "/api/v1/pods?limit=1", "", ""},
	}
	flows := plane.Client.FlowcontrolV1()
	eventually(t.Context(), t, "FlowSchemas in use", func(ctx context.Context) (bool, error) {
		for _, name := range []string{"dray", "dray-leader-election"} {
			schema, err := flows.FlowSchemas().Get(ctx, name, metav1.GetOptions{})
			if err != nil || !inUse(schema) {
				return false, err
			}
		}
		return true, nil
	})
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			answer := get(t, row.user, row.path)
			if row.schema == "" {
				dray, err := flows.PriorityLevelConfigurations().Get(t.Context(), "dray", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if answer.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID) == string(dray.UID) {
					t.Error("it is of dray's level")
				}
				return
			}
			schema, err := flows.FlowSchemas().Get(t.Context(), row.schema, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			level, err := flows.PriorityLevelConfigurations().Get(t.Context(), row.level, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID); got != string(schema.UID) {
				t.Errorf("FlowSchema %s, want %s (%s)", got, schema.UID, row.schema)
			}
			if got := answer.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID); got != string(level.UID) {
				t.Errorf("priority level %s, want %s (%s)", got, level.UID, row.level)
			}
		})
	}
}

// inUse says that the schema's level is there: the API server has judged it.
func inUse(schema *flowcontrolv1.FlowSchema) bool {
	for _, condition := range schema.Status.Conditions {
		if condition.Type == flowcontrolv1.FlowSchemaConditionDangling {
			return condition.Status == flowcontrolv1.ConditionFalse
		}
	}
	return false
}

// get asks as this account, and gives the headers of the answer, whatever it is.
func get(t *testing.T, user, path string) http.Header {
	t.Helper()
	config := rest.CopyConfig(plane.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer.Header
}
