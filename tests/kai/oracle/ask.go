package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"dray.dev/dray/tests/kai/cluster"
	"dray.dev/dray/tests/oracle/cases"
)

// Rounds after which a cluster that is left alone has to be at rest.
const rounds = 8

// answer has KAI say what becomes of the case: that is expected of dray.
func answer(c *cluster.Case) error {
	if c.Suite == "action" {
		states, err := cluster.Session(c)
		c.Rounds = cluster.Rounds{UntilMatch: 1}
		c.Expected = statuses(states)
		settle(c, c.Expected)
		return err
	}
	copied := clone(c)
	all, err := cluster.Cycle(&copied, rounds)
	if err != nil {
		return err
	}
	if !maps.Equal(all[rounds-1], all[rounds-2]) {
		return errRestless
	}
	c.Rounds = cluster.Rounds{UntilMatch: rounds}
	c.Expected = statuses(all[rounds-1])
	return nil
}

// settle: what KAI starts and takes back in the same session waits; dray decides both before it starts any.
func settle(c *cluster.Case, said cluster.Expected) {
	for i := range c.Jobs {
		for _, t := range c.Jobs[i].Tasks {
			if t.Status == "Pending" && said.Tasks[t.UID].Status == "Releasing" {
				said.Tasks[t.UID] = cluster.State{Status: "Pending"}
			}
		}
	}
}

// errRestless: KAI itself evicts and starts the same pods again and again.
var errRestless = fmt.Errorf("KAI comes to no rest in %d rounds", rounds)

// statuses leaves the nodes away: who runs and who is evicted is compared, not where.
func statuses(states cluster.States) cluster.Expected {
	made := cluster.Expected{Tasks: map[string]cluster.State{}}
	for uid, state := range states {
		made.Tasks[uid] = cluster.State{Status: state.Status}
	}
	return made
}

func clone(c *cluster.Case) cluster.Case {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	var made cluster.Case
	if err := json.Unmarshal(text, &made); err != nil {
		panic(err)
	}
	return made
}

// difference is what dray decides otherwise: statuses of tasks by both.
type difference struct {
	c         cluster.Case
	whole     []string // all actions, where the case has those up to the first that both decide otherwise
	kai, dray map[string]string
	said      cases.Failure
}

// tasks that have another status.
func (d *difference) tasks() []string {
	var found []string
	for uid, status := range d.kai {
		if d.dray[uid] != status {
			found = append(found, uid)
		}
	}
	slices.Sort(found)
	return found
}

// kind is what differs, whichever tasks it is of.
func (d *difference) kind() string {
	var kinds []string
	for _, uid := range d.tasks() {
		kinds = append(kinds, d.kai[uid]+" became "+d.dray[uid])
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

func (d *difference) String() string {
	var lines []string
	for _, uid := range d.tasks() {
		lines = append(lines, fmt.Sprintf("%s: KAI %s, dray %s", uid, d.kai[uid], d.dray[uid]))
	}
	return strings.Join(lines, "; ") + "\n  dray said: " + d.said.Got
}

// ask has dray decide cases that KAI has answered, and returns where it decides otherwise.
func ask(all []cluster.Case) ([]difference, error) {
	if len(all) == 0 {
		return nil, nil
	}
	lines, err := linesOf(all)
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i := range all {
		place[all[i].ID] = i
	}
	result, err := cases.Run("kai", lines)
	if err != nil {
		return nil, err
	}
	if result.Skipped > 0 {
		return nil, fmt.Errorf("dray_cases skipped %d of %d", result.Skipped, len(all))
	}
	var differences []difference
	for _, failure := range result.Failures {
		d := difference{c: all[place[failure.ID]], kai: map[string]string{}, dray: map[string]string{}, said: failure}
		for uid, state := range d.c.Expected.Tasks {
			d.kai[uid], d.dray[uid] = state.Status, state.Status
		}
		for _, wanted := range strings.Split(failure.Want, ", ") {
			uid, _, found := strings.Cut(wanted, " ")
			if !found {
				continue
			}
			got := regexp.MustCompile(`(?:^round \d+: |, )` + regexp.QuoteMeta(uid) + ` (\w+)`).FindStringSubmatch(failure.Got)
			if got == nil {
				return nil, fmt.Errorf("%s: dray does not say what became of %s: %s", failure.ID, uid, failure.Got)
			}
			d.dray[uid] = got[1]
		}
		if len(d.tasks()) == 0 {
			return nil, fmt.Errorf("%s: not the status of any task: %+v", failure.ID, failure)
		}
		differences = append(differences, d)
	}
	return differences, nil
}

// linesOf are the cases as dray_cases reads them.
func linesOf(all []cluster.Case) ([]cases.Case, error) {
	lines := make([]cases.Case, len(all))
	for i := range all {
		text, err := json.Marshal(&all[i])
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &lines[i]); err != nil {
			return nil, err
		}
	}
	return lines, nil
}
