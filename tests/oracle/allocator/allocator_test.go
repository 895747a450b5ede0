package allocator

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"dray.dev/dray/tests/oracle/cases"
)

const (
	suite = "allocator"
	batch = 2000
	// Failing cases that are made small and shown.
	shown = 3
	// What making one of them smaller gets: upstream's search may find no end in any of hundreds of candidates.
	shrinking = 2 * time.Minute
)

// dray in mode first-fit answers as Kubernetes' structured allocator: same devices, shares, configuration and node
// selectors, same errors to the letter.
func TestAgainstUpstream(t *testing.T) {
	count, seed := cases.Count(t, 1_000, 100_000), cases.Seed(t)
	kinds := map[string]int{}
	answered, differing := 0, 0
	for from := 0; from < count && differing < shown; from += batch {
		var some []Case
		for i := from; i < min(from+batch, count); i++ {
			c := Generate(seed + uint64(i))
			if err := c.answer(t.Context()); errors.Is(err, errNoAnswer) {
				kinds["no answer in time"]++
				continue
			} else if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			kinds[c.Oracle.Nodes[0].kind()]++
			some = append(some, c)
		}
		answered += len(some)
		for _, failure := range differences(t, some) {
			differing++
			failing := some[slices.IndexFunc(some, func(c Case) bool { return c.ID == failure.ID })]
			show(t, failing, failure)
		}
	}
	t.Logf("%d cases: %v", count, kinds)
	if answered < count*9/10 && differing == 0 {
		t.Errorf("upstream answered only %d of %d cases", answered, count)
	}
}

// differences are at most `shown` cases in which dray says something else, and what it says.
func differences(t *testing.T, some []Case) []cases.Failure {
	t.Helper()
	result, err := run(some)
	if err != nil {
		t.Fatal(err)
	}
	if result.Failed > shown {
		t.Errorf("%d differences in one batch, of which %d are shown", result.Failed, shown)
	}
	return result.Failures[:min(shown, len(result.Failures))]
}

func show(t *testing.T, failing Case, said cases.Failure) {
	t.Helper()
	t.Errorf("%s\n  dray:     %s\n  upstream: %s", failing.ID, said.Got, said.Want)
	until := time.Now().Add(shrinking)
	small, err := cases.Shrink(failing, smaller, func(candidates []Case) ([]bool, error) {
		failed := make([]bool, len(candidates))
		var some []Case
		place := map[string]int{}
		for i, c := range candidates {
			c.ID = number(i)
			if time.Now().Before(until) && c.answer(t.Context()) == nil {
				place[c.ID] = i
				some = append(some, c)
			}
		}
		result, err := run(some)
		for _, failure := range result.Failures {
			failed[place[failure.ID]] = true
		}
		return failed, err
	})
	if err != nil {
		t.Error("making it smaller:", err)
	}
	if err := small.answer(t.Context()); err != nil {
		t.Errorf("%s: made smaller, %v", failing.ID, err)
		return
	}
	text, err := json.Marshal(&small)
	if err != nil {
		t.Fatal(err)
	}
	result, err := run([]Case{small})
	if err != nil || len(result.Failures) != 1 {
		t.Fatalf("%s: differs no more: %v", failing.ID, err)
	}
	t.Logf("%s made smaller\n  dray:     %s\n  upstream: %s\n  case: %s", failing.ID, result.Failures[0].Got,
		result.Failures[0].Want, text)
}

func run(some []Case) (cases.Result, error) {
	if len(some) == 0 {
		return cases.Result{}, nil
	}
	lines := make([]cases.Case, len(some))
	for i := range some {
		text, err := json.Marshal(&some[i])
		if err != nil {
			return cases.Result{}, err
		}
		if err := json.Unmarshal(text, &lines[i]); err != nil {
			return cases.Result{}, err
		}
	}
	return cases.Run(suite, lines)
}

// The generator reaches every outcome and repeats itself.
func TestGenerate(t *testing.T) {
	first, err := json.Marshal(Generate(7))
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(Generate(7))
	if err != nil || string(first) != string(second) {
		t.Errorf("two cases of one seed differ: %s, %s", first, second)
	}
	seen := map[string]int{}
	const tried = 500
	for s := range uint64(tried) {
		c := Generate(s)
		if c.answer(t.Context()) == nil {
			seen[c.Oracle.Nodes[0].kind()]++
		}
	}
	for _, want := range []string{"allocated", "does not fit", "fatal error", "node error"} {
		if seen[want] == 0 {
			t.Errorf("no case ends as %q", want)
		}
	}
	if seen["allocated"] < tried/6 {
		t.Errorf("of %d cases only %d are allocated", tried, seen["allocated"])
	}
}

// Making a case smaller keeps what makes it fail, and little else.
func TestSmaller(t *testing.T) {
	big := Generate(7)
	big.Claims, big.Slices = big.Claims[:1], big.Slices[:2]
	small, err := cases.Shrink(big, smaller, func(candidates []Case) ([]bool, error) {
		failed := make([]bool, len(candidates))
		for i, c := range candidates {
			failed[i] = len(c.Slices) > 0 && len(c.Slices[0].Spec.Devices) > 0
		}
		return failed, nil
	})
	if err != nil || len(small.Slices) != 1 || len(small.Slices[0].Spec.Devices) != 1 || len(small.Claims) != 1 {
		text, _ := json.Marshal(small.Slices)
		t.Errorf("left: %d claims, slices %s, %v", len(small.Claims), text, err)
	}
}
