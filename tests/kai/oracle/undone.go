package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// KAI's answers that cannot be carried out, or break what a job requires.

// overcommits: KAI has room on some node for more than it has, once all that leave it are gone.
func overcommits(d *difference) bool {
	places := placesByKAI(d)
	return slices.ContainsFunc(d.c.Nodes, func(n cluster.Node) bool {
		var has amounts
		for i := range d.c.Jobs {
			for k := range d.c.Jobs[i].Tasks {
				if t := &d.c.Jobs[i].Tasks[k]; places[t.UID] == n.Name {
					has.add(t)
				}
			}
		}
		return has.gpu > n.Allocatable["gpu"] || has.cpu > n.Allocatable["cpu"]
	})
}

// strays: by KAI a pod goes on, and on another node than the one that it runs on: what was tried for another job was not
// taken back whole.
func strays(d *difference) bool {
	places := placesByKAI(d)
	return slices.ContainsFunc(d.c.Jobs, func(j cluster.Job) bool {
		return slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool {
			return t.Status == "Running" && d.kai[t.UID] == "Running" && places[t.UID] != "" && places[t.UID] != t.Node
		})
	})
}

// leavesDomain: KAI gives a pod that waits room outside the domain that its job requires, in which others of it run on.
func leavesDomain(d *difference) bool {
	places := placesByKAI(d)
	labels := map[string]map[string]string{}
	for _, n := range d.c.Nodes {
		labels[n.Name] = n.Labels
	}
	return slices.ContainsFunc(d.c.Jobs, func(j cluster.Job) bool {
		if j.Gang.Constraint == nil || j.Gang.Constraint.Required == "" {
			return false
		}
		var runs, gets []string
		for _, t := range j.Tasks {
			domain := labels[places[t.UID]][j.Gang.Constraint.Required]
			switch {
			case domain == "":
			case d.kai[t.UID] == "Running":
				runs = append(runs, domain)
			case t.Status == "Pending":
				gets = append(gets, domain)
			}
		}
		return len(runs) > 0 && slices.ContainsFunc(gets, func(domain string) bool { return !slices.Contains(runs, domain) })
	})
}

// placesByKAI are the nodes of those to whom KAI gives room, in an answer of the session that is the one that was compared.
func placesByKAI(d *difference) map[string]string {
	for range 10 {
		c := clone(&d.c)
		states, err := cluster.Session(&c)
		if err != nil {
			return nil
		}
		expected := statuses(states)
		settle(&c, expected)
		places, same := map[string]string{}, true
		for uid, state := range states {
			same = same && expected.Tasks[uid].Status == d.kai[uid]
			if holds(state.Status) {
				places[uid] = state.Node
			}
		}
		if same {
			return places
		}
	}
	return nil
}
