package oracle

import (
	"strings"
	"testing"

	"dray.dev/dray/tests/kai/cluster"
)

// foundBefore are seeds on which the planner was wrong, or a rule was missing: what it decides now, and by which rule.
var foundBefore = []struct {
	seed uint64
	rule string // how it begins; empty: dray decides as KAI
}{
	{3100126, "where is not compared: what both give room to has it on other nodes"},
	{3100727, ""},
	{3600986, "on purpose: a department's turn is that of its next queue"},
	{3601682, "on purpose: whom a plan has moved, and for whom it made room, it does not evict for a later job"},
	{3701359, "on purpose: room that was made for a job is held for it"},
	{840156, "on purpose: what has just been given room, and runs nowhere yet"},
	{841018, ""},
	{558072, "in the end as many run"},
	{558658, "the same"},
	{3200526, "on purpose: what one job of a queue may reclaim goes to no other that may not"},
}

func TestFoundBefore(t *testing.T) {
	for _, f := range foundBefore {
		c := Generate(f.seed)
		if err := answer(&c); err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		differences, err := ask([]cluster.Case{c})
		if err != nil {
			t.Fatal(err)
		}
		if len(differences) == 0 {
			if f.rule != "" {
				t.Errorf("%s: dray decides as KAI, and not so: %s", c.ID, f.rule)
			}
			continue
		}
		if why := explain(&differences[0]); f.rule == "" || !strings.HasPrefix(why, f.rule) {
			t.Errorf("%s: %s\nexplained by %q, and not by %q", c.ID, differences[0].String(), why, f.rule)
		}
	}
}
