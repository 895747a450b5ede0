package allocator

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func (g *generator) device(name string, slice *resourceapi.ResourceSliceSpec, counters bool) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	d.Attributes["kind"] = resourceapi.DeviceAttribute{StringValue: ptr.To(pick(g, "gpu", "gpu", "nic"))}
	d.Attributes["idx"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(6)))}
	if g.chance(85) {
		d.Attributes["root"] = g.value()
	}
	if g.chance(60) {
		d.Attributes["x.io/numa"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(2)))}
	}
	if g.chance(20) {
		d.Attributes["driver-a/root"] = g.value()
	}
	if g.chance(70) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"mem": {Value: quantity(pick(g, "10Gi", "20Gi", "40Gi"))}}
	}
	g.share(&d)
	if counters && g.chance(75) {
		g.consume(&d)
	}
	if g.chance(15) {
		d.Taints = append(d.Taints, g.taint())
	}
	if g.chance(7) {
		d.BindingConditions, d.BindingFailureConditions = []string{"ready"}, []string{"failed"}
	}
	if g.chance(5) {
		d.BindsToNode = ptr.To(true)
	}
	if ptr.Deref(slice.PerDeviceNodeSelection, false) {
		switch g.IntN(3) {
		case 0:
			d.NodeName = ptr.To(pick(g, "node-1", "node-1", "node-2"))
		case 1:
			d.AllNodes = ptr.To(true)
		default:
			d.NodeSelector = g.nodeSelector()
		}
	}
	return d
}

func (g *generator) value() resourceapi.DeviceAttribute {
	if g.alpha && g.chance(25) {
		values := []string{pick(g, "r0", "r1", "r2")}
		if g.chance(50) {
			values = append(values, pick(g, "r0", "r1", "r3"))
		}
		return resourceapi.DeviceAttribute{StringValues: values}
	}
	switch g.IntN(12) {
	case 0:
		return resourceapi.DeviceAttribute{VersionValue: ptr.To(pick(g, "1.0.0", "1.0.0+x", "2.1.0"))}
	case 1:
		return resourceapi.DeviceAttribute{BoolValue: ptr.To(g.chance(50))}
	case 2:
		return resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(2)))}
	}
	return resourceapi.DeviceAttribute{StringValue: ptr.To(pick(g, "r0", "r1", "r2"))}
}

// share makes some devices shareable, with policies for their capacity.
func (g *generator) share(d *resourceapi.Device) {
	if !g.chance(25) {
		return
	}
	d.AllowMultipleAllocations = ptr.To(true)
	if d.Capacity == nil {
		return
	}
	capacity := resourceapi.DeviceCapacity{Value: quantity(pick(g, "8", "10", "100m", "2500m"))}
	switch g.IntN(5) {
	case 0:
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("2")),
			ValidValues: []resource.Quantity{quantity("1"), quantity("2"), quantity("4")}}
	case 1:
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("2")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(quantity("2")), Max: ptr.To(quantity("8")), Step: ptr.To(quantity("2"))}}
	case 2:
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("250m")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(quantity("250m")), Step: ptr.To(quantity("250m"))}}
	case 3:
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("1")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(quantity("1"))}}
	}
	d.Capacity["cores"] = capacity
}

func (g *generator) consume(d *resourceapi.Device) {
	first := g.IntN(2)
	for n := range 1 + g.IntN(2) {
		use := resourceapi.DeviceCounterConsumption{CounterSet: fmt.Sprintf("cs-%d", (first+n)%2), Counters: map[string]resourceapi.Counter{}}
		for _, name := range []string{"x", "y"} {
			if g.chance(70) {
				use.Counters[name] = resourceapi.Counter{Value: quantity(fmt.Sprint(g.IntN(4)))}
			}
		}
		if g.alpha && g.chance(30) {
			use.CompatibilityGroups = []string{pick(g, "m", "v")}
		}
		if g.chance(1) && g.chance(30) {
			use.Counters["nobody"] = resourceapi.Counter{Value: quantity("1")}
		}
		d.ConsumesCounters = append(d.ConsumesCounters, use)
	}
}

func (g *generator) taint() resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: pick(g, "k0", "k1"), Value: pick(g, "", "v"),
		Effect: pick(g, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone)}
}

func (g *generator) rules() {
	if !g.chance(15) {
		return
	}
	rule := resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{Taint: g.taint()}}
	rule.Name = "rule-0"
	if g.chance(85) {
		selector := &resourceapi.DeviceTaintSelector{}
		if g.chance(60) {
			selector.Driver = ptr.To(pick(g, "driver-a", "driver-b"))
		}
		if g.chance(50) {
			selector.Pool = ptr.To("pool-0")
		}
		if g.chance(40) {
			selector.Device = ptr.To(pick(g, "dev-0", "dev-1"))
		}
		rule.Spec.DeviceSelector = selector
	}
	g.c.DeviceTaintRules = append(g.c.DeviceTaintRules, rule)
}

// inUse takes some devices: as a whole, or shares of them. (The scheduler's plugin tells of shares only with
// ConsumableCapacity.)
func (g *generator) inUse(shares bool) {
	for i, d := range g.devices {
		if !g.chance(15) {
			continue
		}
		if !shares || !g.sharing[d.Driver+d.Pool+d.Device] || g.chance(10) {
			g.c.AllocatedState.Devices = append(g.c.AllocatedState.Devices, d)
			continue
		}
		shared := d
		shared.ShareID = string(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)))
		g.c.AllocatedState.SharedDeviceIDs = append(g.c.AllocatedState.SharedDeviceIDs, shared)
		if g.chance(80) {
			taken := d
			taken.Capacity = map[string]string{"cores": pick(g, "1", "2", "250m")}
			g.c.AllocatedState.AggregatedCapacity = append(g.c.AllocatedState.AggregatedCapacity, taken)
		}
	}
}
