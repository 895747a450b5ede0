package allocator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// What upstream gets for one generated case, as its search may be exponential; and for a recorded one, which ends in a
// second or two where nothing else runs.
const (
	patience         = 2 * time.Second
	recordedPatience = time.Minute
)

// errNoAnswer: upstream took too long, or panicked. Nothing to compare with.
var errNoAnswer = errors.New("upstream gave no answer")

var anyShareID = types.UID("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")

func init() {
	// The stable implementation walks pools in the random order of a Go map.
	structured.EnableAllocators("incubating", "experimental")
}

// celCache keeps compiled expressions, which cost most. (The scheduler's environment for stored expressions ignores the
// switches.)
var celCache = cel.NewCache(1000, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})

type classLister []resourceapi.DeviceClass

func (l classLister) List() ([]*resourceapi.DeviceClass, error) {
	var all []*resourceapi.DeviceClass
	for i := range l {
		all = append(all, &l[i])
	}
	return all, nil
}

func (l classLister) Get(name string) (*resourceapi.DeviceClass, error) {
	for i := range l {
		if l[i].Name == name {
			return &l[i], nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, "not found")
}

var presets = map[string]structured.Features{
	"default": {
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: true,
	},
	"all": {
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: true,
		ListTypeAttributes: true, OptionalNodeOperations: true, DerivedAttributes: true, CompatibilityGroups: true,
	},
}

func (c *Case) features() (structured.Features, error) {
	if c.FeaturePreset != "" {
		return presets[c.FeaturePreset], nil
	}
	var features structured.Features
	value := reflect.ValueOf(&features).Elem()
	for name, on := range c.Features {
		field := value.FieldByName(name)
		if !field.IsValid() {
			return features, fmt.Errorf("no feature %s", name)
		}
		field.SetBool(on)
	}
	return features, nil
}

// slices with the taints of DeviceTaintRules, as the tracker hands them to the scheduler.
func (c *Case) patchedSlices(taints bool) []*resourceapi.ResourceSlice {
	var all []*resourceapi.ResourceSlice
	for i := range c.Slices {
		slice := c.Slices[i].DeepCopy()
		all = append(all, slice)
		if !taints {
			continue
		}
		for _, rule := range c.DeviceTaintRules {
			selector := rule.Spec.DeviceSelector
			if selector == nil {
				selector = &resourceapi.DeviceTaintSelector{}
			}
			matches := func(want *string, got string) bool { return want == nil || *want == got }
			if !matches(selector.Driver, slice.Spec.Driver) || !matches(selector.Pool, slice.Spec.Pool.Name) {
				continue
			}
			for d := range slice.Spec.Devices {
				if matches(selector.Device, slice.Spec.Devices[d].Name) {
					slice.Spec.Devices[d].Taints = append(slice.Spec.Devices[d].Taints, rule.Spec.Taint)
				}
			}
		}
	}
	return all
}

func (s *AllocatedState) upstream() (structured.AllocatedState, error) {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, d := range s.Devices {
		state.AllocatedDevices.Insert(structured.MakeDeviceID(d.Driver, d.Pool, d.Device))
	}
	for _, d := range s.SharedDeviceIDs {
		id := types.UID(d.ShareID)
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(structured.MakeDeviceID(d.Driver, d.Pool, d.Device), &id))
	}
	for _, d := range s.AggregatedCapacity {
		consumed := map[resourceapi.QualifiedName]resource.Quantity{}
		for name, text := range d.Capacity {
			amount, err := resource.ParseQuantity(text)
			if err != nil {
				return state, err
			}
			consumed[resourceapi.QualifiedName(name)] = amount
		}
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(structured.MakeDeviceID(d.Driver, d.Pool, d.Device), consumed))
	}
	return state, nil
}

// answer has upstream's allocator answer the case.
func (c *Case) answer(ctx context.Context) error { return c.answerWithin(ctx, patience) }

func (c *Case) answerWithin(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := c.ask(ctx)
	c.Oracle = &Oracle{Nodes: []Answer{answer}}
	return err
}

func (c *Case) ask(ctx context.Context) (answer Answer, err error) {
	defer func() {
		if recover() != nil {
			err = errNoAnswer
		}
	}()
	features, err := c.features()
	if err != nil {
		return Answer{}, err
	}
	state, err := c.AllocatedState.upstream()
	if err != nil {
		return Answer{}, err
	}
	allocator, err := structured.NewAllocator(ctx, features, state, classLister(c.Classes), c.patchedSlices(features.DeviceTaints), celCache)
	if err != nil {
		return Answer{}, err
	}
	var claims []*resourceapi.ResourceClaim
	for i := range c.Claims {
		claims = append(claims, &c.Claims[i])
	}
	results, err := allocator.Allocate(ctx, c.Node, claims)
	if ctx.Err() != nil {
		return Answer{}, errNoAnswer
	}
	answer = Answer{Node: c.Node.Name, Results: results}
	if err != nil {
		answer.Error = err.Error()
		answer.ErrorKind = "fatal"
		if errors.Is(err, structured.ErrFailedAllocationOnNode) {
			answer.ErrorKind = "node"
		}
	}
	for i := range answer.Results {
		for j := range answer.Results[i].Devices.Results {
			if answer.Results[i].Devices.Results[j].ShareID != nil {
				answer.Results[i].Devices.Results[j].ShareID = &anyShareID
			}
		}
	}
	return answer, nil
}
