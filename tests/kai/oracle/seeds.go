package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Clusters of one run; another run begins where one commit earlier ended.
const perRun = 2000

// count is DRAY_KAI_CASES; else a run's, of which -short takes few.
func count(t testing.TB) int {
	t.Helper()
	if number, ok := fromEnvironment(t, "DRAY_KAI_CASES"); ok {
		return int(number)
	}
	if testing.Short() {
		return 100
	}
	return perRun
}

// firstSeed is DRAY_KAI_SEED; else it advances with each commit, so that no two commits ask the same and a run can be
// repeated. It is printed either way.
func firstSeed(t testing.TB) uint64 {
	t.Helper()
	seed, ok := fromEnvironment(t, "DRAY_KAI_SEED")
	if !ok {
		seed = commits() * perRun
	}
	t.Logf("DRAY_KAI_SEED=%d repeats this run", seed)
	return seed
}

// commits of this repository up to now; 0 where it is none.
func commits() uint64 {
	_, here, _, _ := runtime.Caller(0)
	output, err := exec.Command("git", "-C", filepath.Dir(here), "rev-list", "--count", "HEAD").Output()
	if err != nil {
		return 0
	}
	number, _ := strconv.ParseUint(strings.TrimSpace(string(output)), 10, 64)
	return number
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
