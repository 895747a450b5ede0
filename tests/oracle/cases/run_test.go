package cases

import (
	"reflect"
	"testing"
)

func TestOutputIsReadWithTextsOfSeveralLines(t *testing.T) {
	result, err := parse("FAIL a1  1 +\n2\n  got:  ERROR: <input>:1:2\n | 1 +\n  want: 3\n" +
		"FAIL b\n  got:  x\n  want: y\n | z\nskipped 2: protocol buffer messages\n7 passed, 2 failed, 2 skipped\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Result{7, 2, 2, []Failure{{"a1", "ERROR: <input>:1:2\n | 1 +", "3"}, {"b", "x", "y\n | z"}}}
	if !reflect.DeepEqual(result, want) {
		t.Errorf("got %+v, want %+v", result, want)
	}
}

func TestOutputWithoutCountsIsAnError(t *testing.T) {
	if _, err := parse("terminate called\n"); err == nil {
		t.Error("no error")
	}
	if _, err := parse("1 passed, 1 failed, 0 skipped\n"); err == nil {
		t.Error("no error for a failure that is not shown")
	}
}

func TestShrinkTakesTheSimplestThatFails(t *testing.T) {
	smaller := func(n int) []int { return []int{n / 2, n - 1} }
	fails := func(all []int) ([]bool, error) {
		verdicts := make([]bool, len(all))
		for i, n := range all {
			verdicts[i] = n >= 13
		}
		return verdicts, nil
	}
	if got, err := Shrink(1000, smaller, fails); got != 13 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}
