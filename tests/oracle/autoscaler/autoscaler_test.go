package autoscaler

import (
	"encoding/json"
	"strings"
	"testing"

	"dray.dev/dray/tests/oracle/cases"
)

// dray shows to a cluster autoscaler the jobs, and names the node groups, that kube-scheduler's own framework finds room for on
// new nodes of these groups; none that its queue blocks, and none that no group can take.
func TestAgainstFramework(t *testing.T) {
	count, seed := cases.Count(t, 500, 5_000), cases.Seed(t)
	var lines []cases.Case
	seen := map[string]int{}
	for i := range count {
		c := Generate(seed + uint64(i))
		want, err := c.answer(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		for _, job := range c.Jobs {
			seen[kind(job, want[job.Name])]++
		}
		text, err := json.Marshal(c.line(want))
		if err != nil {
			t.Fatal(err)
		}
		var line cases.Case
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	t.Logf("%d cases: %v", count, seen)
	for _, wanted := range []string{"blocked", "waits", "exposed", "exposed to several", "gang exposed"} {
		if seen[wanted] == 0 {
			t.Errorf("no job is %q", wanted)
		}
	}
	cases.Check(t, "autoscaler", lines)
}

func kind(job Job, answer string) string {
	switch {
	case job.Closed:
		return "blocked"
	case answer == "waits":
		return "waits"
	case strings.Contains(answer, ","):
		return "exposed to several"
	case len(job.Pods) > 1:
		return "gang exposed"
	}
	return "exposed"
}
