package harness

import (
	"strings"
	"testing"
)

// monitoring/ renders to what the Prometheus operator and Grafana's sidecar take in.
func TestMonitoringRenders(t *testing.T) {
	objects, err := Render("../../../monitoring")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, object := range objects {
		kinds[object.GetKind()] = true
		if object.GetNamespace() != "dray-system" {
			t.Errorf("%s %s is in namespace %q", object.GetKind(), object.GetName(), object.GetNamespace())
		}
		if object.GetKind() != "ConfigMap" {
			continue
		}
		data, _ := object.Object["data"].(map[string]any)
		for _, name := range []string{"dray-operator.json", "dray-tenant.json", "dray-extender.json"} {
			text, _ := data[name].(string)
			if !strings.Contains(text, "\"panels\"") {
				t.Errorf("the ConfigMap has no dashboard %s", name)
			}
		}
	}
	for _, kind := range []string{"ServiceMonitor", "PrometheusRule", "ConfigMap"} {
		if !kinds[kind] {
			t.Errorf("no %s", kind)
		}
	}
}
