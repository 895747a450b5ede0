package cluster_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// A gate that stands otherwise in the API server than in dray is said in the log, by /readyz?verbose and by a metric, and
// makes dray no less ready. (With the gates alike nothing is said: TestSharedScenariosWithGates.)
func TestFeatureGatesThatDifferAreSaid(t *testing.T) {
	p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{
		Args: []string{"--feature-gates", "DRADerivedAttributes=true,DRAConsumableCapacity=false"}}})
	said := []string{"DRAConsumableCapacity is on in the API server and off here",
		"DRADerivedAttributes is off in the API server and on here"}
	eventually(t.Context(), t, "the gates in /readyz?verbose", func(ctx context.Context) (bool, error) {
		return containsAll(page(ctx, t, p.dray.Admin+"/readyz?verbose"), said...), nil
	})
	if !p.dray.Ready(t.Context()) {
		t.Error("not ready")
	}
	metrics := page(t.Context(), t, p.dray.Admin+"/metrics")
	if !containsAll(metrics, `dray_feature_gate_difference{gate="DRAConsumableCapacity",on_in="cluster"} 1`,
		`dray_feature_gate_difference{gate="DRADerivedAttributes",on_in="dray"} 1`) ||
		strings.Count(metrics, "dray_feature_gate_difference{") != 2 {
		t.Error("the metric is not there for these two gates alone")
	}
	if !containsAll(p.dray.Tail(100), said...) {
		t.Error("the log does not say it")
	}
}

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// page is what a GET of the URL answers; empty where nothing does.
func page(ctx context.Context, t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(body)
}
