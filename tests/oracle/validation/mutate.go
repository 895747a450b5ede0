package validation

import (
	"encoding/json"
	"math/rand/v2"
	"sort"
)

// Objects that the API server takes, which have between them every field of the API.
var bases = []string{
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","namespace":"default","labels":{"a":"b"},
	"annotations":{"a.b/c":"x"},"finalizers":["a.b/c"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true}]},
	"spec":{"devices":{"requests":[
	{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com","allocationMode":"ExactCount","count":2,
	"selectors":[{"cel":{"expression":"device.driver == 'x'"}}],"tolerations":[{"key":"a.b/c","operator":"Exists","effect":"NoSchedule","tolerationSeconds":3}],
	"capacity":{"requests":{"memory":"1Gi"}}}},
	{"name":"nic","firstAvailable":[{"name":"a","deviceClassName":"nic","allocationMode":"All"},{"name":"b","deviceClassName":"nic","count":1,"tolerations":[{"key":"k","value":"v"}]}]}],
	"constraints":[{"requests":["gpu","nic/a"],"matchAttribute":"example.com/numa"},{"distinctAttribute":"example.com/rack"}],
	"config":[{"requests":["nic"],"opaque":{"driver":"x.example.com","parameters":{"a":1}}}]}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"generateName":"c-","namespace":"admin"},
	"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com","adminAccess":true,"allocationMode":"All"}}]}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"t","namespace":"default"},
	"spec":{"metadata":{"labels":{"x":"y"},"annotations":{"q":"r"}},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com","selectors":[{"cel":{"expression":"true"}}]}}],
	"constraints":[{"requests":["gpu"],"matchAttribute":"a.b/c"}],"config":[{"opaque":{"driver":"d","parameters":{}}}]}}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu.example.com"},
	"spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.example.com'"}}],"config":[{"opaque":{"driver":"gpu.example.com","parameters":{"k":"v"}}}],"extendedResourceName":"example.com/gpu"}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","nodeName":"n0",
	"pool":{"name":"n0","generation":1,"resourceSliceCount":1},"devices":[
	{"name":"gpu-0","attributes":{"model":{"string":"A"},"example.com/index":{"int":1},"ok":{"bool":true},"version":{"version":"1.2.3"}},
	"capacity":{"memory":{"value":"40Gi"}},"taints":[{"key":"a.b/c","value":"v","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"}],
	"bindingConditions":["a.b/c"],"bindingFailureConditions":["a.b/d"],"bindsToNode":true},
	{"name":"gpu-1","allowMultipleAllocations":true,"capacity":{"memory":{"value":"10Gi","requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi","max":"8Gi","step":"1Gi"}}},
	"cores":{"value":"100","requestPolicy":{"default":"10","validValues":["10","20","50"]}}}}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","perDeviceNodeSelection":true,
	"pool":{"name":"a/b.c","generation":0,"resourceSliceCount":2},"devices":[
	{"name":"d0","nodeName":"n0","consumesCounters":[{"counterSet":"set","counters":{"parts":{"value":"2"}}}]},
	{"name":"d1","allNodes":true},
	{"name":"d2","nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}],"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","allNodes":true,
	"pool":{"name":"p","generation":3,"resourceSliceCount":1},"sharedCounters":[{"name":"set","counters":{"parts":{"value":"4"},"memory":{"value":"80Gi"}}}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example.com",
	"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"n","operator":"Gt","values":["3"]}]}]},
	"pool":{"name":"p","generation":3,"resourceSliceCount":1},"devices":[{"name":"d0","capacity":{"m":{"value":"1500m"}}}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule","metadata":{"name":"r"},"spec":{"deviceSelector":{"driver":"gpu.example.com","pool":"n0","device":"gpu-0"},
	"taint":{"key":"example.com/broken","value":"x","effect":"NoSchedule"}}}`,
}

// Values that stand where others are expected.
var strangers = []any{
	"", "a", "A", "a_b", "-", "a/b", "a/b/c", "/", "a.example.com/b", "NoSchedul", "NoSchedule", "None", "all", "All", "ExactCount", "Equal", "Exists",
	"In", "DoesNotExist", "Lt", "gpu", "nic", "nic/a", "nic/c", "gpu/a", "default", "admin", "1Gi", "1.5", "0", "-1", "1e3", "100m", "10", "7", "1.2", "1.2.3-a.1+b", "01.2.3",
	"true", "device.driver", "device.drivr == 'x'", "1 +", "example.com/gpu", "kubernetes.io/gpu", "requests.example.com/gpu", "cpu",
	0.0, 1.0, -1.0, 2.0, 33.0, 1.5, 9007199254740993.0, true, false, nil,
	[]any{}, map[string]any{}, []any{"a"}, []any{"a", "a"}, map[string]any{"a": "b"},
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"2026-01-02T03:04:05Z", "2026-13-02",
}

// A place in an object: what holds it, and under which key.
type place struct {
	container any
	key       string
	index     int
}

func places(value any, found []place) []place {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			found = append(found, place{container: value, key: key})
			found = places(value[key], found)
		}
	case []any:
		for i := range value {
			found = append(found, place{container: value, index: i})
			found = places(value[i], found)
		}
	}
	return found
}

func (p place) get() any {
	if list, ok := p.container.([]any); ok {
		return list[p.index]
	}
	return p.container.(map[string]any)[p.key]
}

func (p place) set(value any) {
	if list, ok := p.container.([]any); ok {
		list[p.index] = value
		return
	}
	p.container.(map[string]any)[p.key] = value
}

func clone(value any) any {
	text, _ := json.Marshal(value)
	var copied any
	_ = json.Unmarshal(text, &copied)
	return copied
}

// Mutant is an object of the corpus with a few changes, and its kind.
func Mutant(random *rand.Rand) (string, []byte) {
	var object map[string]any
	if err := json.Unmarshal([]byte(bases[random.IntN(len(bases))]), &object); err != nil {
		panic(err)
	}
	kind := object["kind"].(string)
	delete(object, "kind")
	version := object["apiVersion"]
	delete(object, "apiVersion")
	for range random.IntN(4) {
		change(object, random)
	}
	object["kind"] = kind
	object["apiVersion"] = version
	text, _ := json.Marshal(object)
	return kind, text
}

func change(object map[string]any, random *rand.Rand) {
	all := places(object, nil)
	if len(all) == 0 {
		return
	}
	at := all[random.IntN(len(all))]
	holder, in_map := at.container.(map[string]any)
	switch random.IntN(8) {
	case 0: // it is not there
		if in_map {
			delete(holder, at.key)
		}
	case 1: // it has another name
		if in_map {
			value := holder[at.key]
			delete(holder, at.key)
			names := []string{at.key + "s", "a/b", "A", "", "matchAttribute", "exactly", "bools", "ints", "a.b/c/d", "9a"}
			holder[names[random.IntN(len(names))]] = value
		}
	case 2, 3: // it is something else
		at.set(clone(strangers[random.IntN(len(strangers))]))
	case 4: // it is what stands elsewhere
		at.set(clone(all[random.IntN(len(all))].get()))
	case 5: // a list has many of them
		if list, ok := at.get().([]any); ok && len(list) > 0 {
			for range 1 + random.IntN(2)*random.IntN(140) {
				list = append(list, clone(list[random.IntN(len(list))]))
			}
			at.set(list)
		}
	case 6: // a map has one more
		if inner, ok := at.get().(map[string]any); ok {
			from := all[random.IntN(len(all))]
			if _, ok := from.container.(map[string]any); ok {
				inner[from.key] = clone(from.get())
			}
		}
	case 7: // a map has many more
		if inner, ok := at.get().(map[string]any); ok && len(inner) > 0 {
			for key, value := range inner {
				for i := range random.IntN(50) {
					inner[key+string(rune('a'+i%26))+string(rune('a'+i/26))] = clone(value)
				}
				break
			}
		}
	}
}
