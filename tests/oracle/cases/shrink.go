package cases

// maxShrinkRounds bounds how often a failing input is made smaller.
const maxShrinkRounds = 200

// Shrink makes a failing input smaller while it still fails. `smaller` gives simpler variants of an input, the simplest
// first; `fails` says which of them fail, all asked at once, since each question runs dray_cases.
func Shrink[T any](failing T, smaller func(T) []T, fails func([]T) ([]bool, error)) (T, error) {
	for range maxShrinkRounds {
		candidates := smaller(failing)
		if len(candidates) == 0 {
			break
		}
		verdicts, err := fails(candidates)
		if err != nil {
			return failing, err
		}
		next := -1
		for i, failed := range verdicts {
			if failed {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		failing = candidates[next]
	}
	return failing, nil
}
