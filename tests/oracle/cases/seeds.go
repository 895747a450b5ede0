package cases

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Count is how much of a generated test to do: `short` under `go test -short`, as in the gate; else `long`;
// DRAY_ORACLE_CASES overrules both.
func Count(t testing.TB, short, long int) int {
	t.Helper()
	if number, ok := fromEnvironment(t, "DRAY_ORACLE_CASES"); ok {
		return int(number)
	}
	if testing.Short() {
		return short
	}
	return long
}

// Seed is DRAY_ORACLE_SEED; else 1 under -short, so that a gate repeats, and another one at each long run. It is
// printed either way.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, ok := fromEnvironment(t, "DRAY_ORACLE_SEED")
	if !ok {
		seed = 1
		if !testing.Short() {
			seed = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("DRAY_ORACLE_SEED=%d repeats this run", seed)
	return seed
}

func fromEnvironment(t testing.TB, name string) (uint64, bool) {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 0, false
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return number, true
}
