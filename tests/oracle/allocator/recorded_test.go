package allocator

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The answers in the repository's own cases, each of which was a difference once, are upstream's.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("../../cases/allocator/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		for lines := bufio.NewScanner(in); lines.Scan(); {
			var recorded Case
			if err := json.Unmarshal(lines.Bytes(), &recorded); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			asked := recorded
			if err := asked.answerWithin(t.Context(), recordedPatience); err != nil {
				t.Fatalf("%s: %v", asked.ID, err)
			}
			want, _ := json.Marshal(asked.Oracle)
			if got, _ := json.Marshal(recorded.Oracle); string(got) != string(want) {
				t.Errorf("%s\n  recorded: %s\n  upstream: %s", recorded.ID, got, want)
			}
		}
	}
}
