package autoscaler

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
)

// cluster has the objects of dynamic resource allocation in memory, as the framework asks for them.
type cluster struct {
	classes []*resourceapi.DeviceClass
	slices  []*resourceapi.ResourceSlice
	claims  map[string]*resourceapi.ResourceClaim // by namespace/name
	pending map[types.UID]*resourceapi.ResourceClaim
}

var errWrites = errors.New("nothing is written in a simulation")

func newCluster(classes []resourceapi.DeviceClass, slices []resourceapi.ResourceSlice, claims []resourceapi.ResourceClaim) *cluster {
	c := &cluster{claims: map[string]*resourceapi.ResourceClaim{}, pending: map[types.UID]*resourceapi.ResourceClaim{}}
	for i := range classes {
		c.classes = append(c.classes, &classes[i])
	}
	for i := range slices {
		c.slices = append(c.slices, &slices[i])
	}
	for i := range claims {
		c.claims[claims[i].Namespace+"/"+claims[i].Name] = claims[i].DeepCopy()
	}
	return c
}

// settle makes what the plugin reserved for the pod what its claims have.
func (c *cluster) settle(pod *corev1.Pod) {
	for _, entry := range pod.Spec.ResourceClaims {
		claim := c.claims[pod.Namespace+"/"+*entry.ResourceClaimName]
		if reserved, ok := c.pending[claim.UID]; ok {
			claim.Status.Allocation = reserved.Status.Allocation
			delete(c.pending, claim.UID)
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor,
			resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
	}
}

func (c *cluster) ResourceClaims() fwk.ResourceClaimTracker     { return claimTracker{c} }
func (c *cluster) ResourceSlices() fwk.ResourceSliceLister      { return sliceLister{c} }
func (c *cluster) DeviceClasses() fwk.DeviceClassLister         { return classLister{c} }
func (c *cluster) DeviceClassResolver() fwk.DeviceClassResolver { return noExtendedResources{} }

type noExtendedResources struct{}

func (noExtendedResources) GetDeviceClass(corev1.ResourceName) *resourceapi.DeviceClass { return nil }

type sliceLister struct{ *cluster }

func (l sliceLister) ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error) {
	return l.slices, nil
}

type classLister struct{ *cluster }

func (l classLister) List() ([]*resourceapi.DeviceClass, error) { return l.classes, nil }

func (l classLister) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range l.classes {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "deviceclasses"}, name)
}

type claimTracker struct{ *cluster }

func (t claimTracker) List() ([]*resourceapi.ResourceClaim, error) {
	var all []*resourceapi.ResourceClaim
	for _, claim := range t.claims {
		all = append(all, claim)
	}
	return all, nil
}

func (t claimTracker) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	if claim, ok := t.claims[namespace+"/"+name]; ok {
		return claim, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "resourceclaims"}, name)
}

func (t claimTracker) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	devices := sets.New[structured.DeviceID]()
	for _, claim := range t.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			devices.Insert(structured.MakeDeviceID(result.Driver, result.Pool, result.Device))
		}
	}
	return devices, nil
}

func (t claimTracker) GatherAllocatedState() (*structured.AllocatedState, error) {
	devices, err := t.ListAllAllocatedDevices()
	return &structured.AllocatedState{
		AllocatedDevices:         devices,
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.ConsumedCapacityCollection{},
	}, err
}

func (t claimTracker) SignalClaimPendingAllocation(uid types.UID, allocated *resourceapi.ResourceClaim) error {
	t.pending[uid] = allocated
	return nil
}

func (t claimTracker) GetPendingAllocation(uid types.UID) *resourceapi.AllocationResult {
	if claim, ok := t.pending[uid]; ok {
		return claim.Status.Allocation
	}
	return nil
}

func (t claimTracker) MaybeRemoveClaimPendingAllocation(uid types.UID, _ bool) bool {
	_, there := t.pending[uid]
	delete(t.pending, uid)
	return there
}

func (t claimTracker) AssumeClaimAfterAPICall(*resourceapi.ResourceClaim) error { return errWrites }
func (t claimTracker) AssumedClaimRestore(string, string)                       {}
