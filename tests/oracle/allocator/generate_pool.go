package allocator

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (g *generator) scope(slice *resourceapi.ResourceSliceSpec) {
	switch n := g.IntN(20); {
	case n < 14:
		slice.NodeName = ptr.To(pick(g, "node-1", "node-1", "node-1", "node-1", "node-1", "node-1", "node-2"))
	case n < 16:
		slice.AllNodes = ptr.To(true)
	case n < 18:
		slice.NodeSelector = g.nodeSelector()
		if g.chance(1) { // validation lets it through, parsing does not
			requirement := &slice.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0]
			requirement.Key, requirement.Operator, requirement.Values = "level", corev1.NodeSelectorOpGt, []string{"high"}
		}
	default:
		slice.PerDeviceNodeSelection = ptr.To(true)
	}
}

func like(to, from *resourceapi.ResourceSliceSpec) {
	to.NodeName, to.AllNodes = from.NodeName, from.AllNodes
	to.NodeSelector, to.PerDeviceNodeSelection = from.NodeSelector, from.PerDeviceNodeSelection
}

// pool makes the slices of one pool; a few of them are incomplete, outdated or wrong.
func (g *generator) pool(number int) {
	spec := resourceapi.ResourceSliceSpec{Driver: pick(g, "driver-a", "driver-a", "driver-b")}
	spec.Pool = resourceapi.ResourcePool{Name: fmt.Sprintf("pool-%d", number), Generation: 1}
	if number == 1 && spec.Driver != g.c.Slices[0].Spec.Driver && g.chance(10) {
		spec.Pool.Name = g.c.Slices[0].Spec.Pool.Name // of another driver: another pool
	}
	made := g.deviceSlices(spec, number, g.chance(40))
	g.spoil(made)
	for i := range made {
		for _, d := range made[i].Spec.Devices {
			name := DeviceName{Driver: spec.Driver, Pool: spec.Pool.Name, Device: d.Name}
			g.devices = append(g.devices, name)
			if ptr.Deref(d.AllowMultipleAllocations, false) {
				g.sharing[name.key()] = slices.Sorted(maps.Keys(d.Capacity))
			}
		}
	}
	g.c.Slices = append(g.c.Slices, made...)
}

func (d *DeviceName) key() string { return d.Driver + "/" + d.Pool + "/" + d.Device }

func (g *generator) deviceSlices(spec resourceapi.ResourceSliceSpec, number int, counters bool) []resourceapi.ResourceSlice {
	var made []resourceapi.ResourceSlice
	next := 0
	for s := range 1 + g.IntN(2) {
		slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%d%d-%d", g.IntN(3), number, s)}, Spec: spec}
		g.scope(&slice.Spec)
		if len(made) > 0 && g.chance(93) { // mostly in one place
			like(&slice.Spec, &made[0].Spec)
		}
		if g.alpha && g.chance(15) {
			slice.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{pick(g, resourceapi.SkipNodeOperation("NodePrepareResources"), "*")}
		}
		for range 2 + g.IntN(5) {
			slice.Spec.Devices = append(slice.Spec.Devices, g.device(fmt.Sprintf("dev-%d", next), &slice.Spec, counters))
			next++
		}
		if g.chance(2) && s > 0 {
			slice.Spec.Devices[0].Name = "dev-0" // twice in the pool
		}
		made = append(made, slice)
	}
	if counters {
		made = append(made, g.counterSlice(&made[0].Spec, number))
	}
	for i := range made {
		made[i].Spec.Pool.ResourceSliceCount = int64(len(made))
	}
	return made
}

// spoil gives a few pools a wrong number of slices, or slices of another generation.
func (g *generator) spoil(made []resourceapi.ResourceSlice) {
	if g.chance(5) {
		for i := range made {
			made[i].Spec.Pool.ResourceSliceCount = max(1, made[i].Spec.Pool.ResourceSliceCount+int64(g.IntN(3))-1)
		}
	}
	for i := range made {
		if g.chance(2) {
			made[i].Spec.Pool.Generation = int64(g.IntN(3))
		}
	}
}

func (g *generator) counterSlice(beside *resourceapi.ResourceSliceSpec, number int) resourceapi.ResourceSlice {
	slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s-cs%d", number)}}
	slice.Spec = resourceapi.ResourceSliceSpec{Driver: beside.Driver, Pool: beside.Pool}
	like(&slice.Spec, beside)
	switch {
	case beside.PerDeviceNodeSelection != nil || g.chance(5):
		slice.Spec.NodeName, slice.Spec.NodeSelector, slice.Spec.PerDeviceNodeSelection = nil, nil, nil
		slice.Spec.AllNodes = ptr.To(true)
	case g.chance(5):
		slice.Spec.NodeName, slice.Spec.NodeSelector, slice.Spec.AllNodes = ptr.To("node-2"), nil, nil
	}
	for i := range 2 {
		set := resourceapi.CounterSet{Name: fmt.Sprintf("cs-%d", i), Counters: map[string]resourceapi.Counter{}}
		if i > 0 && g.chance(1) {
			set.Name = "cs-0" // twice in the pool
		}
		for _, name := range []string{"x", "y"} {
			amount := fmt.Sprint(1 + g.IntN(6))
			if g.chance(5) {
				amount = pick(g, "0", "2500m", "-1", "1Gi")
			}
			set.Counters[name] = resourceapi.Counter{Value: quantity(amount)}
		}
		slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, set)
	}
	return slice
}
