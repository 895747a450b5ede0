package cluster_test

import (
	"path/filepath"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// What an operator installs for mode advise lets dray write no claim and no binding, and lets others allocate.
func TestAdviseOverlay(t *testing.T) {
	objects, err := harness.Render(filepath.Join(repository, "overlays/advise"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if o.GetName() == "dray-allocator" {
			t.Errorf("%s dray-allocator is installed", o.GetKind())
		}
	}
	if len(objects) < 20 {
		t.Errorf("only %d objects", len(objects))
	}
}
