package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// Rules of consolidation, which moves those who run, and evicts nobody for good.

// movesForFirst: after consolidation, by which dray evicts nobody for good, of the jobs that wait and of which another number
// of pods has room by both, the one that KAI itself comes to first has more by dray.
func movesForFirst(d *difference) bool {
	if !consolidates(d) {
		return false
	}
	more := map[string]int{}
	var differ []string
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		if _, waited := moreOf(d, j); waited != 0 {
			more[j.Name] = waited
			differ = append(differ, j.Name)
		}
	}
	if len(differ) < 2 {
		return false
	}
	first, err := cluster.MovesForFirst(&d.c, differ)
	return err == nil && more[first] > 0
}

// movesForOthers: jobs have no room by dray, which finds no moves for them as KAI does, and so evicts nobody for good.
// Were they not there, dray would decide the rest as it does, and KAI alike, or otherwise by another rule.
func movesForOthers(d *difference) bool {
	if !consolidates(d) {
		return false
	}
	c := clone(&d.c)
	c.Jobs = slices.DeleteFunc(c.Jobs, func(j cluster.Job) bool {
		gets := func(t cluster.Task) bool { return d.kai[t.UID] == "Pipelined" }
		return slices.ContainsFunc(j.Tasks, gets) &&
			!slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return t.Status != "Pending" || d.dray[t.UID] != "Pending" })
	})
	if len(c.Jobs) == len(d.c.Jobs) {
		return false
	}
	without := differenceOf(&c)
	if without == nil {
		return false
	}
	for uid, state := range c.Expected.Tasks {
		said, other := without.dray[uid]
		if !other {
			said = state.Status
		}
		if said != d.dray[uid] {
			return false
		}
	}
	return len(without.tasks()) == 0 || ruleOf(without) != ""
}

// consolidates: the last action is consolidation, and nobody who ran is evicted for good by dray.
func consolidates(d *difference) bool {
	return d.c.Actions[len(d.c.Actions)-1] == "consolidation" && !slices.ContainsFunc(d.c.Jobs, func(j cluster.Job) bool {
		return slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return t.Status == "Running" && !holds(d.dray[t.UID]) })
	})
}

// findsOtherMoves: KAI consolidates, which evicts nobody for good, where dray leaves all as it was.
func findsOtherMoves(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "consolidation" {
		return false
	}
	for i := range d.c.Jobs {
		for _, t := range d.c.Jobs[i].Tasks {
			if d.kai[t.UID] == "Releasing" || t.Status == "Running" && d.dray[t.UID] != "Running" {
				return false
			}
		}
	}
	return true
}
