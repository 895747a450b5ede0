package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// Rules of whom preemption evicts, and of what that leaves.

// otherVictim: the same pods that wait get room, and of those that run others are evicted, all of one queue and priority.
func otherVictim(d *difference) bool {
	var first *cluster.Job
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for _, t := range j.Tasks {
			if d.kai[t.UID] == d.dray[t.UID] {
				continue
			}
			if first == nil {
				first = j
			}
			if t.Status != "Running" || j.Queue != first.Queue || j.Priority != first.Priority {
				return false
			}
		}
	}
	return slices.Contains(d.c.Actions, "preempt") && first != nil
}

// disturbsFewer: of those that ran, fewer have to stop by dray, whether they have other room or not.
func disturbsFewer(d *difference) bool {
	count := 0
	for _, uid := range d.tasks() {
		if stops(d.dray[uid]) {
			count++
		}
		if stops(d.kai[uid]) {
			count--
		}
	}
	return count < 0
}

func stops(status string) bool { return status == "Releasing" || status == "Pipelined" }

// takenBack: after preemption, pods to whom KAI gives room, one at least at once, wait by dray, which says for whose sake:
// jobs of a higher priority in their queue, whose pods have the same by both. For that it leaves running, or only moves,
// some whom KAI evicts; what is left may be for others.
func takenBack(d *difference) bool {
	back := func(kai, dray string) bool { return (kai == "Binding" || kai == "Pipelined") && dray == "Pending" }
	if !slices.Contains(d.c.Actions, "preempt") || !d.all(spared, back, served) || !d.any(withdrawn) || !d.any(spared) {
		return false
	}
	takers := map[string]*cluster.Job{}
	for _, found := range kept.FindAllStringSubmatch(d.said.Got, -1) {
		for i := range d.c.Jobs {
			if d.c.Jobs[i].Name == found[2] {
				takers[found[1]] = &d.c.Jobs[i]
			}
		}
	}
	waited := func(t cluster.Task) bool { return t.Status == "Pending" && holds(d.dray[t.UID]) }
	other := func(t cluster.Task) bool { return d.kai[t.UID] != d.dray[t.UID] }
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for _, t := range j.Tasks {
			if !back(d.kai[t.UID], d.dray[t.UID]) {
				continue
			}
			taker := takers[t.UID]
			if taker == nil || taker.Queue != j.Queue || taker.Priority <= j.Priority ||
				!slices.ContainsFunc(taker.Tasks, waited) || slices.ContainsFunc(taker.Tasks, other) {
				return false
			}
		}
	}
	return true
}

// evictedWithGang: a pod that KAI leaves where it is goes with others of its gang, which KAI moves and dray evicts.
func evictedWithGang(d *difference) bool {
	any := false
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		goes := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return evicted(d.kai[t.UID], d.dray[t.UID]) })
		if !goes {
			continue
		}
		any = true
		stay := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return holds(d.dray[t.UID]) })
		moves := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return lost(d.kai[t.UID], d.dray[t.UID]) })
		if stay || !moves || singly(&j.Gang) {
			return false
		}
	}
	return any
}

// owedBeside says of each job that waits, with all of dray's decision carried out but what only dray gives room to, whether
// KAI's rules would let it reclaim: its queue stays within its fair share with it.
func owedBeside(d *difference) (map[string]bool, error) {
	places, err := placesOf(d)
	if err != nil {
		return nil, err
	}
	c := clone(&d.c)
	c.Actions = nil
	for i := range c.Jobs {
		for n := range c.Jobs[i].Tasks {
			t := &c.Jobs[i].Tasks[n]
			kai, dray := d.kai[t.UID], d.dray[t.UID]
			t.Status, t.Node = "Pending", ""
			if holds(dray) && !served(kai, dray) {
				t.Status, t.Node = "Running", places[t.UID]
			}
		}
	}
	return cluster.MayReclaimAnything(&c)
}

// staysOwn: dray promises what preemption leaves to others of the same queue, which stays within what it deserves, or within
// its fair share, so that KAI would let them reclaim; other queues keep what the actions before gave them, and preempt among
// themselves for jobs that have room by both.
func staysOwn(d *difference) bool {
	if !slices.Contains(d.c.Actions, "preempt") || !d.all(served, evicted, lost, spared, promised) || !d.any(served) {
		return false
	}
	before := clone(&d.c)
	before.Actions = before.Actions[:len(before.Actions)-1]
	if answer(&before) != nil {
		return false
	}
	owed, err := owedBeside(d)
	if err != nil {
		return false
	}
	byDray, job := booksOf(&d.c), map[string]*cluster.Job{}
	leaves, gets, sated := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		job[j.Name] = j
		for n := range j.Tasks {
			t := &j.Tasks[n]
			if holds(d.dray[t.UID]) {
				byDray.add(j, t)
			}
			keeps := d.dray[t.UID] == "Binding" && before.Expected.Tasks[t.UID].Status == "Binding"
			if served(d.kai[t.UID], d.dray[t.UID]) && !keeps {
				gets[j.Queue] = true
				sated[j.Queue] = sated[j.Queue] || !owed[j.Name]
			}
		}
	}
	makesRoom := map[string]*cluster.Job{}
	for _, found := range preempted.FindAllStringSubmatch(d.said.Got, -1) {
		makesRoom[found[1]] = job[found[2]]
		leaves[job[found[1]].Queue] = true
	}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for _, t := range j.Tasks {
			kai, dray := d.kai[t.UID], d.dray[t.UID]
			if evicted(kai, dray) || lost(kai, dray) {
				if taker := makesRoom[j.Name]; gets[j.Queue] || taker == nil || slices.ContainsFunc(taker.Tasks, func(t cluster.Task) bool {
					return d.kai[t.UID] != d.dray[t.UID]
				}) {
					return false
				}
			}
		}
	}
	for queue := range gets {
		q := byDray.queues[queue]
		if !leaves[queue] || sated[queue] && !byDray.all[queue].within(q.GPU.Deserved, q.CPU.Deserved) {
			return false
		}
	}
	return true
}

// singly: any one pod of the gang may run alone.
func singly(g *cluster.Gang) bool {
	sets := g.Sets()
	return len(sets) == 1 && sets[0].MinMember == 1
}
