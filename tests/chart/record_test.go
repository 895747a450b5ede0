package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// between is what stands in the text after the first mark and before the next second one, and all around it.
func between(t *testing.T, text, after, before string) (head, middle, tail string) {
	t.Helper()
	head, rest, found := strings.Cut(text, after)
	middle, tail, ended := strings.Cut(rest, before)
	if !found || !ended {
		t.Fatalf("no %q and then %q", after, before)
	}
	return head + after, middle, before + tail
}

// `dray record` may list and watch what dray itself does, and nothing else.
func TestTheRecorderSeesWhatDraySees(t *testing.T) {
	account, err := os.ReadFile(filepath.Join(repository, "manifests/rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := between(t, string(account), "# What decisions are made from.\n", "# Gate, reservation")
	rules = strings.ReplaceAll(rules, "[get, list, watch]", "[list, watch]")
	path := filepath.Join(repository, "overlays/record/record.yaml")
	record, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "# As manifests/rbac.yaml has them: DRAY_WRITE=1 go -C tests/chart test ./...\n"
	head, there, tail := between(t, string(record), begin, "---\n")
	if os.Getenv("DRAY_WRITE") != "" {
		if err := os.WriteFile(path, []byte(head+rules+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if there != rules {
		t.Errorf("%s: these rules are not what manifests/rbac.yaml makes of them: DRAY_WRITE=1 writes them anew", path)
	}
	if looks := strings.Count(rules, "verbs: [list, watch]"); looks < 10 || looks != strings.Count(rules, "verbs:") {
		t.Errorf("more, or less, than a look: %s", rules)
	}
}
