// Command alloc times Kubernetes' structured allocator on the problems of dray_alloc_bench: one line a problem, its name
// and the nanoseconds a node took.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	dracel "k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// patience: what kube-scheduler gives a node by default is ten seconds.
var patience = flag.Duration("patience", 10*time.Second, "for one node")

// The defaults of Kubernetes 1.37.
var features = structured.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
	DeviceBindingAndStatus: true, ConsumableCapacity: true, FractionalCapacityRange: true}

type lister []resourceapi.DeviceClass

func (l lister) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }
func (l lister) Get(name string) (*resourceapi.DeviceClass, error) {
	for i := range l {
		if l[i].Name == name {
			return &l[i], nil
		}
	}
	return nil, fmt.Errorf("no class %s", name)
}

// perNode is the mean over the problem's nodes, with compiled expressions at hand.
func perNode(p problem) (time.Duration, error) {
	ctx := context.Background()
	cache := dracel.NewCache(10, dracel.Features{EnableConsumableCapacity: true})
	state := structured.AllocatedState{AllocatedDevices: sets.New(p.inUse...),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	run := func(nodes []*corev1.Node) error {
		allocator, err := structured.NewAllocator(ctx, features, state, lister(p.classes), p.slices, cache)
		if err != nil {
			return err
		}
		for _, node := range nodes {
			limited, cancel := context.WithTimeout(ctx, *patience)
			_, err := allocator.Allocate(limited, node, []*resourceapi.ResourceClaim{p.claim})
			cancel()
			if err != nil {
				return err
			}
		}
		return nil
	}
	if p.ask > 1 {
		if err := run(p.nodes[:1]); err != nil { // compiles the expressions
			return 0, err
		}
	}
	start := time.Now()
	err := run(p.nodes[:p.ask])
	return time.Since(start) / time.Duration(p.ask), err
}

func main() {
	flag.Parse()
	problems := []problem{
		farm("four_gpus", 5000, 20, 5000, false),
		farm("one_pool/5000", 5000, 1, 20, true),
		manyOfOneKind(3), manyOfOneKind(4), manyOfOneKind(16),
		manyRequests(64, 3), manyRequests(64, 4), manyRequests(8, 7),
		twoGroups(36), twoGroups(44), counters(8), counters(12),
	}
	for _, p := range problems {
		took, err := perNode(p)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			fmt.Printf("%s >%d\n", p.name, took.Nanoseconds())
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
			os.Exit(1)
		default:
			fmt.Printf("%s %d\n", p.name, took.Nanoseconds())
		}
	}
}
