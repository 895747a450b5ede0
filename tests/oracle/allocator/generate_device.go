package allocator

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func (g *generator) device(name string, slice *resourceapi.ResourceSliceSpec, counters bool) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: g.attributes(slice.Driver)}
	if g.chance(70) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"mem": {Value: quantity(pick(g, "10Gi", "20Gi", "40Gi"))}}
	}
	if g.seldom() {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"mem": {Value: quantity(pick(g, "-1", "16Ei", "9223372036854775807", "100E"))}}
	}
	g.share(&d)
	if counters && g.chance(75) {
		g.consume(&d)
	}
	for g.chance(8) {
		d.Taints = append(d.Taints, g.taint())
	}
	if g.chance(7) {
		d.BindingConditions, d.BindingFailureConditions = []string{"ready"}, []string{"failed"}
	}
	if g.chance(5) {
		d.BindsToNode = ptr.To(g.chance(80))
	}
	if ptr.Deref(slice.PerDeviceNodeSelection, false) {
		switch g.IntN(3) {
		case 0:
			d.NodeName = ptr.To(pick(g, "node-1", "node-1", "node-2"))
		case 1:
			d.AllNodes = ptr.To(true)
		default:
			d.NodeSelector = g.nodeSelector()
			if g.chance(2) { // nothing checks that there is one term
				d.NodeSelector.NodeSelectorTerms = append(d.NodeSelector.NodeSelectorTerms, g.nodeSelector().NodeSelectorTerms...)
			}
		}
	}
	return d
}

// attributes never has an id both bare and with the driver's name where a selector reads it: upstream takes either, at
// random. Constraints take the full name first.
func (g *generator) attributes(driver string) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	made := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
		"kind": {StringValue: ptr.To(pick(g, "gpu", "gpu", "nic"))},
		"idx":  {IntValue: ptr.To(int64(g.IntN(6)))},
	}
	root := resourceapi.QualifiedName("root")
	if g.chance(15) {
		root = "driver-a/root"
	}
	if g.chance(85) {
		made[root] = g.value()
	}
	if g.chance(60) {
		made["x.io/numa"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(2)))}
	}
	if g.chance(40) {
		made["slot"] = g.value()
	}
	if g.chance(20) {
		made[resourceapi.QualifiedName(driver+"/slot")] = g.value()
	}
	if g.chance(25) {
		made["firmware"] = resourceapi.DeviceAttribute{VersionValue: ptr.To(pick(g, "1.0.0", "1.2.3-rc.1", "2.0.0"))}
	}
	if g.seldom() {
		made["odd"] = pick(g, resourceapi.DeviceAttribute{}, resourceapi.DeviceAttribute{VersionValue: ptr.To("v1")})
	}
	return made
}

func (g *generator) value() resourceapi.DeviceAttribute {
	if g.alpha && g.chance(25) {
		return g.listValue()
	}
	switch g.IntN(12) {
	case 0:
		return resourceapi.DeviceAttribute{VersionValue: ptr.To(pick(g, "1.0.0", "1.0.0+x", "2.1.0"))}
	case 1:
		return resourceapi.DeviceAttribute{BoolValue: ptr.To(g.chance(50))}
	case 2:
		return resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(2)))}
	}
	return resourceapi.DeviceAttribute{StringValue: ptr.To(pick(g, "r0", "r0", "r1", "r2"))}
}

func (g *generator) listValue() resourceapi.DeviceAttribute {
	switch g.IntN(8) {
	case 0:
		return resourceapi.DeviceAttribute{IntValues: []int64{int64(g.IntN(2)), int64(g.IntN(3))}}
	case 1:
		return resourceapi.DeviceAttribute{BoolValues: []bool{g.chance(50)}}
	case 2:
		return resourceapi.DeviceAttribute{VersionValues: []string{pick(g, "1.0.0", "2.1.0"), "1.0.0+x"}}
	}
	values := []string{pick(g, "r0", "r1", "r2")}
	for g.chance(40) {
		values = append(values, pick(g, "r0", "r1", "r3"))
	}
	return resourceapi.DeviceAttribute{StringValues: values}
}

// share makes some devices shareable, with policies for their capacity.
func (g *generator) share(d *resourceapi.Device) {
	if !g.chance(25) {
		return
	}
	d.AllowMultipleAllocations = ptr.To(g.chance(95))
	if d.Capacity == nil {
		return
	}
	d.Capacity["cores"] = resourceapi.DeviceCapacity{Value: quantity(pick(g, "8", "10", "100m", "2500m")), RequestPolicy: g.policy()}
	if mem, ok := d.Capacity["mem"]; ok && g.chance(40) {
		mem.RequestPolicy = g.memoryPolicy()
		d.Capacity["mem"] = mem
	}
}

func amounts(texts ...string) []resource.Quantity {
	var all []resource.Quantity
	for _, text := range texts {
		all = append(all, quantity(text))
	}
	return all
}

func ranged(first, min, max, step string) *resourceapi.CapacityRequestPolicy {
	some := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return ptr.To(quantity(text))
	}
	return &resourceapi.CapacityRequestPolicy{Default: some(first),
		ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: some(min), Max: some(max), Step: some(step)}}
}

func (g *generator) policy() *resourceapi.CapacityRequestPolicy {
	switch g.IntN(9) {
	case 0:
		return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("2")), ValidValues: amounts("1", "2", "4")}
	case 1:
		return ranged("2", "2", "8", "2")
	case 2:
		return ranged("250m", "250m", "", "250m")
	case 3:
		return ranged("1", "1", "", "")
	case 4:
		return ranged("500m", "100m", "2500m", "200m")
	case 5:
		return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("1"))}
	}
	return nil
}

func (g *generator) memoryPolicy() *resourceapi.CapacityRequestPolicy {
	switch g.IntN(3) {
	case 0:
		return ranged("2Gi", "2Gi", "", "3Gi")
	case 1:
		return ranged("1Gi", "1Gi", "8Gi", "")
	}
	return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("4Gi")), ValidValues: amounts("4Gi", "8Gi")}
}

func (g *generator) consume(d *resourceapi.Device) {
	first := g.IntN(2)
	for n := range 1 + g.IntN(2) {
		use := resourceapi.DeviceCounterConsumption{CounterSet: fmt.Sprintf("cs-%d", (first+n)%2), Counters: map[string]resourceapi.Counter{}}
		for _, name := range []string{"x", "y"} {
			if g.chance(70) {
				amount := fmt.Sprint(g.IntN(4))
				if g.chance(4) {
					amount = pick(g, "500m", "-1", "1500m")
				}
				use.Counters[name] = resourceapi.Counter{Value: quantity(amount)}
			}
		}
		if g.alpha && g.chance(30) {
			use.CompatibilityGroups = []string{pick(g, "m", "v")}
			if g.chance(30) {
				use.CompatibilityGroups = append(use.CompatibilityGroups, "x")
			}
		}
		if g.seldom() {
			use.Counters["nobody"] = resourceapi.Counter{Value: quantity("1")}
		}
		d.ConsumesCounters = append(d.ConsumesCounters, use)
	}
}

func (g *generator) taint() resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: pick(g, "k0", "k1"), Value: pick(g, "", "v"),
		Effect: pick(g, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone)}
}
