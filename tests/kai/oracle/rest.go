package oracle

import (
	"maps"
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// Asked about what dray's decision leads to, KAI itself may have nothing to do: then it is one of several ends that KAI's
// rules know, and nobody in it may start, take room of others or be moved for anybody.

// restsAsWell: dray's decision, or the end to which it comes, is such an end; by it no less has room than by KAI, no more
// of those that ran have lost it, and a queue to which it gives more is no worse in its own order. A queue that has less
// is then owed nothing: KAI would take it from the others. Nor does the way there evict more.
func restsAsWell(d *difference) bool {
	if !disturbsNoMore(d) {
		return false
	}
	if noLess(d) && rests(d) {
		return true
	}
	for _, actions := range [][]string{d.whole, d.c.Actions} {
		end := endOf(d, actions)
		if end != nil && (len(end.tasks()) == 0 || noLess(end) && rests(end)) {
			return true
		}
	}
	return false
}

// disturbsNoMore: no more of those that ran are evicted for good by dray, and no more have to stop at all, unless somebody
// gets room for it.
func disturbsNoMore(d *difference) bool {
	evicts, more := 0, 0
	for i := range d.c.Jobs {
		for _, t := range d.c.Jobs[i].Tasks {
			if t.Status != "Running" || d.dray[t.UID] == d.kai[t.UID] {
				continue
			}
			for status, by := range map[string]int{d.dray[t.UID]: 1, d.kai[t.UID]: -1} {
				if status == "Releasing" {
					evicts += by
				}
				if stops(status) {
					more += by
				}
			}
		}
	}
	return evicts <= 0 && (more <= 0 || d.any(served))
}

// noLess: no fewer pods have room by dray, and no fewer GPUs are given to them; no more pods that ran have none; and in the
// queues to which dray gives some pod room that KAI does not, the order is kept.
func noLess(d *difference) bool {
	var pods, gpus, leave float64
	jobs, gains := map[string][]*cluster.Job{}, map[string]bool{}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		jobs[j.Queue] = append(jobs[j.Queue], j)
		for _, t := range j.Tasks {
			byKAI, byDray := holds(d.kai[t.UID]), holds(d.dray[t.UID])
			if byKAI == byDray {
				continue
			}
			more := -1.0
			if byDray {
				more = 1
				gains[j.Queue] = true
			}
			pods += more
			gpus += more * t.GPU.GPUs
			if t.Status == "Running" {
				leave -= more
			}
		}
	}
	if pods < 0 || gpus < 0 || leave > 0 {
		return false
	}
	for queue := range gains {
		if !noWorseIn(d, jobs[queue]) {
			return false
		}
	}
	return true
}

// rests: with all of dray's decision carried out, none of KAI's actions does anything, however often it is asked; nor if
// what dray gives room to, and KAI does not, may be evicted by anybody.
func rests(d *difference) bool {
	places, err := placesOf(d)
	if err != nil {
		return false
	}
	c := clone(&d.c)
	c.Suite, c.Actions = "action", cluster.AllActions
	minute := -1.0
	for i := range c.Jobs {
		j := &c.Jobs[i]
		runs := false
		for n := range j.Tasks {
			t := &j.Tasks[n]
			t.Status, t.Node = "Pending", ""
			if !holds(d.dray[t.UID]) {
				continue
			}
			if places[t.UID] == "" {
				return false
			}
			t.Status, t.Node, runs = "Running", places[t.UID], true
		}
		j.LastStartMin = nil
		if runs {
			j.LastStartMin = &minute
		}
	}
	open := clone(&c)
	for i := range open.Jobs {
		j := &open.Jobs[i]
		if slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return holds(d.dray[t.UID]) && !holds(d.kai[t.UID]) }) {
			j.Preemptibility = "preemptible"
		}
	}
	for range 3 {
		if !leftAlone(&c) || !leftAlone(&open) {
			return false
		}
	}
	return true
}

// leftAlone: KAI changes nothing.
func leftAlone(c *cluster.Case) bool {
	before := cluster.Expected{Tasks: map[string]cluster.State{}}
	for i := range c.Jobs {
		for _, t := range c.Jobs[i].Tasks {
			before.Tasks[t.UID] = cluster.State{Status: t.Status}
		}
	}
	asked := clone(c)
	return answer(&asked) == nil && maps.Equal(asked.Expected.Tasks, before.Tasks)
}

// countsUnready: were there as many GPUs more as run on nodes that are not ready, on nodes that take no pod, dray would decide
// as KAI, or otherwise by another rule.
func countsUnready(d *difference) bool {
	c := clone(&d.c)
	used := map[string]float64{}
	for i := range c.Jobs {
		for _, t := range c.Jobs[i].Tasks {
			used[t.Node] += t.GPU.GPUs
		}
	}
	unready := false
	for _, n := range d.c.Nodes {
		if !n.NotReady || used[n.Name] == 0 {
			continue
		}
		unready = true
		n.Allocatable = map[string]float64{"gpu": used[n.Name], "cpu": 1, "memory": 1, "pods": 110}
		n.Name, n.NotReady = n.Name+"-full", false
		c.Nodes = append(c.Nodes, n)
	}
	if !unready || answer(&c) != nil {
		return false
	}
	another := difference{c: c, whole: d.whole, kai: map[string]string{}, dray: d.dray, said: d.said}
	for uid, state := range c.Expected.Tasks {
		another.kai[uid] = state.Status
	}
	return len(another.tasks()) == 0 || ruleOf(&another) != ""
}
