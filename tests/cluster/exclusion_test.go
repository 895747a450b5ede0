package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// manageDrivers says for the rest of the test which drivers dray manages, instead of all.
func manageDrivers(t *testing.T, drivers ...string) {
	t.Helper()
	setDrivers(t.Context(), t, strings.Join(drivers, "\n"))
	t.Cleanup(func() { setDrivers(contextAfter(t), t, "*") })
}

// setDrivers changes the exclusion's configuration and waits until the API server goes by it.
func setDrivers(ctx context.Context, t *testing.T, drivers string) {
	t.Helper()
	configs := plane.Client.CoreV1().ConfigMaps("dray-system")
	config, err := configs.Get(ctx, "dray-exclusion", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config.Data["drivers"] = drivers
	if _, err := configs.Update(ctx, config, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		_, refused := dryRun(ctx, podOf("default", "probe", "default-scheduler", "any"))
		return (refused != nil) == (drivers == "*"), nil
	}); err != nil {
		t.Fatal("the exclusion did not change:", err)
	}
}
