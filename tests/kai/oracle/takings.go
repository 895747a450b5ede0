package oracle

import (
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

// reclaimsLawfully: the last action is reclaim, and KAI's rules allow each of dray's, by what queues had before it or after
// what was reclaimed before.
func reclaimsLawfully(d *difference) bool {
	if d.c.Actions[len(d.c.Actions)-1] != "reclaim" {
		return false
	}
	takings, err := takingsOf(d)
	if err != nil || len(takings) == 0 {
		return false
	}
	may := func(some []cluster.Taking) bool {
		allowed, err := cluster.MayReclaim(&d.c, some)
		return err == nil && allowed
	}
	refused := func(t cluster.Taking) bool { return !may([]cluster.Taking{t}) }
	return !slices.ContainsFunc(takings, refused) || may(takings)
}

// takingsOf says who loses room by dray, and for whom, in the order in which it says so: those that are evicted by reclaim,
// and of what has just been given room, what has none any more.
func takingsOf(d *difference) ([]cluster.Taking, error) {
	places, err := placesOf(d)
	if err != nil {
		return nil, err
	}
	var takings []cluster.Taking
	take := func(taker string, tasks ...string) {
		at := slices.IndexFunc(takings, func(t cluster.Taking) bool { return t.Taker == taker })
		if at < 0 {
			at, takings = len(takings), append(takings, cluster.Taking{Taker: taker, Places: places})
		}
		takings[at].Victims = append(takings[at].Victims, tasks...)
	}
	said := reclaimed.FindAllStringSubmatch(d.said.Got, -1)
	for n, found := range said {
		for i := range d.c.Jobs {
			if j := &d.c.Jobs[i]; j.Name == found[1] {
				take(found[2], taken(d, j, said, n)...)
			}
		}
	}
	for _, found := range kept.FindAllStringSubmatch(d.said.Got, -1) {
		take(found[2], found[1])
	}
	if taker := onlyTaker(d); taker != "" {
		for _, uid := range trimmed(d) {
			take(taker, uid)
		}
	}
	return takings, nil
}

// taken are the pods that a job loses for the one that the n-th line names. Where several make it smaller, what it has above
// its minimum goes for the first, from the end, and the rest for the last.
func taken(d *difference, j *cluster.Job, said [][]string, n int) []string {
	var lost []string
	for _, t := range j.Tasks {
		waits := t.Status == "Pending" && holds(d.kai[t.UID]) && !holds(d.dray[t.UID])
		if waits || d.dray[t.UID] == "Releasing" {
			lost = append(lost, t.UID)
		}
	}
	of := func(line []string) bool { return line[1] == j.Name }
	before, after := slices.ContainsFunc(said[:n], of), slices.ContainsFunc(said[n+1:], of)
	minimum := 0
	for _, set := range j.Gang.Sets() {
		minimum += int(set.MinMember)
	}
	minimum = min(minimum, len(lost))
	switch {
	case before && after:
		return nil
	case before:
		return lost[:minimum]
	case after:
		return lost[minimum:]
	}
	return lost
}

// trimmed are the pods that have been given room and have none any more, while others of their job start: dray does not say
// then who has it.
func trimmed(d *difference) []string {
	back := func(t cluster.Task) bool { return d.kai[t.UID] == "Binding" && d.dray[t.UID] == "Pending" }
	starts := func(t cluster.Task) bool { return t.Status == "Pending" && d.dray[t.UID] == "Binding" }
	var found []string
	for i := range d.c.Jobs {
		if !slices.ContainsFunc(d.c.Jobs[i].Tasks, starts) {
			continue
		}
		for _, t := range d.c.Jobs[i].Tasks {
			if t.Status == "Pending" && back(t) {
				found = append(found, t.UID)
			}
		}
	}
	return found
}

// onlyTaker is the job for which dray reclaims, or, where it evicts nobody for that, which starts and would wait by KAI;
// empty if it is none, or several.
func onlyTaker(d *difference) string {
	taker := ""
	for _, found := range reclaimed.FindAllStringSubmatch(d.said.Got, -1) {
		if taker != "" && taker != found[2] {
			return ""
		}
		taker = found[2]
	}
	if taker != "" {
		return taker
	}
	for i := range d.c.Jobs {
		j := &d.c.Jobs[i]
		starts := func(t cluster.Task) bool { return served(d.kai[t.UID], d.dray[t.UID]) && d.dray[t.UID] == "Binding" }
		if !slices.ContainsFunc(j.Tasks, starts) {
			continue
		}
		if taker != "" {
			return ""
		}
		taker = j.Name
	}
	return taker
}
