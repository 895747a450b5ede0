package oracle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dray.dev/dray/tests/kai/cluster"
)

func recorded(t *testing.T) []cluster.Case {
	t.Helper()
	shared := os.Getenv("DRAY_SHARED")
	if shared == "" {
		t.Skip("no shared cases: DRAY_SHARED is not set")
	}
	files, err := filepath.Glob(filepath.Join(shared, "cases/kai/[ac]*_*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded cases of KAI", err)
	}
	var all []cluster.Case
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var c cluster.Case
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, c)
		}
	}
	return all
}

// What newer KAI, of which the recorded cases are, decides otherwise than this version.
const gpuMemory = "gpu-memory in limits and quotas: newer KAI counts it otherwise"

var versions = map[string]string{
	"action/allocate/allocateGpuMemory/07": gpuMemory,
	"action/reclaim/reclaimGpuMemory/00":   gpuMemory,
	"action/reclaim/reclaimGpuMemory/04":   gpuMemory,
	"action/reclaim/reclaimGpuMemory/05":   gpuMemory,
}

// Of the recorded cases that this version of KAI knows all parts of, it decides all as recorded but those of `versions`:
// cases are given to it as they are given to dray.
func TestRecorded(t *testing.T) {
	asked := 0
	for _, c := range recorded(t) {
		c.Config.Plugins = slices.DeleteFunc(c.Config.Plugins, func(p cluster.Plugin) bool {
			return p.Name == "snapshot" || p.Name == "sg-nodelocalgreedy" || p.Name == "sg-multinodegang"
		})
		want := c.Observed.Tasks
		got, err := outcome(&c)
		if err != nil {
			t.Logf("%s: %v", c.ID, err)
			continue
		}
		asked++
		var differs []string
		for uid, w := range want {
			if g := got[uid]; g.Status != w.Status || w.Node != "" && g.Node != w.Node {
				differs = append(differs, fmt.Sprintf("%s: KAI %s %v, recorded %v", uid, cluster.Version, g, w))
			}
		}
		_, version := versions[c.ID]
		if version != (len(differs) > 0) {
			t.Errorf("%s: listed as a version's difference: %v, but: %q", c.ID, version, differs)
		}
	}
	if asked < 200 {
		t.Errorf("only %d cases were asked", asked)
	}
}

// outcome is what becomes of the tasks.
func outcome(c *cluster.Case) (cluster.States, error) {
	if c.Suite == "action" {
		return cluster.Session(c)
	}
	all, err := cluster.Cycle(c, c.Rounds.UntilMatch+c.Rounds.AfterMatch)
	if err != nil {
		return nil, err
	}
	return all[len(all)-1], nil
}
