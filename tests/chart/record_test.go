package chart

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// rulesOf are those of a ClusterRole that kustomize builds of the folder; no other may have one where alone is set.
func rulesOf(t *testing.T, dir, role string, alone bool) []any {
	t.Helper()
	built, err := Build(filepath.Join(repository, dir))
	if err != nil {
		t.Fatal(err)
	}
	var rules []any
	for _, o := range built {
		switch {
		case o.Key() == "ClusterRole /"+role:
			rules = field(t, o, "rules").([]any)
		case alone && strings.HasSuffix(o["kind"].(string), "Role"):
			t.Errorf("%s: %s beside %s", dir, o.Key(), role)
		}
	}
	return rules
}

// `dray record` may list and watch what dray itself does, and nothing else.
func TestTheRecorderSeesWhatDraySees(t *testing.T) {
	rules := rulesOf(t, "overlays/record", "dray-record", true)
	if want := rulesOf(t, "manifests", "dray-reader", false); !reflect.DeepEqual(rules, want) {
		t.Errorf("the recorder has %v, dray %v", rules, want)
	}
	if len(rules) < 10 {
		t.Errorf("only %d rules", len(rules))
	}
	for _, rule := range rules {
		if verbs := rule.(map[string]any)["verbs"]; !reflect.DeepEqual(verbs, []any{"list", "watch"}) {
			t.Errorf("more than a look: %v", rule)
		}
	}
}
