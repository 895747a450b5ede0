package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// noFewer: left alone with all actions, or with those so far, the cluster comes to rest with the same pods running by both,
// or by dray with more, or with as many and in no queue with worse ones.
func noFewer(d *difference) bool {
	return endsWell(d, d.whole) || endsWell(d, d.c.Actions)
}

func endsWell(d *difference, actions []string) bool {
	end := endOf(d, actions)
	return end != nil && (len(end.tasks()) == 0 || end.all(starts) || noWorse(end) && asMany(end))
}

// comesToIt: left alone, by dray the cluster comes to rest with all that have room after this session of KAI's, and nobody
// else.
func comesToIt(d *difference) bool {
	end := endOf(d, d.whole)
	if end == nil {
		end = endOf(d, d.c.Actions)
	}
	if end == nil {
		return false
	}
	for uid, status := range d.kai {
		runs := end.dray[uid]
		if len(end.tasks()) == 0 {
			runs = end.c.Expected.Tasks[uid].Status
		}
		if holds(status) != holds(runs) {
			return false
		}
	}
	return true
}

// endOf is how the ends differ to which the cluster comes by both; nil where KAI comes to none, or dray's is against the
// rules. Where a job is left with a part of its minimum there, the action that ends stale gangs waits no minute.
func endOf(d *difference, actions []string) *difference {
	if actions == nil {
		return nil
	}
	c := clone(&d.c)
	c.Suite, c.Actions = "cycle", actions
	end := differenceOf(&c)
	if end != nil && halved(end) {
		c.Config.StalenessGraceSec = 0
		end = differenceOf(&c)
	}
	if end == nil || !lawful(end) || halved(end) {
		return nil
	}
	return end
}

// differenceOf asks both; without tasks if they decide alike.
func differenceOf(c *cluster.Case) *difference {
	if answer(c) != nil {
		return nil
	}
	differences, err := ask([]cluster.Case{*c})
	if err != nil {
		return nil
	}
	if len(differences) > 0 {
		return &differences[0]
	}
	return &difference{c: *c}
}

// noWorse: in each queue, priority by priority from the highest, as many of those that ran go on, or more, and if as many, of
// the jobs that waited the first in order that has another number of pods with room has more: nobody who runs is evicted for
// one of his own priority. Once some have more by dray, lower priorities may have fewer.
func noWorse(d *difference) bool {
	jobs := map[string][]*cluster.Job{}
	for i := range d.c.Jobs {
		jobs[d.c.Jobs[i].Queue] = append(jobs[d.c.Jobs[i].Queue], &d.c.Jobs[i])
	}
	for _, some := range jobs {
		if !noWorseIn(d, some) {
			return false
		}
	}
	return true
}

func noWorseIn(d *difference, jobs []*cluster.Job) bool {
	slices.SortStableFunc(jobs, d.inOrder)
	for len(jobs) > 0 {
		end := slices.IndexFunc(jobs, func(j *cluster.Job) bool { return j.Priority != jobs[0].Priority })
		if end < 0 {
			end = len(jobs)
		}
		goOn, first := 0, 0
		for _, j := range jobs[:end] {
			ran, waited := moreOf(d, j)
			goOn += ran
			if first == 0 {
				first = waited
			}
		}
		if goOn < 0 || goOn == 0 && first < 0 {
			return false
		}
		if goOn > 0 || first > 0 {
			return true
		}
		jobs = jobs[end:]
	}
	return true
}

// moreOf says how many more pods of a job have room by dray, of those that ran and of those that waited.
func moreOf(d *difference, j *cluster.Job) (ran, waited int) {
	for _, t := range j.Tasks {
		more := 0
		if holds(d.dray[t.UID]) {
			more++
		}
		if holds(d.kai[t.UID]) {
			more--
		}
		if t.Status == "Running" {
			ran += more
		} else {
			waited += more
		}
	}
	return ran, waited
}

// inOrder compares jobs of a queue by who is served first with what differs of it: of one priority those come last that
// have their minimum by both, and only grow.
func (d *difference) inOrder(a, b *cluster.Job) int {
	if grows := d.grows(a); a.Priority == b.Priority && grows != d.grows(b) {
		if grows {
			return 1
		}
		return -1
	}
	return inOrder(a, b)
}

// grows: what has room by both is the job's minimum, or more.
func (d *difference) grows(j *cluster.Job) bool {
	return hasMinimum(j, func(t cluster.Task) bool { return holds(d.kai[t.UID]) && holds(d.dray[t.UID]) })
}

// hasMinimum: those of which `has` is true are as many as the job needs.
func hasMinimum(j *cluster.Job, has func(cluster.Task) bool) bool {
	return !slices.ContainsFunc(j.Gang.Sets(), func(set cluster.PodSet) bool {
		var count int32
		for _, t := range j.Tasks {
			if (t.SubGroup == "" || t.SubGroup == set.Name) && has(t) {
				count++
			}
		}
		return count < set.MinMember
	})
}

// inOrder compares jobs of a queue by who is served first.
func inOrder(a, b *cluster.Job) int {
	if a.Priority != b.Priority {
		return int(b.Priority - a.Priority)
	}
	return int(a.CreatedMin - b.CreatedMin)
}
