package apimodel

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestReferencesStandForEachSidesOwn(t *testing.T) {
	n := newNames()
	for _, version := range []string{"3", "5"} {
		model := m{"metadata": m{"uid": "u" + version, "resourceVersion": version}}
		real := m{"metadata": m{"uid": "r" + version, "resourceVersion": version + "00"}}
		n.saw("Pod/p0", model, real, json.RawMessage(`{"is":`+version+`}`))
		n.saw("Pod/p0", model, real, nil) // nothing has changed
	}
	op := Op{"uid": "$uid:Pod/p0", "before": "$uid-1:Pod/p0", "expected": "$rv:Pod/p0", "stale": "$rv-1:Pod/p0",
		"older": "$rv-2:Pod/p0", "other": "$uid:Pod/p1"}
	model, real, err := n.resolve(op)
	if err != nil {
		t.Fatal(err)
	}
	for side, want := range map[string]string{
		string(model): `{"before":"u3","expected":"5","older":"1","other":"` + noUID + `","stale":"3","uid":"u5"}`,
		string(real):  `{"before":"r3","expected":"500","older":"1","other":"` + noUID + `","stale":"300","uid":"r5"}`,
	} {
		if side != want {
			t.Errorf("%s, want %s", side, want)
		}
	}
	if body := n.body("Pod/p0", 1); string(body) != `{"is":3}` {
		t.Errorf("the version before is %s", body)
	}
	if body := n.body("Pod/p0", 2); body != nil {
		t.Errorf("a version that never was: %s", body)
	}
}

func TestDifferences(t *testing.T) {
	for _, row := range []struct{ name, model, real, want string }{
		{"the same", `{"a":[1,"x"],"b":true}`, `{"a":[1,"x"],"b":true}`, ""},
		{"uids and versions stand for each other", `{"uid":"u","resourceVersion":"3"}`, `{"uid":"r","resourceVersion":"900"}`, ""},
		{"one uid for two", `[{"uid":"u"},{"uid":"u"}]`, `[{"uid":"r"},{"uid":"s"}]`, "o.list[1].uid"},
		{"two uids for one", `[{"uid":"u"},{"uid":"v"}]`, `[{"uid":"r"},{"uid":"r"}]`, "o.list[1].uid"},
		{"a version that moved", `[{"resourceVersion":"3"},{"resourceVersion":"3"}]`,
			`[{"resourceVersion":"8"},{"resourceVersion":"9"}]`, "o.list[1].resourceVersion"},
		{"a mark that is a version", `{"annotations":{"dray.dev/undone":"3"},"resourceVersion":"4"}`,
			`{"annotations":{"dray.dev/undone":"8"},"resourceVersion":"9"}`, ""},
		{"times a moment apart", `{"creationTimestamp":"2026-01-02T03:04:05Z"}`, `{"creationTimestamp":"2026-01-02T03:04:07Z"}`, ""},
		{"times a grace period apart", `{"deletionTimestamp":"2026-01-02T03:04:05Z"}`,
			`{"deletionTimestamp":"2026-01-02T03:04:35Z"}`, "o.list.deletionTimestamp"},
		{"a field more", `{"a":1}`, `{"a":1,"b":2}`, "o.list.b"},
		{"a field less", `{"a":1,"b":2}`, `{"a":1}`, "o.list.b"},
		{"a shorter list", `{"a":[1,2]}`, `{"a":[1]}`, "o.list.a"},
		{"another text", `{"a":"x"}`, `{"a":"y"}`, "o.list.a"},
		{"another type", `{"a":"1"}`, `{"a":1}`, "o.list.a"},
	} {
		found := newNames().difference("o", parse(t, `{"list":`+row.model+`}`), parse(t, `{"list":`+row.real+`}`))
		if place, _, _ := strings.Cut(found, ":"); place != row.want {
			t.Errorf("%s: %q, want %q", row.name, found, row.want)
		}
	}
}

func TestCommitsHaveOneOrder(t *testing.T) {
	n := newNames()
	n.sameVersion("3", "30")
	n.sameVersion("10", "45")
	n.sameVersion("4", "44")
	if found := n.orderDifference(); found != "" {
		t.Error(found)
	}
	n.sameVersion("5", "43")
	if n.orderDifference() == "" {
		t.Error("another order is not seen")
	}
}

func TestEventsAreComparedOneByOne(t *testing.T) {
	one := told{"ADDED", m{"metadata": m{"name": "a"}}}
	other := told{"MODIFIED", m{"metadata": m{"name": "a"}}}
	n := newNames()
	for _, row := range []struct {
		model, real []told
		same        bool
	}{
		{[]told{one, other}, []told{one, other}, true},
		{[]told{one}, []told{one, other}, false},
		{[]told{one, other}, []told{one}, false},
		{[]told{one}, []told{other}, false},
		{[]told{one}, []told{{"ADDED", m{"metadata": m{"name": "b"}}}}, false},
	} {
		if found := n.eventDifference("Pod", row.model, row.real); (found == "") != row.same {
			t.Errorf("%v, %v: %q", row.model, row.real, found)
		}
	}
}

func TestShrinkKeepsWhatMatters(t *testing.T) {
	var ops []Op
	for i := range 40 {
		ops = append(ops, Op{"n": i})
	}
	tries := 0
	short := Shrink(ops, func(rest []Op) bool {
		tries++
		has := func(n int) bool { return slices.ContainsFunc(rest, func(op Op) bool { return op["n"] == n }) }
		return has(3) && has(17) && has(39)
	})
	if want := []Op{{"n": 3}, {"n": 17}, {"n": 39}}; !reflect.DeepEqual(short, want) || tries > 100 {
		t.Errorf("%v in %d tries", short, tries)
	}
	if got := Shrink(ops, func([]Op) bool { return false }); len(got) != len(ops) {
		t.Error("something is left out though it matters")
	}
}

func TestASeedMakesTheSameOperations(t *testing.T) {
	if !reflect.DeepEqual(Generate(7, 300), Generate(7, 300)) {
		t.Error("two runs differ")
	}
	if reflect.DeepEqual(Generate(7, 300), Generate(8, 300)) {
		t.Error("two seeds do not")
	}
}
