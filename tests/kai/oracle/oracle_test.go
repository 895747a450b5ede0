package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"dray.dev/dray/tests/kai/cluster"
	"dray.dev/dray/tests/oracle/cases"
)

const (
	batch = 250
	// Failing cases that are made small and shown.
	shown = 8
)

// dray runs and evicts the same pods as KAI's own scheduler, but where a rule of explain says why not.
func TestAgainstKAI(t *testing.T) {
	compare(t, Generate, count(t))
}

// So it does with trees of subgroups, nodes that are not ready, fractions of GPUs, and three queues that take from each other.
func TestWiderAgainstKAI(t *testing.T) {
	compare(t, GenerateWider, count(t)/2)
}

func compare(t *testing.T, generate func(seed uint64) cluster.Case, total int) {
	t.Helper()
	seed := firstSeed(t)
	tally := map[string]int{}
	unexplained := 0
	for from := 0; from < total && (unexplained < shown || os.Getenv("DRAY_KAI_ALL") != ""); from += batch {
		var some []cluster.Case
		for i := from; i < min(from+batch, total); i++ {
			c := generate(seed + uint64(i))
			err := answer(&c)
			if errors.Is(err, errRestless) || errors.Is(err, cluster.ErrPanic) {
				tally["without an answer: "+err.Error()]++
				continue
			} else if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			tally[c.Suite]++
			some = append(some, c)
		}
		differences, err := ask(some)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			if why := explain(&d); why != "" {
				tally["explained: "+why]++
				if os.Getenv("DRAY_KAI_ALL") != "" {
					t.Logf("%s: explained: %s", d.c.ID, why)
				}
				continue
			}
			unexplained++
			if os.Getenv("DRAY_KAI_ALL") != "" {
				text, _ := json.Marshal(&d.c)
				t.Errorf("%s: %s\n%s\n  case: %s", d.c.ID, d.String(), tell(&d.c), text)
			} else if unexplained <= shown {
				show(t, d)
			}
		}
	}
	if unexplained > shown {
		t.Errorf("and %d more in the same batch", unexplained-shown)
	}
	for _, what := range sorted(tally) {
		t.Logf("%5d %s", tally[what], what)
	}
}

func sorted(tally map[string]int) []string {
	var names []string
	for name := range tally {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// show tells of a difference, and of it made smaller.
func show(t *testing.T, d difference) {
	t.Helper()
	t.Errorf("%s: %s", d.c.ID, d.String())
	small, err := cases.Shrink(d.c, smaller, func(candidates []cluster.Case) ([]bool, error) {
		failed := make([]bool, len(candidates))
		var some []cluster.Case
		place := map[string]int{}
		for i, c := range candidates {
			c.ID = fmt.Sprint(i)
			if answer(&c) == nil {
				place[c.ID] = i
				some = append(some, c)
			}
		}
		differences, err := ask(some)
		for i := range differences {
			found := &differences[i]
			failed[place[found.c.ID]] = explain(found) == "" && found.kind() == d.kind()
		}
		return failed, err
	})
	if err != nil {
		t.Error("making it smaller:", err)
	}
	if err := answer(&small); err != nil {
		t.Error("made smaller:", err)
		return
	}
	differences, err := ask([]cluster.Case{small})
	if err != nil || len(differences) != 1 {
		t.Errorf("made smaller it differs no more: %v", err)
		return
	}
	text, _ := json.Marshal(&small)
	t.Logf("made smaller: %s\n%s\n  case: %s", differences[0].String(), tell(&small), text)
}
