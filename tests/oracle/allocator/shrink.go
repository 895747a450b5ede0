package allocator

import (
	"bytes"
	"encoding/json"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// smaller are the plausible cases with one list member or one field less, whole claims, slices and devices first.
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
	var found []Case
	offer := func() {
		text, err := json.Marshal(root)
		if err != nil {
			return
		}
		var one Case
		if json.Unmarshal(text, &one) != nil || !one.plausible() {
			return
		}
		// What Go writes anyway, such as an empty status, is not less.
		if text, err = json.Marshal(&one); err == nil && !bytes.Equal(text, whole) {
			found = append(found, one)
		}
	}
	type place struct {
		value any
		set   func(any)
	}
	level := []place{}
	for _, key := range []string{"claims", "slices", "deviceTaintRules", "allocatedState", "classes", "node"} {
		if value, ok := root[key]; ok {
			level = append(level, place{value, func(v any) { root[key] = v }})
		}
	}
	for len(level) > 0 {
		var below []place
		for _, at := range level {
			switch v := at.value.(type) {
			case []any:
				for i := range v {
					at.set(slices.Delete(slices.Clone(v), i, i+1))
					offer()
					below = append(below, place{v[i], func(n any) { v[i] = n }})
				}
				at.set(v)
			case map[string]any:
				for key, old := range v {
					delete(v, key)
					offer()
					v[key] = old
					below = append(below, place{old, func(n any) { v[key] = n }})
				}
			}
		}
		level = below
	}
	return found
}

// plausible: what the API server's validation makes sure of, and leaving out could break.
func (c *Case) plausible() bool {
	if c.Node == nil || c.Node.Name == "" || len(c.Claims) == 0 {
		return false
	}
	for _, claim := range c.Claims {
		for _, r := range claim.Spec.Devices.Requests {
			if r.Name == "" || (r.Exactly == nil) == (len(r.FirstAvailable) == 0) {
				return false
			}
			if r.Exactly != nil && (r.Exactly.DeviceClassName == "" || !countable(r.Exactly.AllocationMode, r.Exactly.Count)) {
				return false
			}
			for _, sub := range r.FirstAvailable {
				if sub.Name == "" || sub.DeviceClassName == "" || !countable(sub.AllocationMode, sub.Count) {
					return false
				}
			}
		}
	}
	for _, slice := range c.Slices {
		if slice.Name == "" || slice.Spec.Driver == "" || slice.Spec.Pool.Name == "" || slice.Spec.Pool.ResourceSliceCount < 1 {
			return false
		}
		for _, d := range slice.Spec.Devices {
			if d.Name == "" {
				return false
			}
		}
	}
	return true
}

func countable(mode resourceapi.DeviceAllocationMode, count int64) bool {
	return mode == resourceapi.DeviceAllocationModeAll || mode == resourceapi.DeviceAllocationModeExactCount && count > 0
}
