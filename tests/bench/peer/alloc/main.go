// Command alloc times Kubernetes' structured allocator on the problems of dray_alloc_bench, on every node of each: a JSON
// line a problem, its name, the nanoseconds of a node, of how many nodes the claim got devices, and how many.
//
//	alloc [-patience 10s] [PART OF A NAME]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
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

// line is what is printed of a problem.
type line struct {
	Name    string         `json:"name"`
	NS      float64        `json:"ns"`       // of one node
	Alone   float64        `json:"alone_ns"` // of one of the first hundred, with nothing remembered
	AtLeast bool           `json:"atLeast,omitempty"`
	Work    map[string]int `json:"work,omitempty"`
}

const nodesAlone = 100

// answer is what all nodes together got.
type answer struct{ allocated, devices int }

// sweep asks one allocator of these nodes, with the expressions that the cache has.
func (p *problem) sweep(nodes []*corev1.Node, cache *dracel.Cache) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(len(nodes))**patience)
	defer cancel()
	state := structured.AllocatedState{AllocatedDevices: p.used,
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	var all answer
	allocator, err := structured.NewAllocator(ctx, features, state, lister(p.classes), p.slices, cache)
	if err != nil {
		return all, err
	}
	for _, node := range nodes {
		results, err := allocator.Allocate(ctx, node, []*resourceapi.ResourceClaim{p.claim})
		if err != nil {
			return all, err
		}
		if len(results) > 0 {
			all.allocated++
		}
		for _, result := range results {
			all.devices += len(result.Devices.Results)
		}
	}
	return all, nil
}

func newCache() *dracel.Cache {
	return dracel.NewCache(10, dracel.Features{EnableConsumableCapacity: true})
}

// measure is the mean over the problem's nodes, with compiled expressions at hand, and with none; the least of up to
// five times.
func measure(p problem) (line, error) {
	made := line{Name: p.name}
	cache := newCache()
	if len(p.nodes) > 1 {
		if _, err := p.sweep(p.nodes[:1], cache); err != nil { // compiles the expressions
			return made, err
		}
	}
	var all answer
	spent, err := least(func() (err error) {
		all, err = p.sweep(p.nodes, cache)
		return err
	})
	made.NS = spent / float64(len(p.nodes))
	if errors.Is(err, context.DeadlineExceeded) {
		made.AtLeast, made.Alone = true, made.NS
		return made, nil
	}
	if err != nil {
		return made, err
	}
	made.Work = map[string]int{"nodes": len(p.nodes), "allocated": all.allocated, "devices": all.devices}
	some := p.nodes[:min(len(p.nodes), nodesAlone)]
	spent, err = least(func() error {
		for i := range some {
			if _, err := p.sweep(some[i:i+1], newCache()); err != nil {
				return err
			}
		}
		return nil
	})
	made.Alone = spent / float64(len(some))
	if errors.Is(err, context.DeadlineExceeded) {
		made.AtLeast = true
		return made, nil
	}
	return made, err
}

// least of up to five calls within the patience for one, in nanoseconds of wall time (tests/bench/stopwatch.h says why). A
// call that ran out of patience after others that did not leaves theirs.
func least(call func() error) (float64, error) {
	best, began := time.Duration(1<<62), time.Now()
	for n := 0; n < 5 && (n == 0 || time.Since(began) < *patience); n++ {
		start := time.Now()
		err := call()
		if n > 0 && errors.Is(err, context.DeadlineExceeded) {
			break
		}
		best = min(best, time.Since(start))
		if err != nil {
			return float64(best), err
		}
	}
	return float64(best), nil
}

func main() {
	flag.Parse()
	problems := []func() problem{
		func() problem { return farm("four_gpus", 5000, 20, nil) },
		func() problem { return farm("four_gpus_unlike", 5000, 1, unlike) },
		func() problem { return farm("one_pool", 2000, 1, onePool(2000)) },
		func() problem { return manyOfOneKind(3) }, func() problem { return manyOfOneKind(4) },
		func() problem { return manyOfOneKind(16) },
		func() problem { return manyRequests(64, 3) }, func() problem { return manyRequests(64, 4) },
		func() problem { return manyRequests(8, 7) },
		func() problem { return twoGroups(36) }, func() problem { return twoGroups(44) },
		func() problem { return counters(8) }, func() problem { return counters(12) },
	}
	output := json.NewEncoder(os.Stdout)
	for _, make := range problems {
		p := make()
		if !strings.Contains(p.name, flag.Arg(0)) {
			continue
		}
		made, err := measure(p)
		if err == nil {
			err = output.Encode(made)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
			os.Exit(1)
		}
	}
}
