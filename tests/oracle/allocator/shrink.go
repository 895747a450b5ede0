package allocator

import (
	"bytes"
	"encoding/json"
	"slices"
)

// What an object can do without. Anything else stays: what is left has to pass the API server's validation, or the
// difference shown at the end is another one than the one that was found.
var optional = map[string]bool{
	"deviceTaintRules": true, "constraints": true, "config": true, "tolerations": true, "selectors": true, "capacity": true,
	"requestPolicy": true, "consumesCounters": true, "compatibilityGroups": true, "derivedAttributes": true, "adminAccess": true,
	"taints": true, "bindsToNode": true, "skipNodeOperations": true, "matchFields": true, "labels": true, "declaredFeatures": true,
	"max": true, "step": true, "driver": true, "pool": true, "device": true, "deviceSelector": true, "effect": true,
	"devices": true, "sharedDeviceIDs": true, "aggregatedCapacity": true, "requests": true, "value": true,
}

// Objects of which every entry is a thing of its own.
var entries = map[string]bool{"attributes": true, "capacity": true, "counters": true, "requests": true, "labels": true}

// Lists that must not become empty.
var needed = map[string]bool{"claims": true, "firstAvailable": true, "nodeSelectorTerms": true, "matchExpressions": true,
	"values": true, "validValues": true, "sharedCounters": true, "slices": true, "bindingConditions": true,
	"bindingFailureConditions": true, "ints": true, "strings": true, "bools": true, "versions": true}

// removable says whether the member `key` can go; some can in one place only.
func removable(parent, key string) bool {
	switch key {
	case "driver", "pool", "device":
		return parent == "deviceSelector"
	case "effect":
		return parent == "tolerations[]"
	case "value":
		return parent == "tolerations[]" || parent == "taints[]"
	case "devices":
		return parent == "allocatedState"
	case "requests":
		return parent == "constraints[]" || parent == "config[]"
	}
	return optional[key] || entries[parent]
}

// shrinker takes away, one at a time, what a case can do without.
type shrinker struct{ offer func() }

// visit goes through `value`, which is held under the name `key`, and which set replaces.
func (s *shrinker) visit(key string, value any, set func(any)) {
	switch v := value.(type) {
	case []any:
		if len(v) > 1 || !needed[key] {
			for i := range v {
				set(slices.Delete(slices.Clone(v), i, i+1))
				s.offer()
			}
			set(v)
		}
		for i := range v {
			s.visit(key+"[]", v[i], func(n any) { v[i] = n })
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			old := v[name]
			if removable(key, name) {
				delete(v, name)
				s.offer()
				v[name] = old
			}
			s.visit(name, old, func(n any) { v[name] = n })
		}
	}
}

func sortedKeys(of map[string]any) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// smaller are the cases with one list member or one field less, those that lose most first.
func smaller(c Case) []Case {
	c.Oracle = nil
	whole, err := json.Marshal(&c)
	if err != nil {
		return nil
	}
	var root map[string]any
	if json.Unmarshal(whole, &root) != nil {
		return nil
	}
	type candidate struct {
		made Case
		size int
	}
	var found []candidate
	s := shrinker{offer: func() {
		text, err := json.Marshal(root)
		if err != nil {
			return
		}
		var one Case
		if json.Unmarshal(text, &one) != nil {
			return
		}
		// What Go writes anyway, such as an empty status, is not less.
		if text, err = json.Marshal(&one); err == nil && !bytes.Equal(text, whole) {
			found = append(found, candidate{one, len(text)})
		}
	}}
	s.visit("", root, func(any) {})
	slices.SortStableFunc(found, func(a, b candidate) int { return a.size - b.size })
	var made []Case
	for _, each := range found {
		made = append(made, each.made)
	}
	return made
}
