package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// celDevice is a device as the workload's file has it.
type celDevice struct {
	Driver                   string
	AllowMultipleAllocations *bool
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	Capacity                 map[resourceapi.QualifiedName]struct{ Value string }
}

// benchmarkCEL times compiling each selector of a file of JSON lines, without the estimate, as kube-scheduler does, and
// DeviceMatches on all devices of a file: the mean of one.
func benchmarkCEL(files []string) error {
	if len(files) != 2 {
		return fmt.Errorf("cel needs SELECTORS.jsonl and DEVICES.json")
	}
	devices, err := readDevices(files[1])
	if err != nil {
		return err
	}
	selectors, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer selectors.Close()
	compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true})
	lines := bufio.NewScanner(selectors)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Expr string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return err
		}
		options := dracel.Options{DisableCostEstimation: true}
		compiled := compiler.CompileCELExpression(line.Expr, options)
		if compiled.Error != nil {
			continue
		}
		work := map[string]int{"yes": 0, "no": 0, "error": 0}
		for _, device := range devices {
			// "no such key" is an answer like others.
			matches, _, err := compiled.DeviceMatches(context.Background(), device)
			switch {
			case err != nil:
				work["error"]++
			case matches:
				work["yes"]++
			default:
				work["no"]++
			}
		}
		evaluate := nanoseconds(40, func() {
			for _, device := range devices {
				_, _, _ = compiled.DeviceMatches(context.Background(), device)
			}
		}) / float64(len(devices))
		compile := nanoseconds(64, func() { compiler.CompileCELExpression(line.Expr, options) })
		err := report(map[string]any{"name": line.Expr, "evaluate_ns": evaluate, "matches_ns": evaluate, "compile_ns": compile,
			"work": work})
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

func readDevices(file string) ([]dracel.Device, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all map[string]celDevice
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var devices []dracel.Device
	for _, name := range names {
		one := all[name]
		device := dracel.Device{Driver: one.Driver, AllowMultipleAllocations: one.AllowMultipleAllocations,
			Attributes: one.Attributes,
			Capacity:   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
		for id, value := range one.Capacity {
			amount, err := resource.ParseQuantity(value.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %s: %w", file, name, id, err)
			}
			device.Capacity[id] = resourceapi.DeviceCapacity{Value: amount}
		}
		devices = append(devices, device)
	}
	return devices, nil
}
