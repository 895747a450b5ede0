package oracle

import (
	"regexp"

	"dray.dev/dray/tests/kai/cluster"
	"dray.dev/dray/tests/oracle/cases"
)

// elsewhere: all that both give room to, and dray on another node, is put where dray has it, and who leaves by both is
// taken away: asked about that cluster, KAI decides the rest as dray does.
func elsewhere(d *difference) bool {
	if !d.all(stays, promised, started) {
		return false
	}
	byKAI, err := cluster.Session(&d.c)
	if err != nil {
		return false
	}
	byDray, err := placesOf(d)
	if err != nil {
		return false
	}
	c, other := clone(&d.c), false
	for i := range c.Jobs {
		j := &c.Jobs[i]
		for n := range j.Tasks {
			t := &j.Tasks[n]
			kai, dray := holds(d.kai[t.UID]), holds(d.dray[t.UID])
			if d.kai[t.UID] != d.dray[t.UID] {
				continue
			}
			if !kai && !dray {
				t.Status, t.Node = "Pending", ""
				continue
			}
			other = other || byDray[t.UID] != byKAI[t.UID].Node
			if t.Status != "Running" {
				minute := -1.0
				j.LastStartMin = &minute
			}
			t.Status, t.Node = "Running", byDray[t.UID]
		}
	}
	if !other || answer(&c) != nil {
		return false
	}
	for uid, state := range c.Expected.Tasks {
		if holds(state.Status) != holds(d.dray[uid]) {
			return false
		}
	}
	return true
}

// stays: KAI evicts a pod that dray leaves where it is.
func stays(kai, dray string) bool { return kai == "Releasing" && dray == "Running" }

var place = regexp.MustCompile(`(?:^round \d+: |, )(\S+) \w+@([\w-]+)`)

// placesOf says where dray has the pods that it gives room to: it tells of a node where another one is expected.
func placesOf(d *difference) (map[string]string, error) {
	c := clone(&d.c)
	c.Expected = cluster.Expected{Tasks: map[string]cluster.State{}}
	for uid, status := range d.dray {
		if holds(status) {
			c.Expected.Tasks[uid] = cluster.State{Status: status, Node: "another"}
		}
	}
	lines, err := linesOf([]cluster.Case{c})
	if err != nil {
		return nil, err
	}
	result, err := cases.Run("kai", lines)
	if err != nil {
		return nil, err
	}
	places := map[string]string{}
	for _, failure := range result.Failures {
		for _, found := range place.FindAllStringSubmatch(failure.Got, -1) {
			places[found[1]] = found[2]
		}
	}
	return places, nil
}
