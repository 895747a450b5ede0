package oracle

import (
	"fmt"
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// Rules of room that a plan has made for a job, and that a later action of KAI's gives to another.

// turnsOver: both made room for a job that waits, with the actions up to some point; by all actions KAI lets it wait again.
func turnsOver(d *difference) bool { return len(turnedOver(d)) > 0 }

// turnedOver are the pods of such jobs.
func turnedOver(d *difference) []string {
	waits := map[string]bool{}
	for i := range d.c.Jobs {
		for _, t := range d.c.Jobs[i].Tasks {
			waits[t.UID] = t.Status == "Pending"
		}
	}
	var found []string
	for count := 1; count < len(d.c.Actions); count++ {
		c := clone(&d.c)
		c.Actions = c.Actions[:count]
		if answer(&c) != nil {
			return nil
		}
		for uid, state := range c.Expected.Tasks {
			if waits[uid] && state.Status == "Pipelined" && d.kai[uid] != "Pipelined" && d.dray[uid] == "Pipelined" {
				found = append(found, uid)
			}
		}
	}
	return found
}

// keepsPromise: were those pods there already, as jobs of their own that are first in their queue, and those gone who leave
// by both, KAI would give room to the same of the others as dray does.
func keepsPromise(d *difference) bool {
	kept := turnedOver(d)
	if len(kept) == 0 {
		return false
	}
	places, err := placesOf(d)
	if err != nil {
		return false
	}
	c := clone(&d.c)
	minute := -1.0
	var there []cluster.Job
	for i := range c.Jobs {
		j := &c.Jobs[i]
		for _, t := range j.Tasks {
			if !slices.Contains(kept, t.UID) {
				continue
			}
			own := *j
			t.Status, t.Node, t.SubGroup = "Running", places[t.UID], ""
			own.Name, own.Priority, own.LastStartMin, own.Tasks = t.UID, first, &minute, []cluster.Task{t}
			own.Gang = cluster.Gang{PodSets: []cluster.PodSet{{Name: "default", MinMember: 1}}}
			there = append(there, own)
		}
		j.Tasks = slices.DeleteFunc(j.Tasks, func(t cluster.Task) bool {
			return slices.Contains(kept, t.UID) || d.kai[t.UID] == "Releasing" && d.dray[t.UID] == "Releasing"
		})
	}
	c.Jobs = append(slices.DeleteFunc(c.Jobs, func(j cluster.Job) bool { return len(j.Tasks) == 0 }), there...)
	before := renumber(&c)
	if answer(&c) != nil {
		return false
	}
	for uid, state := range c.Expected.Tasks {
		if holds(state.Status) != holds(d.dray[before[uid]]) {
			return false
		}
	}
	return true
}

// renumber gives the tasks of each job the names that KAI's harness gives them, and says what they were called.
func renumber(c *cluster.Case) map[string]string {
	before := map[string]string{}
	for i := range c.Jobs {
		j := &c.Jobs[i]
		for n := range j.Tasks {
			uid := fmt.Sprintf("%s-%d", j.Name, n)
			before[uid] = j.Tasks[n].UID
			j.Tasks[n].UID, j.Tasks[n].Name = uid, uid
		}
	}
	return before
}

// first is above all priorities of generated jobs.
const first = 1000
