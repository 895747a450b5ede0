package oracle

import (
	"regexp"
	"slices"

	"dray.dev/dray/tests/kai/cluster"
	"dray.dev/dray/tests/oracle/cases"
)

// elsewhere: all that both give room to, and dray on another node, is put where dray has it, and who leaves by both or by
// dray is taken away: asked about that cluster, KAI decides the rest as dray does. As many have room, or only who is
// promised room differs.
func elsewhere(d *difference) bool {
	if !d.all(spared, promised, started) && !asMany(d) {
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
	c.Jobs = slices.DeleteFunc(c.Jobs, func(j cluster.Job) bool {
		return !slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return d.kai[t.UID] != "Releasing" || d.dray[t.UID] != "Releasing" })
	})
	c.Actions = slices.Compact([]string{"allocate", c.Actions[len(c.Actions)-1]})
	for i := range c.Jobs {
		j := &c.Jobs[i]
		for n := range j.Tasks {
			t := &j.Tasks[n]
			same := d.kai[t.UID] == d.dray[t.UID]
			if !holds(d.dray[t.UID]) || t.Status == "Pending" && !same {
				t.Status, t.Node = "Pending", ""
				continue
			}
			other = other || same && byDray[t.UID] != byKAI[t.UID].Node
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

// saidOnce: KAI's answer is not always the same, and dray's is one of them.
func saidOnce(d *difference) bool {
	for range 10 {
		c := clone(&d.c)
		if answer(&c) != nil {
			return false
		}
		if saysAsDray(d, c.Expected) {
			return true
		}
	}
	return false
}

// renamed: asked about the same cluster whose nodes have each other's names, KAI decides as dray does: between nodes that
// are as good, the name decides.
func renamed(d *difference) bool {
	// Nor does it always say the same of one of them.
	all := permutations(len(d.c.Nodes))
	for _, names := range slices.Concat(all, all, all, all, all) {
		c, name := clone(&d.c), map[string]string{}
		for i := range c.Nodes {
			name[c.Nodes[i].Name] = d.c.Nodes[names[i]].Name
			c.Nodes[i].Name = d.c.Nodes[names[i]].Name
		}
		for i := range c.Jobs {
			for n := range c.Jobs[i].Tasks {
				c.Jobs[i].Tasks[n].Node = name[c.Jobs[i].Tasks[n].Node]
			}
		}
		if answer(&c) == nil && saysAsDray(d, c.Expected) {
			return true
		}
	}
	return false
}

func permutations(count int) [][]int {
	if count == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, fewer := range permutations(count - 1) {
		for at := range count {
			all = append(all, slices.Insert(slices.Clone(fewer), at, count-1))
		}
	}
	return all
}

// allocatesAnew: the only action is allocate.
func allocatesAnew(d *difference) bool {
	if len(d.c.Actions) != 1 || d.c.Actions[0] != "allocate" {
		return false
	}
	states, err := cluster.AllocateAnew(&d.c)
	return err == nil && saysAsDray(d, statuses(states))
}

// saysAsDray: in that answer all have the status that dray gives them, but for others of the same job that ask for the same.
func saysAsDray(d *difference, answer cluster.Expected) bool {
	said := difference{c: d.c, kai: map[string]string{}, dray: d.dray}
	for uid, state := range answer.Tasks {
		said.kai[uid] = state.Status
	}
	return alike(&said)
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
