package celoracle

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dray.dev/dray/tests/oracle/cases"
)

// ours is where the repository's own cases are.
const ours = "../../cases/cel"

// TestRecorded asks Kubernetes the repository's own cases again: what they expect of dray is what it says. Texts of syntax
// errors are compared by their place, as dray_cases does.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(ours, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", ours, err)
	}
	var beside json.RawMessage = readFile(t, filepath.Join(ours, "gen_device.json"))
	oracle := newOracle()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			lines := bufio.NewScanner(strings.NewReader(string(readFile(t, file))))
			lines.Buffer(nil, 1<<20)
			asked := 0
			for lines.Scan() {
				var recorded cases.Case
				if err := json.Unmarshal(lines.Bytes(), &recorded); err != nil {
					t.Fatal(err)
				}
				asked++
				compareRecorded(t, oracle, recorded, beside)
			}
			if asked == 0 {
				t.Error("no cases")
			}
			t.Logf("%d cases", asked)
		})
	}
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compareRecorded compares each field that the case has, but what was asked.
func compareRecorded(t *testing.T, oracle *oracle, recorded cases.Case, beside json.RawMessage) {
	t.Helper()
	text := recorded["expr"].(string)
	said, asked := json.RawMessage(beside), asValue
	if own, ok := recorded["device"]; ok {
		said, _ = json.Marshal(own)
	}
	if recorded["selector"] == true {
		asked = asSelector
	}
	answers := oracle.answer(question{leaf(nil, text), []device{readDevice(t, said)}, asked})
	if len(answers) != 1 {
		t.Fatalf("%s: %d answers", text, len(answers))
	}
	answer := asJSON(t, answers[0])
	for field, want := range recorded {
		got := answer[field]
		switch {
		case field == "expr" || field == "device" || field == "selector":
		case field == "syntax_error":
			if told, _ := answer["compile_error"].(string); !strings.Contains(told, "Syntax error") {
				t.Errorf("%s: recorded as a syntax error, upstream says %q", text, told)
			}
		case !reflect.DeepEqual(got, want):
			t.Errorf("%s: %s\n  recorded: %v\n  upstream: %v", text, field, want, got)
		}
	}
	for _, field := range []string{"compile_error", "error"} {
		if recorded[field] == nil && answer[field] != nil {
			t.Errorf("%s: recorded without %s, upstream says %v", text, field, answer[field])
		}
	}
}

func asJSON(t *testing.T, one cases.Case) cases.Case {
	t.Helper()
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	var read cases.Case
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// readDevice reads a device of the case files.
func readDevice(t *testing.T, text json.RawMessage) device {
	t.Helper()
	var said struct {
		Driver     string                                `json:"driver"`
		Multiple   bool                                  `json:"allowMultipleAllocations"`
		Attributes map[string]map[string]json.RawMessage `json:"attributes"`
		Capacity   map[string]struct {
			Value string `json:"value"`
		} `json:"capacity"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	one := device{driver: said.Driver, multiple: said.Multiple, attributes: map[string]attribute{},
		capacity: map[string]string{}}
	for name, amount := range said.Capacity {
		one.capacity[name] = amount.Value
	}
	for name, kinds := range said.Attributes {
		one.attributes[name] = attribute{}
		for kind, value := range kinds {
			one.attributes[name][kind] = readAttribute(t, kind, value)
		}
	}
	return one
}

func readAttribute(t *testing.T, kind string, text json.RawMessage) any {
	t.Helper()
	into := map[string]any{"int": new(int64), "bool": new(bool), "string": new(string), "version": new(string),
		"ints": new([]int64), "bools": new([]bool), "strings": new([]string), "versions": new([]string)}[kind]
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("attribute of kind %s: %v", kind, err)
	}
	return reflect.ValueOf(into).Elem().Interface()
}
