package celoracle

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"

	"dray.dev/dray/tests/oracle/cases"
)

// Ask writes what Kubernetes answers to an expression, in all forms, on a device of that number; and what dray says
// where it says something else. Whether they agree.
func Ask(out io.Writer, text string, number uint64) (bool, error) {
	oracle := newOracle()
	one := newDevice(rand.New(rand.NewPCG(number, 0)))
	agreed := true
	for _, asked := range []form{asSelector, asValue, asNew, asNewLists} {
		answers := oracle.answer(question{leaf(nil, text), []device{one}, asked})
		for _, answer := range answers {
			shown, err := json.Marshal(answer)
			if err != nil {
				return false, err
			}
			fmt.Fprintf(out, "%s: %s\n", asked, shown)
			answer["id"] = "asked"
		}
		result, err := cases.Run("cel", answers)
		if err != nil {
			return false, err
		}
		for _, failure := range result.Failures {
			agreed = false
			fmt.Fprintf(out, "  dray: %s\n", failure.Got)
		}
	}
	return agreed, nil
}
