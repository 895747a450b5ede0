package celoracle

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"dray.dev/dray/tests/oracle/cases"
)

// TestAsk prints what Kubernetes answers to $DRAY_ORACLE_EXPR (expressions on lines of their own), in all forms, and
// fails where dray says something else: for a look at one expression.
func TestAsk(t *testing.T) {
	expressions := os.Getenv("DRAY_ORACLE_EXPR")
	if expressions == "" {
		t.Skip("DRAY_ORACLE_EXPR names no expression")
	}
	oracle := newOracle()
	one := newDevice(rand.New(rand.NewPCG(1, 0)))
	for _, text := range strings.Split(expressions, "\n") {
		for _, asked := range []form{asSelector, asValue, asNew} {
			answers := oracle.answer(question{leaf(nil, text), []device{one}, asked})
			for _, answer := range answers {
				answer["id"] = "ask"
				shown, _ := json.Marshal(answer)
				t.Logf("%s", shown)
			}
			cases.Check(t, "cel", answers)
		}
	}
}
