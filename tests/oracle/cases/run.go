// Package cases holds dray against the code that Kubernetes runs: a test makes cases with upstream's answers in the
// format of a suite of dray_cases, has them run, and fails where dray says something else.
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Case is one line of a suite's file: what json.Marshal makes of it. Its member "id" is unique within a run, without
// white space.
type Case = map[string]any

// Failure is a case whose answer differs from upstream's.
type Failure struct {
	ID, Got, Want string
}

// Result is what became of the cases of one run.
type Result struct {
	Passed, Failed, Skipped int
	Failures                []Failure
}

// program is dray_cases: $DRAY_CASES, or where `dev build` leaves it.
func program() (string, error) {
	path := os.Getenv("DRAY_CASES")
	if path == "" {
		_, here, _, _ := runtime.Caller(0)
		path = filepath.Join(filepath.Dir(here), "../../../build/release/bin/dray_cases")
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (./dev build leaves it there; DRAY_CASES names another one)", err)
	}
	return path, nil
}

// Run has dray_cases run the cases of a suite.
func Run(suite string, all []Case) (Result, error) {
	path, err := program()
	if err != nil {
		return Result{}, err
	}
	folder, err := os.MkdirTemp("", "dray-oracle-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "oracle.jsonl")
	if err := write(file, all); err != nil {
		return Result{}, err
	}
	output, err := exec.Command(path, suite, file).CombinedOutput()
	// 1 says that cases failed; anything else is no answer.
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return Result{}, fmt.Errorf("dray_cases %s: %w\n%s", suite, err, tail(output))
	}
	result, err := parse(string(output))
	if err == nil && result.Passed+result.Failed+result.Skipped != len(all) {
		err = fmt.Errorf("dray_cases %s: %d cases went in, %+v came out", suite, len(all), result)
	}
	return result, err
}

// Check fails the test for each case (of at most ten in full) whose answer differs.
func Check(t testing.TB, suite string, all []Case) Result {
	t.Helper()
	result, err := Run(suite, all)
	if err != nil {
		t.Fatal(err)
	}
	for i, failure := range result.Failures {
		if i == 10 {
			t.Errorf("and %d more", len(result.Failures)-i)
			break
		}
		t.Errorf("%s\n  dray:     %s\n  upstream: %s", failure.ID, failure.Got, failure.Want)
	}
	return result
}

func write(file string, all []Case) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, one := range all {
		if err := encoder.Encode(one); err != nil {
			return fmt.Errorf("case %v: %w", one["id"], err)
		}
	}
	return os.WriteFile(file, lines.Bytes(), 0o600)
}

var closing = regexp.MustCompile(`(?m)^(\d+) passed, (\d+) failed, (\d+) skipped\n\z`)
var failed = regexp.MustCompile(`(?ms)^FAIL (\S+)[^\n]*\n.*?^  got:  (.*?)\n  want: (.*?)\n(?:FAIL |skipped \d|\d+ passed, )`)

// parse reads what dray_cases prints. Texts of several lines belong to their case.
func parse(output string) (Result, error) {
	counts := closing.FindStringSubmatch(output)
	if counts == nil {
		return Result{}, fmt.Errorf("dray_cases did not close with its counts:\n%s", tail([]byte(output)))
	}
	var result Result
	result.Passed, _ = strconv.Atoi(counts[1])
	result.Failed, _ = strconv.Atoi(counts[2])
	result.Skipped, _ = strconv.Atoi(counts[3])
	for rest := output; ; {
		found := failed.FindStringSubmatchIndex(rest)
		if found == nil {
			break
		}
		result.Failures = append(result.Failures,
			Failure{ID: rest[found[2]:found[3]], Got: rest[found[4]:found[5]], Want: rest[found[6]:found[7]]})
		rest = rest[found[7]+1:]
	}
	if len(result.Failures) != result.Failed {
		return result, fmt.Errorf("dray_cases tells of %d failures and shows %d:\n%s", result.Failed,
			len(result.Failures), tail([]byte(output)))
	}
	return result, nil
}

func tail(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
