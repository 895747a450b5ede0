package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

// The problems of tests/bench/alloc_problems.cpp, device for device.

const rootAttribute = "resource.kubernetes.io/pcieRoot"

type problem struct {
	name    string
	classes []resourceapi.DeviceClass
	slices  []*resourceapi.ResourceSlice
	nodes   []*corev1.Node
	claim   *resourceapi.ResourceClaim
	used    sets.Set[structured.DeviceID]
}

func class(name string, selectors ...string) resourceapi.DeviceClass {
	made := resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, text := range selectors {
		made.Spec.Selectors = append(made.Spec.Selectors, cel(text))
	}
	return made
}

func cel(text string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: text}}
}

func node(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func slice(node, driver, pool string, count int, devices []resourceapi.Device) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: driver + "-" + node},
		Spec: resourceapi.ResourceSliceSpec{Driver: driver, NodeName: &node, Devices: devices,
			Pool: resourceapi.ResourcePool{Name: pool, ResourceSliceCount: int64(count)}},
	}
}

func request(name, class string, count int64, selectors ...string) resourceapi.DeviceRequest {
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
	for _, text := range selectors {
		exactly.Selectors = append(exactly.Selectors, cel(text))
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
}

func claim(requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	made := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}}
	made.Spec.Devices.Requests = requests
	return made
}

func text(value string) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{StringValue: &value}
}
func version(value string) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{VersionValue: &value}
}

// Eight GPUs as drivers publish them: ten attributes, two capacities, two PCIe roots by turns.
func gpus(number int) []resourceapi.Device {
	var devices []resourceapi.Device
	for i := range 8 {
		root := "pci0000:10"
		if i%2 == 1 {
			root = "pci0000:80"
		}
		devices = append(devices, resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"type":                            text("gpu"),
				"uuid":                            text(fmt.Sprintf("GPU-%08x-%04x", number, i)),
				"productName":                     text("NVIDIA H100 80GB HBM3"),
				"brand":                           text("Nvidia"),
				"architecture":                    text("Hopper"),
				"cudaComputeCapability":           version("9.0.0"),
				"driverVersion":                   version("570.86.15"),
				"resource.kubernetes.io/pciBusID": text(fmt.Sprintf("0000:%02x:00.0", 16+i)),
				rootAttribute:                     text(root),
				"resource.kubernetes.io/numaNode": {IntValue: ptr.To(int64(i / 4))},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory":          {Value: resource.MustParse("81559Mi")},
				"multiprocessors": {Value: resource.MustParse("132")},
			},
		})
	}
	return devices
}

func fourOnOneRoot() *resourceapi.ResourceClaim {
	made := claim(request("gpu", "gpu.nvidia.com", 4, "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"))
	attribute := resourceapi.FullyQualifiedName(rootAttribute)
	made.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}}
	return made
}

func gpuClass() resourceapi.DeviceClass {
	return class("gpu.nvidia.com", "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'")
}

// farm is `count` nodes of which change(n, slice) makes the eight GPUs what they are, and of which the first few are in
// use: `states` different ways.
func farm(name string, count, states int, change func(int, *resourceapi.ResourceSlice)) problem {
	p := problem{name: name, classes: []resourceapi.DeviceClass{gpuClass()}, claim: fourOnOneRoot(), used: sets.New[structured.DeviceID]()}
	for n := range count {
		host := fmt.Sprintf("node-%06d", n)
		made := slice(host, "gpu.nvidia.com", host, 1, gpus(n))
		if change != nil {
			change(n, made)
		}
		p.nodes = append(p.nodes, node(host))
		p.slices = append(p.slices, made)
		for bit := range 8 {
			if (n%states)>>bit&1 != 0 {
				p.used.Insert(structured.MakeDeviceID("gpu.nvidia.com", made.Spec.Pool.Name, made.Spec.Devices[bit].Name))
			}
		}
	}
	return p
}

// unlike: no two nodes have devices with the same amount of memory.
func unlike(n int, slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].Capacity["memory"] = resourceapi.DeviceCapacity{
			Value: *resource.NewQuantity(81559<<20+int64(n), resource.BinarySI)}
	}
}

// onePool: a pool with a slice a node.
func onePool(count int) func(int, *resourceapi.ResourceSlice) {
	return func(n int, slice *resourceapi.ResourceSlice) {
		slice.Spec.Pool.Name, slice.Spec.Pool.ResourceSliceCount = "all", int64(count)
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].Name = fmt.Sprintf("%d-%s", n, slice.Spec.Devices[i].Name)
		}
	}
}

// onOneNode has one node with these devices.
func onOneNode(name string, devices []resourceapi.Device, asked *resourceapi.ResourceClaim) problem {
	return problem{name: name, classes: []resourceapi.DeviceClass{class("any"), class("none", "false")},
		slices: []*resourceapi.ResourceSlice{slice("n1", "gpu.example.com", "n1", 1, devices)},
		nodes:  []*corev1.Node{node("n1")}, claim: asked, used: sets.New[structured.DeviceID]()}
}

func plain(count int) []resourceapi.Device {
	devices := make([]resourceapi.Device, count)
	for i := range devices {
		devices[i].Name = fmt.Sprintf("d%d", i)
	}
	return devices
}

// manyOfOneKind: k of 64 equal devices, then one that is not there.
func manyOfOneKind(k int) problem {
	return onOneNode(fmt.Sprintf("hopeless/%d", k), plain(64), claim(request("r", "any", int64(k)), request("x", "none", 1)))
}

// manyRequests: r single requests on so many devices, then one that cannot be met.
func manyRequests(devices, r int) problem {
	var requests []resourceapi.DeviceRequest
	for i := range r {
		requests = append(requests, request(fmt.Sprintf("r%d", i), "any", 1))
	}
	requests = append(requests, request("x", "none", 1))
	return onOneNode(fmt.Sprintf("requests_on_%d/%d", devices, r), plain(devices), claim(requests...))
}

// twoGroups: one more device of one value than each of the two groups has.
func twoGroups(count int) problem {
	devices := plain(count)
	for i := range devices {
		devices[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{rootAttribute: text(fmt.Sprint(i % 2))}
	}
	asked := claim(request("r", "any", int64(count/2+1)))
	attribute := resourceapi.FullyQualifiedName(rootAttribute)
	asked.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}}
	return onOneNode(fmt.Sprintf("two_groups/%d", count), devices, asked)
}

// counters: twice as many partitions as units, and one more is asked for than there are units.
func counters(units int) problem {
	devices := plain(2 * units)
	one := resource.MustParse("1")
	for i := range devices {
		devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{
			{CounterSet: "set", Counters: map[string]resourceapi.Counter{"units": {Value: one}}}}
	}
	p := onOneNode(fmt.Sprintf("counters/%d", units), devices, claim(request("r", "any", int64(units+1))))
	set := slice("n1", "gpu.example.com", "n1", 2, nil)
	set.Name = "counters"
	set.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse(fmt.Sprint(units))}}}}
	p.slices[0].Spec.Pool.ResourceSliceCount = 2
	p.slices = append(p.slices, set)
	return p
}
