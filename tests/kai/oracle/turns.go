package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// movesForTheSated: KAI consolidates for jobs that may not reclaim, while others may; dray does so only where nothing is
// to be reclaimed (the case is the first prefix of the actions that both decide otherwise).
func movesForTheSated(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "reclaim" || !slices.Contains(d.c.Actions, "consolidation") || !d.all(spared, promised) {
		return false
	}
	owed, err := cluster.MayReclaimAnything(&d.c)
	if err != nil {
		return false
	}
	somebody, moved := false, false
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		somebody = somebody || owed[j.Name]
		for _, t := range j.Tasks {
			if t.Status != "Pending" || d.kai[t.UID] == d.dray[t.UID] {
				continue
			}
			moved = true
			if owed[j.Name] || d.kai[t.UID] != "Pipelined" {
				return false
			}
		}
	}
	return somebody && moved
}

// servedInOrder: after preemption, all that differs is in one queue, and its jobs have their room in order by dray.
func servedInOrder(d *difference) bool {
	// Stale gangs come after it, and are none here.
	if !slices.Contains(d.c.Actions, "preempt") {
		return false
	}
	var jobs []*cluster.Job
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		if slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return d.kai[t.UID] != d.dray[t.UID] }) {
			jobs = append(jobs, j)
		}
	}
	return firstHasMore(d, jobs)
}

// movedInOrder: after consolidation, which evicts nobody for good, the jobs that wait and get other room are of one queue,
// and have it in order by dray.
func movedInOrder(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "consolidation" {
		return false
	}
	var jobs []*cluster.Job
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		differs := false
		for _, t := range j.Tasks {
			if t.Status == "Running" && d.dray[t.UID] == "Releasing" {
				return false
			}
			differs = differs || t.Status == "Pending" && d.kai[t.UID] != d.dray[t.UID]
		}
		if differs {
			jobs = append(jobs, j)
		}
	}
	return firstHasMore(d, jobs)
}

// firstHasMore: the jobs are of one queue, and of those that are served first before others, the first that has another
// number of pods by both, or of pods that need not wait for others to leave, has more of them by dray.
func firstHasMore(d *difference, jobs []*cluster.Job) bool {
	if slices.ContainsFunc(jobs, func(j *cluster.Job) bool { return j.Queue != jobs[0].Queue }) {
		return false
	}
	slices.SortStableFunc(jobs, d.inOrder)
	atOnce := func(status string) bool { return status == "Running" || status == "Binding" }
	for _, j := range jobs {
		for _, has := range []func(string) bool{holds, atOnce} {
			more := 0
			for _, t := range j.Tasks {
				if has(d.dray[t.UID]) {
					more++
				}
				if has(d.kai[t.UID]) {
					more--
				}
			}
			if more != 0 {
				return more > 0
			}
		}
	}
	return false
}

// leftToTheOwed: preempt leaves room that dray promises to jobs of queues that stay within what they deserve, so that
// other queues, that have more than they deserve by KAI, make room for their own jobs among themselves.
func leftToTheOwed(d *difference) bool {
	if !slices.Contains(d.c.Actions, "preempt") || !d.all(served, evicted, lost, spared) || !d.any(served) {
		return false
	}
	byKAI, byDray := booksOf(&d.c), booksOf(&d.c)
	gets, gives := map[string]bool{}, map[string]bool{}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for n := range j.Tasks {
			t := &j.Tasks[n]
			kai, dray := d.kai[t.UID], d.dray[t.UID]
			if holds(kai) {
				byKAI.add(j, t)
			}
			if holds(dray) {
				byDray.add(j, t)
			}
			gets[j.Queue] = gets[j.Queue] || served(kai, dray)
			gives[j.Queue] = gives[j.Queue] || evicted(kai, dray) || lost(kai, dray)
		}
	}
	for _, q := range d.c.Queues {
		if gets[q.Name] && (gives[q.Name] || !byDray.all[q.Name].within(q.GPU.Deserved, q.CPU.Deserved)) ||
			gives[q.Name] && byKAI.all[q.Name].within(q.GPU.Deserved, q.CPU.Deserved) {
			return false
		}
	}
	return true
}

// keptForOther: no pod that runs fares differently; one that waits is promised room by dray, and one of a higher priority
// in its queue by KAI.
func keptForOther(d *difference) bool {
	if !slices.Contains(d.c.Actions, "preempt") {
		return false
	}
	var byKAI, byDray []*cluster.Job
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for _, t := range j.Tasks {
			if d.kai[t.UID] == d.dray[t.UID] {
				continue
			}
			if t.Status != "Pending" {
				return false
			}
			if d.dray[t.UID] == "Pipelined" && !holds(d.kai[t.UID]) {
				byDray = append(byDray, j)
			}
			if d.kai[t.UID] == "Pipelined" && !holds(d.dray[t.UID]) {
				byKAI = append(byKAI, j)
			}
		}
	}
	return slices.ContainsFunc(byDray, func(kept *cluster.Job) bool {
		return slices.ContainsFunc(byKAI, func(j *cluster.Job) bool { return j.Queue == kept.Queue && j.Priority > kept.Priority })
	})
}

// halved: dray leaves a part of a job running that is below its minimum.
func halved(d *difference) bool {
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for _, set := range j.Gang.Sets() {
			var ran, left int32
			for _, t := range j.Tasks {
				if t.SubGroup != "" && t.SubGroup != set.Name {
					continue
				}
				if t.Status == "Running" {
					ran++
				}
				if holds(d.dray[t.UID]) {
					left++
				}
			}
			any := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return holds(d.dray[t.UID]) })
			if any && ran >= set.MinMember && left < set.MinMember {
				return true
			}
		}
	}
	return false
}

// fullDomain: each job of which fewer pods have room by dray has its minimum, and requires a domain.
func fullDomain(d *difference) bool {
	any := false
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		fewer := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return holds(d.kai[t.UID]) && !holds(d.dray[t.UID]) })
		if !fewer {
			continue
		}
		any = true
		if j.Gang.Constraint == nil || j.Gang.Constraint.Required == "" {
			return false
		}
		if !hasMinimum(j, func(t cluster.Task) bool { return holds(d.dray[t.UID]) }) {
			return false
		}
	}
	return any
}

// reclaimedByProxy: all that differs is in queues for one job of which others left by reclaim. By dray it keeps that room,
// and a more important job of the queue, that has as much by both, has room of the queue's own, or what the plan itself had
// just given to a less important one, or waits; by KAI that job has it, though KAI's rules let it take nothing of whom it
// comes from.
func reclaimedByProxy(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "preempt" || !d.all(promised, evicted, spared, started, withdrawn) {
		return false
	}
	proxies, within := map[string]bool{}, map[string]int32{}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		keeps := slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return d.kai[t.UID] == "Pending" && d.dray[t.UID] == "Pipelined" })
		if keeps && proxyFor(d, j) {
			lowest, known := within[j.Queue]
			if !known || j.Priority < lowest {
				within[j.Queue] = j.Priority
			}
			proxies[j.Name] = true
		}
	}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		lowest, differs := within[j.Queue]
		for _, t := range j.Tasks {
			kai, dray := d.kai[t.UID], d.dray[t.UID]
			waits := kai == "Pipelined" && dray == "Pending" && j.Priority > lowest
			loses := withdrawn(kai, dray) && j.Priority <= lowest
			if kai != dray && !proxies[j.Name] && !(differs && (evicted(kai, dray) || waits || loses)) {
				return false
			}
		}
	}
	return len(proxies) > 0
}

// proxyFor: some job of the queue of j that goes before it has room that it waited for, and may not reclaim what was
// reclaimed for j; and no such job may.
func proxyFor(d *difference, j *cluster.Job) bool {
	takings, err := takingsOf(d)
	at := slices.IndexFunc(takings, func(t cluster.Taking) bool { return t.Taker == j.Name })
	if err != nil || at < 0 {
		return false
	}
	any := false
	for i := range d.c.Jobs {
		taker := &d.c.Jobs[i]
		gets := slices.ContainsFunc(taker.Tasks, func(t cluster.Task) bool { return t.Status == "Pending" && d.kai[t.UID] == "Pipelined" })
		if taker.Queue != j.Queue || taker.Priority <= j.Priority || !gets {
			continue
		}
		if may, err := cluster.MayReclaim(&d.c, []cluster.Taking{{Taker: taker.Name, Victims: takings[at].Victims}}); err != nil || may {
			return false
		}
		any = true
	}
	return any
}
