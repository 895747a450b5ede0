package cluster_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dray.dev/dray/tests/cluster/harness"
)

// What dray recorded beside a real control plane, a new engine decides again, byte for byte; and the record has the
// cluster as it was.
func TestReplay(t *testing.T) {
	const driver = "replay.example.com"
	folder := filepath.Join(t.TempDir(), "record")
	pair := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--record", folder}}})
	create(t, fleet(driver, 2, 2, "8").All())
	create(t, oneDeviceTemplate("replay", driver))
	for _, name := range []string{"a", "b", "c", "d", "waits"} {
		createPods(t, podOf("replay", name, harness.SchedulerName, "one"))
		if name == "waits" {
			waitRefused(t, "replay", name)
		} else {
			waitBound(t, "replay", name)
		}
	}
	if err := pair.dray.Stop(15 * time.Second); err != nil {
		t.Fatal(err)
	}
	said := drayCommand(t, "replay", folder)
	if !strings.Contains(said, "all the same") {
		t.Error(said)
	}
	t.Log(said)
	snapshot := drayCommand(t, "replay", "--until", time.Now().Add(time.Hour).UTC().Format(time.RFC3339), folder)
	for _, name := range []string{`"name":"waits"`, `"pool":"n0"`, `"nodeName":"n1"`} {
		if !strings.Contains(snapshot, name) {
			t.Errorf("the snapshot lacks %s", name)
		}
	}
	if err := pair.dray.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
