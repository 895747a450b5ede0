package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/apimodel"
)

// The fault simulation is worth what its API server is worth: random operations on the model and on the real one have
// the same answers, leave the same objects and are told alike by watches.
func TestModelOfTheAPIServer(t *testing.T) {
	player := startPlayer(t)
	holdControllers(t)
	const each = 100
	seed, count := uint64(1), 1000
	if !testing.Short() {
		count = 10000
	}
	seed, count = numberFrom(t, "DRAY_MODEL_SEED", seed), int(numberFrom(t, "DRAY_MODEL_OPERATIONS", uint64(count)))
	for played := 0; played < count; played, seed = played+each, seed+1 {
		ops := apimodel.Generate(seed, each)
		difference, err := player.Play(t.Context(), ops)
		if err != nil {
			t.Fatalf("DRAY_MODEL_SEED=%d: %v", seed, err)
		}
		if difference != nil {
			t.Fatalf("DRAY_MODEL_SEED=%d: %v\n%s", seed, difference, story(t, player, ops[:difference.After]))
		}
	}
	t.Logf("%d operations\n%s", count, outcomes(player))
	for op, codes := range player.Outcomes {
		tries := 0
		for _, times := range codes {
			tries += times
		}
		if tries >= 10 && codes["ok"] == 0 {
			t.Errorf("no %s ever succeeded: %v", op, codes)
		}
	}
}

// So is the simulation's controller of claims: beside the real one it makes, names, reserves, frees and deletes the same
// claims.
func TestModelOfTheClaimController(t *testing.T) {
	player := startPlayer(t)
	const each = 50
	count := 300
	if !testing.Short() {
		count = 2000
	}
	seed := numberFrom(t, "DRAY_MODEL_SEED", 1)
	count = int(numberFrom(t, "DRAY_MODEL_OPERATIONS", uint64(count)))
	for played := 0; played < count; played, seed = played+each, seed+1 {
		ops := apimodel.GenerateControlled(seed, each)
		difference, err := player.PlayControlled(t.Context(), ops)
		if err != nil {
			t.Fatalf("DRAY_MODEL_SEED=%d: %v", seed, err)
		}
		if difference != nil {
			t.Fatalf("DRAY_MODEL_SEED=%d: %v", seed, difference)
		}
	}
	t.Logf("%d operations\n%s", count, outcomes(player))
}

// story is the difference again with fewer operations.
func story(t *testing.T, player *apimodel.Player, ops []apimodel.Op) string {
	until := time.Now().Add(time.Minute)
	var last *apimodel.Difference
	short := apimodel.Shrink(ops, func(fewer []apimodel.Op) bool {
		if time.Now().After(until) {
			return false
		}
		found, err := player.Play(t.Context(), fewer)
		if err != nil {
			t.Log(err)
		}
		if found != nil {
			last = found
		}
		return found != nil
	})
	var text strings.Builder
	for _, op := range short {
		line, _ := json.Marshal(op)
		fmt.Fprintf(&text, "  %s\n", line)
	}
	fmt.Fprintf(&text, "  %v\n", last)
	return text.String()
}

func outcomes(player *apimodel.Player) string {
	var text strings.Builder
	for _, op := range slices.Sorted(maps.Keys(player.Outcomes)) {
		fmt.Fprintf(&text, "  %-30s", op)
		for _, code := range slices.Sorted(maps.Keys(player.Outcomes[op])) {
			fmt.Fprintf(&text, " %s %d", code, player.Outcomes[op][code])
		}
		text.WriteString("\n")
	}
	return text.String()
}

func numberFrom(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return number
}

// startPlayer plays in a namespace of its own, without a Lease that would fence dray's account.
func startPlayer(t *testing.T) *apimodel.Player {
	t.Helper()
	program := builtProgram(t, "DRAY_API_MODEL", "dray_api_model")
	t.Cleanup(func() { clean(t) })
	create(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+apimodel.Namespace+"}\n")
	leases := plane.Client.CoordinationV1().Leases("dray-system")
	if err := leases.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	model, err := apimodel.StartProgram(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	server, err := apimodel.NewServer(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(contextAfter(t))
	t.Cleanup(cancel)
	player, err := apimodel.NewPlayer(ctx, model, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := player.Clear(ctx); err != nil {
			t.Error(err)
		}
	})
	return player
}

// holdControllers keeps them still until the test's end, so that nobody else writes. The namespace has to be there: they
// make its service account.
func holdControllers(t *testing.T) {
	t.Helper()
	for _, process := range plane.Processes() {
		if process.Name != "kube-controller-manager" {
			continue
		}
		if err := process.Pause(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = process.Resume() })
	}
}

// builtProgram is a program of the build under test. Without one the tests that need it are skipped, unless the variable
// names it.
func builtProgram(t *testing.T, variable, name string) string {
	t.Helper()
	program := os.Getenv(variable)
	named := program != ""
	if !named {
		program = filepath.Join(repository, "build/release/bin", name)
	}
	program, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		if named {
			t.Fatalf("%s: %v", variable, err)
		}
		t.Skipf("%s is not built: %v", name, err)
	}
	return program
}
