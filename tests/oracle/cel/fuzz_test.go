package celoracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dray.dev/dray/tests/oracle/cases"
)

const (
	devicesEach = 5    // devices an expression is asked of
	batchSize   = 5000 // pairs a run of dray_cases
	shownMost   = 10   // differences that are made small and shown
	// What dray says to a quantity whose digits would fill the memory: docs/cel.md.
	tooLarge = "quantities of 10^10000 and more are not supported"
)

// TestGeneratedExpressions compares compile errors, types, estimates, values, run-time errors and costs on generated
// pairs of an expression and a device.
func TestGeneratedExpressions(t *testing.T) {
	seed := cases.Seed(t)
	pairs := cases.Count(t, 30_000, 1_000_000)
	f := newFuzzer(seed)
	for f.compared < pairs && f.shown < shownMost {
		f.batch(t, min(batchSize, pairs-f.compared))
	}
	t.Logf("%d pairs compared: %d do not compile, %d fail at run time, %d true, %d other values; %d differ where upstream "+
		"itself has more than one answer by Go's order of maps; %d are of quantities of 10^10000 and more; %d expressions that make objects of "+
		"fields left out",
		f.compared, f.tally["compile_error"], f.tally["error"], f.tally["true"], f.tally["value"], f.unsettled, f.tooLarge,
		f.objects)
	if f.tally["compile_error"]*2 > f.compared || f.tally["error"]*2 > f.compared {
		t.Error("most of the expressions are wrong: they say too little")
	}
}

type fuzzer struct {
	oracle    *oracle
	random    *rand.Rand
	generator *generator
	compared  int
	unsettled int // the order of Go's maps decides
	objects   int // left out: they make objects of fields
	tooLarge  int // quantities that dray refuses
	shown     int
	tally     map[string]int
}

func newFuzzer(seed uint64) *fuzzer {
	f := &fuzzer{oracle: newOracle(), random: rand.New(rand.NewPCG(seed, 0)), tally: map[string]int{}}
	f.generator = newGenerator(f.oracle.stored.env, f.random)
	return f
}

// next is a generated question.
func (f *fuzzer) next() question {
	asked := f.any()
	for f.oracle.makesObject(asked) {
		f.objects++
		asked = f.any()
	}
	for len(asked.devices) < devicesEach {
		one := newDevice(f.random)
		if _, err := f.oracle.variables(one); err == nil || asked.form == asSelector {
			asked.devices = append(asked.devices, one)
		}
	}
	return asked
}

// any is a question without its devices.
func (f *fuzzer) any() (asked question) {
	switch chosen := f.random.IntN(20); {
	case chosen < 7:
		asked.form, asked.expression = asSelector, f.generator.selector()
	case chosen < 12:
		asked.form, asked.expression = asValue, f.generator.of(randomType(f.random, 2), 1+f.random.IntN(5))
	case chosen < 16:
		asked.form, asked.expression = asValue, f.generator.library(f.random.IntN(2))
	case chosen < 18:
		asked.form, asked.expression = asValue, f.generator.untyped(f.random.IntN(2))
	default:
		asked.form, asked.expression = pick(f.random, []form{asNew, asNewLists}), f.generator.selector()
	}
	switch f.random.IntN(50) {
	case 0, 1:
		asked.expression = leaf(nil, f.garbled(asked.expression.String()))
	case 2:
		asked.expression = asked.expression.spread(func() string {
			return pick(f.random, []string{" ", "\n", "\t", "  ", "// é\n", "\r\n", "\f"})
		})
	}
	return asked
}

// garbled is a text with a piece taken out, doubled, or moved: mostly a syntax error.
func (f *fuzzer) garbled(text string) string {
	runes := []rune(text)
	from := f.random.IntN(len(runes))
	to := min(len(runes), from+1+f.random.IntN(3))
	piece := string(runes[from:to])
	switch f.random.IntN(3) {
	case 0:
		return string(runes[:from]) + string(runes[to:])
	case 1:
		return string(runes[:to]) + piece + string(runes[to:])
	}
	at := f.random.IntN(len(runes) + 1)
	return string(runes[:at]) + piece + string(runes[at:])
}

func (f *fuzzer) batch(t *testing.T, size int) {
	var all []cases.Case
	byID := map[string]question{}
	for len(all) < size {
		asked := f.next()
		for i, answer := range f.oracle.answer(asked) {
			id := fmt.Sprintf("pair-%d", f.compared+len(all))
			one := asked
			if answer["device"] != nil {
				one.devices = asked.devices[i : i+1]
			}
			answer["id"], byID[id] = id, one
			all = append(all, answer)
			f.count(answer)
		}
	}
	f.compared += len(all)
	result, err := cases.Run("cel", all)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, failure := range result.Failures {
		if strings.Contains(failure.Got, tooLarge) {
			f.tooLarge++
			continue
		}
		asked := byID[failure.ID]
		if text := asked.expression.String(); !seen[text] && f.shown < shownMost {
			seen[text] = true
			f.show(t, asked)
		}
	}
}

func (f *fuzzer) count(answer cases.Case) {
	for _, kind := range []string{"compile_error", "error"} {
		if answer[kind] != nil {
			f.tally[kind]++
			return
		}
	}
	if answer["matches"] == true {
		f.tally["true"]++
		return
	}
	f.tally["value"]++
}

// show makes a question that is answered differently small, and fails the test with it; not where upstream itself has
// more than one answer.
func (f *fuzzer) show(t *testing.T, asked question) {
	t.Helper()
	if !f.oracle.settled(asked, ordersTold) {
		f.unsettled++
		return
	}
	f.shown++
	small, err := cases.Shrink(asked, smaller, f.differ)
	if err != nil {
		t.Fatal(err)
	}
	// A smaller device has fewer orders: all keys of a large one come sorted once in many years.
	if !f.oracle.settled(small, ordersTold) {
		f.shown--
		f.unsettled++
		return
	}
	answers := f.oracle.answer(small)
	for i := range answers {
		answers[i]["id"] = fmt.Sprintf("small-%d", i)
	}
	result, err := cases.Run("cel", answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range result.Failures {
		t.Errorf("%s\n  device:   %+v\n  dray:     %s\n  upstream: %s\n  as:       %s", small.expression,
			small.devices, failure.Got, failure.Want, small.form)
	}
}

// smaller gives simpler questions, not too many.
func smaller(asked question) []question {
	var all []question
	for _, expression := range asked.expression.smaller() {
		if text := expression.String(); len(text) < len(asked.expression.String()) {
			all = append(all, question{expression, asked.devices, asked.form})
		}
	}
	for _, one := range asked.devices[0].smaller() {
		all = append(all, question{asked.expression, []device{one}, asked.form})
	}
	return all[:min(len(all), 300)]
}

// differ says of which questions dray has another answer than upstream, which must have one.
func (f *fuzzer) differ(all []question) ([]bool, error) {
	var answers []cases.Case
	for i, asked := range all {
		for _, answer := range f.oracle.answer(asked) {
			answer["id"] = fmt.Sprintf("q-%d", i)
			answers = append(answers, answer)
		}
	}
	result, err := cases.Run("cel", answers)
	if err != nil {
		return nil, err
	}
	verdicts := make([]bool, len(all))
	for _, failure := range result.Failures {
		var index int
		if _, err := fmt.Sscanf(strings.TrimPrefix(failure.ID, "q-"), "%d", &index); err != nil {
			return nil, err
		}
		verdicts[index] = f.oracle.settled(all[index], ordersSmall)
	}
	return verdicts, nil
}
