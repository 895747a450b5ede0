package autoscaler

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	gpuDriver = "gpu.example.com"
	nicDriver = "nic.example.com"
	numa      = "example.com/numa"
)

type generator struct {
	*rand.Rand
	c *Case
}

// Generate makes the case of a seed: a cluster whose devices are all taken, groups that can grow, jobs that wait.
func Generate(seed uint64) *Case {
	g := &generator{rand.New(rand.NewPCG(seed, 41)), &Case{ID: fmt.Sprintf("autoscaler-%d", seed)}}
	g.c.Most = 1 + g.IntN(5)
	for _, driver := range []string{gpuDriver, nicDriver} {
		class := resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: driver}}
		class.Spec.Selectors = []resourceapi.DeviceSelector{cel(fmt.Sprintf("device.driver == '%s'", driver))}
		g.c.Classes = append(g.c.Classes, class)
	}
	for i := range 1 + g.IntN(3) {
		g.c.Groups = append(g.c.Groups, g.group(string(rune('a'+i))))
	}
	for i := range g.IntN(3) {
		g.fullNode(fmt.Sprintf("old-%d", i))
	}
	for i := range 1 + g.IntN(4) {
		g.job(fmt.Sprintf("job-%d", i), int32(100-i))
	}
	return g.c
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func cel(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

func amounts(cpu, pods int) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(int64(cpu), resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods:   *resource.NewQuantity(int64(pods), resource.DecimalSI),
	}
}

func (g *generator) group(name string) Group {
	group := Group{Name: name, MaxNodes: ptr.To(g.IntN(5))}
	group.Node.Labels = map[string]string{"pool": name, "zone": pick(g, "z1", "z2")}
	group.Node.Status.Allocatable = amounts(2<<g.IntN(4), pick(g, 110, 110, 2))
	if g.chance(25) {
		group.Node.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	}
	group.Slices = append(group.Slices, g.gpus()...)
	if g.chance(50) {
		group.Slices = append(group.Slices, g.devices(nicDriver, 1+g.IntN(2)))
	}
	return group
}

func (g *generator) gpus() []resourceapi.ResourceSlice {
	slice := g.devices(gpuDriver, g.IntN(9))
	if len(slice.Spec.Devices) > 0 && g.chance(25) {
		return g.partition(&slice)
	}
	return []resourceapi.ResourceSlice{slice}
}

func (g *generator) devices(driver string, count int) resourceapi.ResourceSlice {
	slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver}}
	slice.Spec = resourceapi.ResourceSliceSpec{
		Driver: driver,
		Pool:   resourceapi.ResourcePool{Name: driver, Generation: 1, ResourceSliceCount: 1},
	}
	for i := range count {
		device := resourceapi.Device{Name: fmt.Sprintf("d-%d", i)}
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			numa:      {IntValue: ptr.To(int64(g.IntN(2)))},
			"model":   {StringValue: ptr.To(pick(g, "large", "large", "small"))},
			"version": {VersionValue: ptr.To(pick(g, "1.0.0", "2.1.0"))},
		}
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse(pick(g, "40Gi", "80Gi"))},
		}
		if g.chance(10) {
			device.Taints = []resourceapi.DeviceTaint{{Key: "sick", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	return slice
}

// partition makes the devices parts of something that has less than all of them take. Its counters are a slice of their own.
func (g *generator) partition(slice *resourceapi.ResourceSlice) []resourceapi.ResourceSlice {
	counter := func(n int) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(int64(n), resource.DecimalSI)}}
	}
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{
			{CounterSet: "card", Counters: counter(1 + g.IntN(3))}}
	}
	slice.Spec.Pool.ResourceSliceCount = 2
	counters := *slice.DeepCopy()
	counters.Name, counters.Spec.Devices = "counters", nil
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "card", Counters: counter(1 + g.IntN(6))}}
	return []resourceapi.ResourceSlice{*slice, counters}
}

func (g *generator) fullNode(name string) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{}}}
	if g.chance(60) {
		for key, value := range pick(g, g.c.Groups...).Node.Labels {
			node.Labels[key] = value
		}
	}
	node.Status.Allocatable = amounts(64, 110)
	g.c.Nodes = append(g.c.Nodes, node)
	slice := g.devices(gpuDriver, 2)
	slice.Name, slice.Spec.Pool.Name, slice.Spec.NodeName = name, name, &node.Name
	g.c.Slices = append(g.c.Slices, slice)
	pod := g.pod("running-"+name, 1)
	pod.Spec.NodeName, pod.Spec.SchedulingGates, pod.Status.Phase = name, nil, corev1.PodRunning
	claim := g.claim(pod.Name, resourceapi.DeviceRequest{
		Name:    "all",
		Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: gpuDriver, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2},
	})
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for _, device := range slice.Spec.Devices {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "all", Driver: gpuDriver, Pool: name, Device: device.Name})
	}
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	use(pod, claim)
	g.c.Claims = append(g.c.Claims, *claim)
	g.c.Running = append(g.c.Running, pod)
}

func (g *generator) pod(name string, cpu int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	pod.Spec.SchedulerName = "dray-scheduler"
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "dray.dev/admission"}}
	pod.Status.Phase = corev1.PodPending
	pod.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(int64(cpu), resource.DecimalSI)},
	}}}
	return pod
}

func (g *generator) claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("claim-" + name)}}
	claim.Spec.Devices.Requests = requests
	return claim
}

func use(pod *corev1.Pod, claim *resourceapi.ResourceClaim) {
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims,
		corev1.PodResourceClaim{Name: "devices", ResourceClaimName: &claim.Name})
}

func (g *generator) job(name string, priority int32) {
	job := Job{Name: name, Closed: g.chance(20)}
	count := 1
	if g.chance(50) {
		count = 2 + g.IntN(4)
	}
	spec, claim := g.pod(name, 1+g.IntN(4)), g.wish(name)
	g.place(spec)
	shared := count > 1 && g.chance(10)
	if shared {
		g.c.Claims = append(g.c.Claims, *claim)
	}
	for i := range count {
		if i > 0 && g.chance(15) {
			spec, claim = g.pod(name, 1+g.IntN(4)), g.wish(name)
			g.place(spec)
			shared = false
		}
		pod := spec.DeepCopy()
		pod.Name = fmt.Sprintf("%s-%d", name, i)
		pod.UID = types.UID(pod.Name)
		pod.Spec.Priority = &priority
		if count > 1 {
			pod.Labels = map[string]string{"scheduling.x-k8s.io/pod-group": name}
		}
		if job.Closed {
			pod.Labels = merge(pod.Labels, "dray.dev/queue", "closed")
		}
		own := claim
		if !shared {
			own = claim.DeepCopy()
			own.Name, own.UID = pod.Name, types.UID("claim-"+pod.Name)
			g.c.Claims = append(g.c.Claims, *own)
		}
		use(pod, own)
		job.Pods = append(job.Pods, pod)
	}
	g.c.Jobs = append(g.c.Jobs, job)
}

func merge(labels map[string]string, key, value string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}

// place says which nodes the pod may go to.
func (g *generator) place(pod *corev1.Pod) {
	if g.chance(30) {
		pod.Spec.NodeSelector = map[string]string{"pool": pick(g, "a", "b", "c")}
	}
	if g.chance(20) {
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: "zone", Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{"z1"}}}},
			}}}}
	}
	if g.chance(50) {
		pod.Spec.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
	}
}

// wish is a claim for devices.
func (g *generator) wish(name string) *resourceapi.ResourceClaim {
	claim := g.claim(name, resourceapi.DeviceRequest{Name: "gpu"})
	gpu := &claim.Spec.Devices.Requests[0]
	if g.chance(15) {
		for i, count := range []int64{4, 1} {
			gpu.FirstAvailable = append(gpu.FirstAvailable, resourceapi.DeviceSubRequest{
				Name: fmt.Sprintf("s-%d", i), DeviceClassName: gpuDriver, Selectors: g.selectors(),
				AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count})
		}
	} else {
		gpu.Exactly = &resourceapi.ExactDeviceRequest{DeviceClassName: gpuDriver, Selectors: g.selectors(),
			AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: int64(1 + g.IntN(4))}
		if g.chance(10) {
			gpu.Exactly.AllocationMode, gpu.Exactly.Count = resourceapi.DeviceAllocationModeAll, 0
		}
		if g.chance(30) {
			gpu.Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "sick", Operator: resourceapi.DeviceTolerationOpExists}}
		}
	}
	if g.chance(25) {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{Name: "nic",
			Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: nicDriver,
				AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}})
	}
	if g.chance(30) {
		claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(numa))}}
	}
	return claim
}

func (g *generator) selectors() []resourceapi.DeviceSelector {
	if g.chance(60) {
		return nil
	}
	return []resourceapi.DeviceSelector{cel(pick(g,
		"device.attributes['gpu.example.com'].model == 'large'",
		"device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0",
		"device.attributes['gpu.example.com'].version.isGreaterThan(semver('1.5.0'))"))}
}
