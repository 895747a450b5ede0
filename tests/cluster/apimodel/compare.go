package apimodel

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tolerance is by how much times may differ, beside what the slowest operation took: the model's clock is read before it
// goes out, the real server's when it commits, and both drop fractions of seconds.
const tolerance = 2 * time.Second

// difference tells where two objects or answers differ, by the first place; "" if nowhere. Both are as dray's codecs
// write them. Uids and resourceVersions are the same if they have always stood for each other.
func (n *names) difference(path string, model, real any) string {
	switch m := model.(type) {
	case map[string]any:
		r, ok := real.(map[string]any)
		if !ok {
			break
		}
		return n.memberDifference(path, m, r)
	case []any:
		r, ok := real.([]any)
		if !ok || len(m) != len(r) {
			break
		}
		for i := range m {
			if found := n.difference(fmt.Sprintf("%s[%d]", path, i), m[i], r[i]); found != "" {
				return found
			}
		}
		return ""
	case string:
		if r, ok := real.(string); ok && n.sameText(path[strings.LastIndexByte(path, '.')+1:], path, m, r) {
			return ""
		}
	default:
		if reflect.DeepEqual(model, real) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v of the model, %v of the real one", path, model, real)
}

func (n *names) memberDifference(path string, model, real map[string]any) string {
	keys := make([]string, 0, len(model)+len(real))
	for key := range model {
		keys = append(keys, key)
	}
	for key := range real {
		if _, ok := model[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		m, inModel := model[key]
		r, inReal := real[key]
		if inModel != inReal {
			return fmt.Sprintf("%s.%s: %v of the model, %v of the real one", path, key, m, r)
		}
		if found := n.difference(path+"."+key, m, r); found != "" {
			return found
		}
	}
	return ""
}

func (n *names) sameText(key, path, model, real string) bool {
	switch {
	case key == "uid":
		return n.sameUID(model, real)
	case key == "resourceVersion", strings.HasSuffix(path, ".annotations.dray.dev/undone"):
		return n.sameVersion(model, real)
	case strings.HasSuffix(key, "Time"), strings.HasSuffix(key, "Timestamp"), key == "timeAdded":
		m, err := time.Parse(time.RFC3339, model)
		if err != nil {
			return model == real
		}
		r, err := time.Parse(time.RFC3339, real)
		return err == nil && m.Sub(r).Abs() <= tolerance+n.slowest
	}
	return model == real
}

// orderDifference tells whether both sides committed in the same order: resourceVersions that stand for each other rise
// together.
func (n *names) orderDifference() string {
	type commit struct{ model, real uint64 }
	var commits []commit
	for m, r := range n.versions {
		model, err := strconv.ParseUint(m, 10, 64)
		real, other := strconv.ParseUint(r, 10, 64)
		if err != nil || other != nil {
			return fmt.Sprintf("resourceVersions that are no numbers: %q, %q", m, r)
		}
		commits = append(commits, commit{model, real})
	}
	slices.SortFunc(commits, func(a, b commit) int { return int(a.model) - int(b.model) })
	for i := 1; i < len(commits); i++ {
		if commits[i].real <= commits[i-1].real {
			return fmt.Sprintf("commits in another order: the model's %d then %d are %d and %d of the real one",
				commits[i-1].model, commits[i].model, commits[i-1].real, commits[i].real)
		}
	}
	return ""
}
