package allocator

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// generator makes one case. It favours small clusters in which requests compete: there differences show.
type generator struct {
	*rand.Rand
	c       Case
	alpha   bool // alpha features may be used
	devices []DeviceName
	sharing map[string][]resourceapi.QualifiedName // driver/pool/device that allows multiple allocations -> its capacities
}

// Generate makes the case of a seed.
func Generate(seed uint64) Case {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x64726179)), sharing: map[string][]resourceapi.QualifiedName{}}
	g.c.ID = fmt.Sprintf("seed-%d", seed)
	g.features()
	g.node()
	g.classes()
	for p := range 1 + g.IntN(3) {
		g.pool(p)
	}
	g.Shuffle(len(g.c.Slices), func(i, j int) { g.c.Slices[i], g.c.Slices[j] = g.c.Slices[j], g.c.Slices[i] })
	for i := range pick(g, 1, 1, 1, 1, 2, 3) {
		g.claim(i)
	}
	for i := range pick(g, 0, 0, 0, 0, 0, 1, 2) {
		g.rule(i)
	}
	g.inUse(g.c.FeaturePreset != "" || g.c.Features["ConsumableCapacity"])
	return g.c
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// seldom: once in a thousand.
func (g *generator) seldom() bool { return g.IntN(1000) == 0 }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

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
	g.c.Node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	g.c.Node.Labels = map[string]string{"zone": "a", "level": "7"}
	if g.alpha && g.chance(50) {
		g.c.Node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
}

// nodeSelector mostly takes node-1.
func (g *generator) nodeSelector() *corev1.NodeSelector {
	requirement := func(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	zone := func() corev1.NodeSelectorRequirement {
		switch g.IntN(12) {
		case 0:
			return requirement("zone", corev1.NodeSelectorOpNotIn, pick(g, "a", "b", "c"))
		case 1:
			return requirement("zone", corev1.NodeSelectorOpExists)
		case 2:
			return requirement(pick(g, "zone", "gone"), corev1.NodeSelectorOpDoesNotExist)
		case 3:
			return requirement("level", pick(g, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt), pick(g, "6", "8"))
		case 4:
			return requirement("zone", corev1.NodeSelectorOpIn, pick(g, "a", "b"), pick(g, "b", "a", "c"))
		}
		return requirement("zone", corev1.NodeSelectorOpIn, pick(g, "a", "a", "a", "b"))
	}
	term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{zone()}}
	if g.chance(20) {
		term.MatchExpressions = append(term.MatchExpressions, zone())
	}
	if g.chance(30) {
		term.MatchFields = []corev1.NodeSelectorRequirement{requirement("metadata.name", corev1.NodeSelectorOpIn, "node-1")}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
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
		for g.chance(25) {
			config := opaque(pick(g, "driver-a", "driver-b"), fmt.Sprint(name, len(class.Spec.Config)))
			class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: config})
		}
		g.c.Classes = append(g.c.Classes, class)
	}
	add("any")
	add("gpu", "device.attributes[device.driver].kind == 'gpu'")
	add("a", "device.driver == 'driver-a'")
	add("two", "device.attributes[device.driver].kind != 'fpga'", pick(g, expressions[:harmless]...))
}
