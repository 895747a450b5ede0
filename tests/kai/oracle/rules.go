package oracle

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// explain names the rule by which dray decides otherwise than this version of KAI; empty if none does. Whatever the rule,
// what dray starts has to be within the limits and quotas of queues, and no session leaves a job with a part of its minimum.
func explain(d *difference) string {
	if !lawful(d) {
		return ""
	}
	if d.c.Suite == "cycle" {
		return explainCycle(d)
	}
	if halved(d) {
		return ""
	}
	if first := firstAction(d); first != nil {
		return explain(first)
	}
	if name := ruleOf(d); name != "" {
		return name
	}
	if movesForOthers(d) {
		return "bound: who has to move is placed after the job or before it; where that finds no moves, others move for those " +
			"that come next, as by KAI if the first were not there"
	}
	if countsUnready(d) {
		return "on purpose: what runs on a node that is not ready counts in what there is, as its queue holds it; if KAI " +
			"counted that, it would say the same as dray, or otherwise by a rule"
	}
	return explainAnother(d)
}

// ruleOf is the name of the first rule that holds; empty if none does.
func ruleOf(d *difference) string {
	for _, r := range rules {
		if r.holds(d) {
			return r.name
		}
	}
	return ""
}

// explainAnother asks KAI again, where it does not always say the same: how dray decides otherwise than another of its
// answers is explained then.
func explainAnother(d *difference) string {
	for range 10 {
		c := clone(&d.c)
		if answer(&c) != nil {
			return ""
		}
		another := difference{c: c, whole: d.whole, kai: map[string]string{}, dray: d.dray, said: d.said}
		for uid, state := range c.Expected.Tasks {
			another.kai[uid] = state.Status
		}
		if len(another.tasks()) == 0 || maps.Equal(another.kai, d.kai) {
			continue
		}
		if name := ruleOf(&another); name != "" {
			return "KAI decides by the order of Go's maps: asked again it says something else: " + name
		}
	}
	return ""
}

// rule is one reason for differences in a session, with the exact condition under which it is one.
type rule struct {
	name  string
	holds func(*difference) bool
}

const held = "on purpose: room that was made for a job is held for it, so that nobody else starts there: each session of " +
	"KAI's course is decided alike"

var rules = []rule{
	{"other pods of the same job, that ask for the same", func(d *difference) bool {
		return alike(d)
	}},
	{"the same pods get their room, and fewer are evicted or moved for it", func(d *difference) bool {
		return d.all(spared)
	}},
	{"the same evictions; who moves, and what is left of their room, is settled a session earlier or later: in the end no fewer run", func(d *difference) bool {
		return d.all(spared, promised, moved) && noFewer(d)
	}},
	{"more pods get room by moves alone: nobody is evicted for it", func(d *difference) bool {
		return d.all(spared, moved, served)
	}},
	{"a job that others leave for grows in a later session (RoomFreed)", func(d *difference) bool {
		return growsLater(d)
	}},
	{"what an eviction leaves is promised at once to the next in order, so that a victim of a later one finds no other place", func(d *difference) bool {
		return d.any(served) && (d.all(spared, promised, lost) || d.all(spared, promised, lost, evicted) && evictedWithGang(d))
	}},
	{"a gang of which one pod waits for room waits as a whole", func(d *difference) bool {
		return waitsWhole(d)
	}},
	{"bound: victims are looked for where the job could go; what the plan has just placed elsewhere keeps its room, which a " +
		"victim could move to. As many have room", func(d *difference) bool {
		return d.all(spared, promised, lost, evicted, started) && d.any(lost) && d.any(started) && asMany(d)
	}},
	{"on purpose: a job for which a plan has made room keeps that, whoever comes later: what its evictions are " +
		"for holds. The next plan may, and in the end no fewer run", func(d *difference) bool {
		return d.all(spared, promised, lost, moved, evicted, started) && turnsOver(d) && noFewer(d)
	}},
	{"where is not compared: a job that has its minimum got it in another domain, in which less of it fits; as many have room", func(d *difference) bool {
		return d.all(spared, promised, served) && asMany(d) && fullDomain(d)
	}},
	{"where is not compared: what both give room to has it on other nodes; where dray has it, KAI decides the rest alike", func(d *difference) bool {
		return elsewhere(d)
	}},
	{"bound: who has to move is placed after the job or before it, and in no other order: a move that is not found evicts " +
		"nobody, and an order more is as many placements more a scenario", func(d *difference) bool {
		return d.all(spared, promised) && findsOtherMoves(d)
	}},
	{"on purpose: a queue gets back what KAI's own rules let it take; KAI's simulation, which serves queues in the order of " +
		"their first jobs, lets the victims go first", func(d *difference) bool {
		return reclaimsLawfully(d)
	}},
	{"KAI decides by the order of Go's maps: asked again it says the same as dray", func(d *difference) bool {
		return saidOnce(d)
	}},
	{"version: newer KAI takes no pod of a queue that is below its deserved share (rules_reclaim.jsonl, FilterVictim)", func(d *difference) bool {
		return takesProtected(d)
	}},
	{"version: newer KAI judges what is taken of a queue piece by piece, and not by what it had before the first", func(d *difference) bool {
		return takesBelowShare(d)
	}},
	{"on purpose: no queue is promised more than its limit; KAI's simulation goes beyond it", func(d *difference) bool {
		return overLimit(d)
	}},
	{"on purpose: nobody is moved for a job above its queue's share while another queue waits for what it is owed", func(d *difference) bool {
		return movesForTheSated(d)
	}},
	{"on purpose: the jobs of a queue have their room in the order in which they are served, whoever had it before", func(d *difference) bool {
		return servedInOrder(d) || movedInOrder(d)
	}},
	{"on purpose: what an eviction leaves goes to a queue that is owed it before one that has more than it deserves", func(d *difference) bool {
		return leftToTheOwed(d)
	}},
	{"on purpose: of victims of one priority those go that are on the node where fewest have to, whoever runs for longer; they " +
		"are no more than KAI's, or in the end no fewer run", func(d *difference) bool {
		return otherVictim(d) && (asMany(d) || noFewer(d))
	}},
	{"on purpose: of victims of one priority those go on that can where they are, before those that would have to move; fewer " +
		"are evicted or moved in all", func(d *difference) bool {
		return otherVictim(d) && d.any(lost) && d.all(stays, evicted, lost) && disturbsFewer(d)
	}},
	{"on purpose: what has just been given room, and runs nowhere yet, loses it to a higher priority of its queue before anybody " +
		"who runs is evicted for that one; as many have room", func(d *difference) bool {
		return takenBack(d) && asMany(d)
	}},
	{"on purpose: what one job of a queue may reclaim goes to no other that may not; KAI preempts the first and has the second " +
		"take it", func(d *difference) bool {
		return reclaimedByProxy(d)
	}},
	{"on purpose: room that others leave for a job is given to nobody else in the same plan", func(d *difference) bool {
		return keptForOther(d)
	}},
	{"KAI's queues are out of order once a job was served: put in order anew for each job, it allocates as dray does", func(d *difference) bool {
		return allocatesAnew(d)
	}},
	{"where is not compared: if the nodes had each other's names, KAI would say the same as dray", func(d *difference) bool {
		return renamed(d)
	}},
	{"KAI's answer cannot be carried out: it has room for more on a node than that has", func(d *difference) bool {
		return overcommits(d)
	}},
	{"KAI's answer cannot be carried out: a pod goes on, and on another node than it runs on", func(d *difference) bool {
		return strays(d)
	}},
	{"on purpose: pods of a job that grows stay in the domain that it requires; KAI looks only for the new ones", func(d *difference) bool {
		return leavesDomain(d)
	}},
	{"on purpose: what a queue's own evictions leave stays with it, and others make room among themselves", func(d *difference) bool {
		return staysOwn(d)
	}},
	{"no queue is worse off: priority by priority no fewer of those that ran go on, and those that wait have room in their order", func(d *difference) bool {
		return noWorse(d) && asMany(d)
	}},
	{"KAI's own rules know several ends: where dray's decision leads, none of KAI's actions does anything; no fewer pods and " +
		"GPUs have room, no more of those that ran lost it, and in each queue that has more the order is kept", func(d *difference) bool {
		return restsAsWell(d)
	}},
	{"on purpose: others move for jobs in KAI's own order, and for the first for which there is room by moves", func(d *difference) bool {
		return movesForFirst(d)
	}},
	{"on purpose: a job for which a plan has made room keeps that, whoever comes later; with it there, KAI decides the rest alike", func(d *difference) bool {
		return keepsPromise(d)
	}},
	{"bound: what a plan has just made room for is not moved by the same plan for another job, but by the next: the cluster comes " +
		"to rest with those that have room in this session of KAI's, and nobody else", func(d *difference) bool {
		return d.all(spared, promised) && comesToIt(d)
	}},
	{"on purpose: what has just been given room, and runs nowhere yet, loses it to a higher priority of its queue before anybody " +
		"who runs is evicted for that one; fewer of those that run are disturbed", func(d *difference) bool {
		return takenBack(d) && disturbsNoMore(d)
	}},
}

// all: each task that differs does so in one of these ways.
func (d *difference) all(ways ...func(kai, dray string) bool) bool {
	return !slices.ContainsFunc(d.tasks(), func(uid string) bool {
		return !slices.ContainsFunc(ways, func(way func(kai, dray string) bool) bool { return way(d.kai[uid], d.dray[uid]) })
	})
}

// any: some task differs in this way.
func (d *difference) any(way func(kai, dray string) bool) bool {
	return slices.ContainsFunc(d.tasks(), func(uid string) bool { return way(d.kai[uid], d.dray[uid]) })
}

// alike: of each set of a job's pods that ask for the same, as many have each status.
func alike(d *difference) bool {
	for i := range d.c.Jobs {
		count := map[string]int{}
		for n := range d.c.Jobs[i].Tasks {
			t := &d.c.Jobs[i].Tasks[n]
			like := fmt.Sprint(t.SubGroup, t.Requests, t.GPU, " ")
			count[like+d.kai[t.UID]]++
			count[like+d.dray[t.UID]]--
		}
		for _, left := range count {
			if left != 0 {
				return false
			}
		}
	}
	return true
}

// spared: KAI evicts or moves a pod that dray leaves where it is, or starts, or only moves.
func spared(kai, dray string) bool {
	return (kai == "Releasing" || kai == "Pipelined") && (dray == "Running" || dray == "Binding") ||
		kai == "Releasing" && dray == "Pipelined"
}

// promised: one of both lets a pod wait that the other has room for once others are gone.
func promised(kai, dray string) bool {
	return kai == "Pending" && dray == "Pipelined" || kai == "Pipelined" && dray == "Pending"
}

// lost: dray evicts a pod that KAI moves.
func lost(kai, dray string) bool { return kai == "Pipelined" && dray == "Releasing" }

// evicted: dray evicts a pod that KAI leaves where it is.
func evicted(kai, dray string) bool { return kai == "Running" && dray == "Releasing" }

// started: dray starts a pod that waits by KAI.
func started(kai, dray string) bool { return kai == "Pending" && dray == "Binding" }

// withdrawn: KAI starts a pod that waits by dray.
func withdrawn(kai, dray string) bool { return kai == "Binding" && dray == "Pending" }

// moved: dray moves a pod that KAI leaves where it is.
func moved(kai, dray string) bool { return kai == "Running" && dray == "Pipelined" }

// served: dray has room for a pod that waits by KAI.
func served(kai, dray string) bool {
	return kai == "Pending" && (dray == "Pipelined" || dray == "Binding") || kai == "Pipelined" && dray == "Binding"
}

// firstAction is the difference that there is already without the last actions; what they do then follows from it.
func firstAction(d *difference) *difference {
	for count := 1; count < len(d.c.Actions); count++ {
		c := clone(&d.c)
		c.Actions = c.Actions[:count]
		if answer(&c) != nil {
			return nil
		}
		differences, err := ask([]cluster.Case{c})
		if err != nil {
			return nil
		}
		if len(differences) > 0 {
			differences[0].whole = d.c.Actions
			return &differences[0]
		}
	}
	return nil
}

var (
	preempted = regexp.MustCompile(`Preemption: (\S+) of queue \S+ makes room for (\S+) of queue`)
	reclaimed = regexp.MustCompile(`Reclaim: (\S+) of queue \S+ makes room for (\S+) of queue`)
	freed     = regexp.MustCompile(`(\S+) Pending \(RoomFreed: `)
	kept      = regexp.MustCompile(`(\S+) Pending \((?:RoomKept|OverFairShare): its room goes to (\S+)\)`)
)

// growsLater: KAI has room for more pods of a job that dray makes room for in this very session.
func growsLater(d *difference) bool {
	for _, found := range freed.FindAllStringSubmatch(d.said.Got, -1) {
		if d.kai[found[1]] == "Pipelined" {
			return true
		}
	}
	return false
}

// waitsWhole: KAI starts pods of a job that dray lets wait for the room of the others.
func waitsWhole(d *difference) bool {
	waits := func(kai, dray string) bool { return kai == "Binding" && dray == "Pipelined" }
	for i := range d.c.Jobs {
		promised, later := false, false
		for _, t := range d.c.Jobs[i].Tasks {
			promised = promised || d.kai[t.UID] == "Pipelined"
			later = later || waits(d.kai[t.UID], d.dray[t.UID])
		}
		if later && !promised {
			return false
		}
	}
	return d.all(spared, promised, waits) && d.any(waits)
}

// asMany: no fewer pods have room by dray.
func asMany(d *difference) bool {
	more := 0
	for _, uid := range d.tasks() {
		if holds(d.dray[uid]) {
			more++
		}
		if holds(d.kai[uid]) {
			more--
		}
	}
	return more >= 0
}

// starts: a pod runs that waits by KAI.
func starts(kai, dray string) bool { return kai == "Pending" && dray == "Running" }

// explainCycle looks for the first session on KAI's way that dray decides otherwise: that one has to be explained.
func explainCycle(d *difference) string {
	// The room of who moves may go to somebody more important in a later session, and what is left of its gang is then for
	// the action that ends stale gangs; each session leaves none behind.
	whole := !halved(d)
	if whole && d.all(starts) {
		return "in the end more run, within limits and quotas"
	}
	if whole && servedInOrder(d) && asMany(d) {
		return "in the end as many run, and in the one queue that differs those that are served first"
	}
	if whole && noWorse(d) && asMany(d) {
		return "in the end as many run, and in no queue worse ones"
	}
	at := clone(&d.c)
	var sessions []cluster.Case
	for range rounds {
		one := clone(&at)
		one.Suite, one.Rounds.UntilMatch = "action", 1
		// KAI's answer of all sessions was another; what it said before it panics is still its course.
		if answer(&one) != nil {
			break
		}
		sessions = append(sessions, one)
		if _, err := cluster.Cycle(&at, 1); err != nil {
			break
		}
	}
	for i := range sessions {
		differences, err := ask(sessions[i : i+1])
		if err != nil {
			return ""
		}
		if len(differences) > 0 {
			return explain(&differences[0])
		}
	}
	return held
}
