package main

import "testing"

// A slow stretch of the machine is no miss where another run shows better; an answer that no run may have is.
func TestVerdicts(t *testing.T) {
	run := func(slowest, late float64) result {
		return result{Side: "dray", Workload: "waiting", Slowest: slowest, Refused: map[string]float64{"504": late}, Terms: 1, Binds: 1}
	}
	for _, c := range []struct {
		what   string
		all    []result
		missed int
	}{
		{"none", nil, 0},
		{"slow", []result{run(0.69, 0)}, 1},
		{"slow, then fast", []result{run(0.69, 0), run(0.75, 0)}, 0},
		{"an answer 504, then none", []result{run(0.75, 1), run(0.75, 0)}, 1},
	} {
		if got := missed(verdicts(crowdGoals(), c.all)); got != c.missed {
			t.Errorf("%s: %d goals missed, not %d", c.what, got, c.missed)
		}
	}
}

// dray is compared with what the peer did in the same round, and the median of the rounds counts.
func TestVerdictsAgainstPeers(t *testing.T) {
	all := []result{
		{Side: "in-tree", Workload: "post", Round: 0, Rate: 10, WritesTotal: 5},
		{Side: "dray", Workload: "post", Round: 0, Rate: 13, WritesTotal: 4},
		{Side: "in-tree", Workload: "post", Round: 1, Rate: 5, WritesTotal: 5},
		{Side: "dray", Workload: "post", Round: 1, Rate: 6, WritesTotal: 4},
		{Side: "in-tree", Workload: "post", Round: 2, Rate: 2, WritesTotal: 5},
		{Side: "dray", Workload: "post", Round: 2, Rate: 50, WritesTotal: 4},
		{Side: "dray", Workload: "post", Round: 3, Rate: 1, WritesTotal: 9}, // nothing beside it
	}
	found := verdicts(peerGoals(), all)
	if len(found) != 2 || found[0].line != "met    post, pods/s, dray against in-tree: 1.30, at least 1.25" || !found[0].met || !found[1].met {
		t.Errorf("%+v", found)
	}
}
