package allocator

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// generator makes one case. It favours small clusters in which requests compete: there differences show.
type generator struct {
	*rand.Rand
	c       Case
	alpha   bool // alpha features may be used
	devices []DeviceName
	sharing map[string]bool // driver/pool/device -> allows multiple allocations
}

// Generate makes the case of a seed.
func Generate(seed uint64) Case {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 0x64726179)), sharing: map[string]bool{}}
	g.c.ID = fmt.Sprintf("seed-%d", seed)
	g.features()
	g.node()
	g.classes()
	for p := range 1 + g.IntN(3) {
		g.pool(p)
	}
	g.Shuffle(len(g.c.Slices), func(i, j int) { g.c.Slices[i], g.c.Slices[j] = g.c.Slices[j], g.c.Slices[i] })
	for i := range 1 + g.IntN(2) {
		g.claim(i)
	}
	g.rules()
	g.inUse(g.c.FeaturePreset != "" || g.c.Features["ConsumableCapacity"])
	return g.c
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) features() {
	switch n := g.IntN(10); {
	case n < 5:
		g.c.FeaturePreset = "default"
	case n < 8:
		g.c.FeaturePreset, g.alpha = "all", true
	default:
		g.alpha = g.chance(50)
		g.c.Features = map[string]bool{}
		for _, name := range []string{"AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints",
			"DeviceBindingAndStatus", "ConsumableCapacity"} {
			g.c.Features[name] = g.chance(75)
		}
		g.c.Features["FractionalCapacityRange"] = g.c.Features["ConsumableCapacity"] && g.chance(75)
		for _, name := range []string{"ListTypeAttributes", "OptionalNodeOperations", "DerivedAttributes"} {
			g.c.Features[name] = g.alpha && g.chance(50)
		}
		g.c.Features["CompatibilityGroups"] = g.alpha && g.c.Features["PartitionableDevices"] && g.chance(50)
	}
}

func (g *generator) node() {
	g.c.Node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{"zone": "a"}}}
	if g.alpha && g.chance(50) {
		g.c.Node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
}

func selector(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

func opaque(driver, text string) resourceapi.DeviceConfiguration {
	config := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver}}
	config.Opaque.Parameters.Raw = []byte(`{"x":"` + text + `"}`)
	return config
}

func (g *generator) classes() {
	add := func(name string, expressions ...string) {
		class := resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, e := range expressions {
			class.Spec.Selectors = append(class.Spec.Selectors, selector(e))
		}
		if g.chance(30) {
			class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: opaque("driver-a", name)}}
		}
		g.c.Classes = append(g.c.Classes, class)
	}
	add("any")
	add("gpu", "device.attributes[device.driver].kind == 'gpu'")
	add("a", "device.driver == 'driver-a'")
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func (g *generator) scope(slice *resourceapi.ResourceSliceSpec) {
	switch n := g.IntN(20); {
	case n < 15:
		slice.NodeName = ptr.To(pick(g, "node-1", "node-1", "node-1", "node-1", "node-1", "node-1", "node-2"))
	case n < 16:
		slice.AllNodes = ptr.To(true)
	case n < 18:
		slice.NodeSelector = g.nodeSelector()
	default:
		slice.PerDeviceNodeSelection = ptr.To(true)
	}
}

func (g *generator) nodeSelector() *corev1.NodeSelector {
	term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{pick(g, "a", "a", "a", "b")}}}}
	if g.chance(30) {
		term.MatchFields = []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"node-1"}}}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

// pool makes the slices of one pool; a few of them are incomplete, outdated or wrong.
func (g *generator) pool(number int) {
	driver := pick(g, "driver-a", "driver-a", "driver-b")
	pool := resourceapi.ResourcePool{Name: fmt.Sprintf("pool-%d", number), Generation: 1}
	counters := g.chance(35)
	slices := 1 + g.IntN(2)
	var made []resourceapi.ResourceSlice
	next := 0
	for s := range slices {
		slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%d%d-%d", g.IntN(3), number, s)}}
		slice.Spec = resourceapi.ResourceSliceSpec{Driver: driver, Pool: pool}
		g.scope(&slice.Spec)
		if len(made) > 0 && g.chance(93) { // mostly in one place
			slice.Spec.NodeName, slice.Spec.AllNodes = made[0].Spec.NodeName, made[0].Spec.AllNodes
			slice.Spec.NodeSelector, slice.Spec.PerDeviceNodeSelection = made[0].Spec.NodeSelector, made[0].Spec.PerDeviceNodeSelection
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
		made = append(made, g.counterSlice(&made[0], number))
	}
	count := int64(len(made))
	if g.chance(5) {
		count += int64(g.IntN(3)) - 1
	}
	for i := range made {
		made[i].Spec.Pool.ResourceSliceCount = max(count, 1)
		if g.chance(2) {
			made[i].Spec.Pool.Generation = 2
		}
		for _, d := range made[i].Spec.Devices {
			name := DeviceName{Driver: driver, Pool: pool.Name, Device: d.Name}
			g.devices = append(g.devices, name)
			g.sharing[name.Driver+name.Pool+name.Device] = ptr.Deref(d.AllowMultipleAllocations, false)
		}
	}
	g.c.Slices = append(g.c.Slices, made...)
}

func (g *generator) counterSlice(like *resourceapi.ResourceSlice, number int) resourceapi.ResourceSlice {
	slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s-cs%d", number)}}
	slice.Spec = resourceapi.ResourceSliceSpec{Driver: like.Spec.Driver, Pool: like.Spec.Pool,
		NodeName: like.Spec.NodeName, AllNodes: like.Spec.AllNodes, NodeSelector: like.Spec.NodeSelector}
	if like.Spec.PerDeviceNodeSelection != nil {
		slice.Spec.AllNodes = ptr.To(true)
	}
	for i := range 2 {
		set := resourceapi.CounterSet{Name: fmt.Sprintf("cs-%d", i), Counters: map[string]resourceapi.Counter{}}
		for _, name := range []string{"x", "y"} {
			set.Counters[name] = resourceapi.Counter{Value: quantity(fmt.Sprint(1 + g.IntN(6)))}
		}
		slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, set)
	}
	return slice
}
