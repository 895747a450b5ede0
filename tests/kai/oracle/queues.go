package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// amounts of what queues bound: GPUs and millicores.
type amounts struct{ gpu, cpu float64 }

func (a *amounts) add(t *cluster.Task) {
	a.gpu += t.GPU.Quota
	a.cpu += t.Requests["cpu"]
}

func within(amount, bound float64) bool { return bound == -1 || amount <= bound }

func (a *amounts) within(gpu, cpu float64) bool { return within(a.gpu, gpu) && within(a.cpu, cpu) }

// books of what queues have.
type books struct {
	c       *cluster.Case
	queues  map[string]*cluster.Queue
	all     map[string]*amounts // by queue
	lasting map[string]*amounts // of jobs that cannot be evicted
}

func booksOf(c *cluster.Case) *books {
	b := &books{c: c, queues: map[string]*cluster.Queue{}, all: map[string]*amounts{}, lasting: map[string]*amounts{}}
	for i := range c.Queues {
		q := &c.Queues[i]
		b.queues[q.Name], b.all[q.Name], b.lasting[q.Name] = q, &amounts{}, &amounts{}
	}
	return b
}

// path of a queue up to the top.
func (b *books) path(queue string) []*cluster.Queue {
	var found []*cluster.Queue
	for q := b.queues[queue]; q != nil; q = b.queues[q.Parent] {
		found = append(found, q)
	}
	return found
}

func (b *books) add(j *cluster.Job, t *cluster.Task) {
	for _, q := range b.path(j.Queue) {
		b.all[q.Name].add(t)
		if j.Preemptibility == "non-preemptible" {
			b.lasting[q.Name].add(t)
		}
	}
}

// addRunning adds what a job has.
func (b *books) addRunning(j *cluster.Job) {
	for n := range j.Tasks {
		if j.Tasks[n].Status == "Running" {
			b.add(j, &j.Tasks[n])
		}
	}
}

// lawful: the queues of what dray starts and KAI does not are within their limits, and what cannot be evicted within
// their quotas.
func lawful(d *difference) bool {
	b := booksOf(&d.c)
	for i := range d.c.Jobs {
		for n := range d.c.Jobs[i].Tasks {
			if t := &d.c.Jobs[i].Tasks[n]; holds(d.dray[t.UID]) {
				b.add(&d.c.Jobs[i], t)
			}
		}
	}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for n := range j.Tasks {
			uid := j.Tasks[n].UID
			if !holds(d.dray[uid]) || holds(d.kai[uid]) || j.Tasks[n].Node != "" {
				continue
			}
			for _, q := range b.path(j.Queue) {
				if !b.all[q.Name].within(q.GPU.Limit, q.CPU.Limit) ||
					j.Preemptibility == "non-preemptible" && !b.lasting[q.Name].within(q.GPU.Deserved, q.CPU.Deserved) {
					return false
				}
			}
		}
	}
	return true
}

// overLimit: by KAI, some queue would hold more than its limit, and more than it had.
func overLimit(d *difference) bool {
	before, after := booksOf(&d.c), booksOf(&d.c)
	for i := range d.c.Jobs {
		for n := range d.c.Jobs[i].Tasks {
			t := &d.c.Jobs[i].Tasks[n]
			if t.Status == "Running" {
				before.add(&d.c.Jobs[i], t)
			}
			if holds(d.kai[t.UID]) {
				after.add(&d.c.Jobs[i], t)
			}
		}
	}
	for name, q := range after.queues {
		had, has := before.all[name], after.all[name]
		if !within(has.gpu, q.GPU.Limit) && has.gpu > had.gpu || !within(has.cpu, q.CPU.Limit) && has.cpu > had.cpu {
			return true
		}
	}
	return false
}

// holds: a pod of that status has room, or is promised some.
func holds(status string) bool {
	return status == "Running" || status == "Binding" || status == "Pipelined"
}

// takesProtected: KAI evicts or moves a pod for one of another queue, though the newer rule keeps its queue out: where
// the taker stays within what it deserves, the other queue, at the level where they part, has to be above what it
// deserves of something that is asked for, or below of nothing.
func takesProtected(d *difference) bool {
	before := booksOf(&d.c)
	for i := range d.c.Jobs {
		for n := range d.c.Jobs[i].Tasks {
			t := &d.c.Jobs[i].Tasks[n]
			if t.Status == "Running" || d.kai[t.UID] == "Binding" {
				before.add(&d.c.Jobs[i], t)
			}
		}
	}
	for i := range d.c.Jobs {
		taker := &d.c.Jobs[i]
		asked := amounts{}
		for n := range taker.Tasks {
			if t := &taker.Tasks[n]; t.Status == "Pending" && d.kai[t.UID] == "Pipelined" {
				asked.add(t)
			}
		}
		if asked == (amounts{}) {
			continue
		}
		for k := range d.c.Jobs {
			giver := &d.c.Jobs[k]
			if giver.Queue == taker.Queue || !losesByKAI(d, giver) {
				continue
			}
			if before.keepsOut(taker.Queue, giver.Queue, asked) {
				return true
			}
		}
	}
	return false
}

func losesByKAI(d *difference, j *cluster.Job) bool {
	for n := range j.Tasks {
		t := &j.Tasks[n]
		if t.Status == "Running" && (d.kai[t.UID] == "Releasing" || d.kai[t.UID] == "Pipelined") && d.dray[t.UID] == "Running" {
			return true
		}
	}
	return false
}

// keepsOut: FilterVictim of newer KAI.
func (b *books) keepsOut(taker, giver string, asked amounts) bool {
	a, g := b.rivals(taker, giver)
	with := *b.all[a.Name]
	with.gpu += asked.gpu
	with.cpu += asked.cpu
	if !with.within(a.GPU.Deserved, a.CPU.Deserved) {
		return false
	}
	has := b.all[g.Name]
	above, below := false, false
	compare := func(asked, has, deserved float64) {
		if asked == 0 || deserved == -1 {
			return
		}
		above = above || has > deserved
		below = below || has < deserved
	}
	compare(asked.gpu, has.gpu, g.GPU.Deserved)
	compare(asked.cpu, has.cpu, g.CPU.Deserved)
	return !above && below
}

// takesBelowShare: whichever piece of what KAI takes of a queue is the last, before it the queue is no more above what it
// deserves, nor above its limit: neither of KAI's strategies lets it give that piece. Pieces are pods above the minimum of
// their job, and the rest.
func takesBelowShare(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "reclaim" {
		return false
	}
	has := booksOf(&d.c)
	pieces := map[string][]amounts{}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		for n := range j.Tasks {
			if t := &j.Tasks[n]; t.Status == "Running" || d.kai[t.UID] == "Binding" {
				has.add(j, t)
			}
		}
		if losesByKAI(d, j) {
			pieces[j.Queue] = append(pieces[j.Queue], piecesOf(d, j)...)
		}
	}
	if takesLastBelowShare(d) {
		return true
	}
	for queue, taken := range pieces {
		q := has.queues[queue]
		refused := !slices.ContainsFunc(taken, func(last amounts) bool {
			left := *has.all[queue]
			for _, piece := range taken {
				left.gpu -= piece.gpu
				left.cpu -= piece.cpu
			}
			left.gpu += last.gpu
			left.cpu += last.cpu
			return !left.within(q.GPU.Deserved, q.CPU.Deserved) || !left.within(q.GPU.Limit, q.CPU.Limit)
		})
		if refused {
			return true
		}
	}
	return false
}

// takesLastBelowShare: KAI takes of a queue, in the order in which victims go, a piece that neither strategy lets it give:
// with those before it gone, it is no more above what it deserves, nor above its limit. What the actions before gave to a
// pod is such a piece, too.
func takesLastBelowShare(d *difference) bool {
	c := clone(&d.c)
	c.Actions = c.Actions[:len(c.Actions)-1]
	if answer(&c) != nil {
		return false
	}
	has, queues := booksOf(&d.c), map[string][]*cluster.Job{}
	taken := difference{c: d.c, kai: map[string]string{}}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		queues[j.Queue] = append(queues[j.Queue], j)
		for n := range j.Tasks {
			t := &j.Tasks[n]
			taken.kai[t.UID] = d.kai[t.UID]
			if !holds(c.Expected.Tasks[t.UID].Status) {
				continue
			}
			has.add(j, t)
			if !holds(d.kai[t.UID]) {
				taken.kai[t.UID] = "Releasing"
			}
		}
	}
	for queue, jobs := range queues {
		if slices.ContainsFunc(jobs, func(j *cluster.Job) bool { return losesByKAI(d, j) }) &&
			refusesPiece(&taken, *has.all[queue], has.queues[queue], jobs) {
			return true
		}
	}
	return false
}

// refusesPiece: before some piece, the queue has no more than it deserves or than its limit.
func refusesPiece(taken *difference, has amounts, q *cluster.Queue, jobs []*cluster.Job) bool {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *cluster.Job) bool {
		return !slices.ContainsFunc(j.Tasks, func(t cluster.Task) bool { return taken.kai[t.UID] == "Releasing" })
	})
	slices.SortStableFunc(jobs, func(a, b *cluster.Job) int {
		// What is above a minimum goes first.
		if above := keepsMinimum(taken, a); a.Priority == b.Priority && above != keepsMinimum(taken, b) {
			if above {
				return -1
			}
			return 1
		}
		return inOrder(b, a)
	})
	for _, j := range jobs {
		for _, piece := range piecesOf(taken, j) {
			if has.within(q.GPU.Deserved, q.CPU.Deserved) && has.within(q.GPU.Limit, q.CPU.Limit) {
				return true
			}
			has.gpu -= piece.gpu
			has.cpu -= piece.cpu
		}
	}
	return false
}

// piecesOf a job are what KAI evicts of it for good: pod by pod if it keeps its minimum, else all.
func piecesOf(d *difference, j *cluster.Job) []amounts {
	var pieces []amounts
	all := amounts{}
	for n := range j.Tasks {
		t := &j.Tasks[n]
		if d.kai[t.UID] != "Releasing" {
			continue
		}
		piece := amounts{}
		piece.add(t)
		pieces = append(pieces, piece)
		all.add(t)
	}
	if !keepsMinimum(d, j) {
		return []amounts{all}
	}
	return pieces
}

// keepsMinimum: by KAI the job has as many pods as it needs.
func keepsMinimum(d *difference, j *cluster.Job) bool {
	return hasMinimum(j, func(t cluster.Task) bool { return holds(d.kai[t.UID]) })
}

// rivals are the queues of both where their paths part.
func (b *books) rivals(taker, giver string) (a, g *cluster.Queue) {
	left, right := b.path(taker), b.path(giver)
	for i, k := len(left)-1, len(right)-1; i >= 0 && k >= 0; i, k = i-1, k-1 {
		a, g = left[i], right[k]
		if a != g {
			break
		}
	}
	return a, g
}
