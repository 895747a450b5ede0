package apimodel

// Shrink leaves out operations as long as `fails` says that the rest still shows a difference; `fails` returns false
// when there is no time left.
func Shrink(ops []Op, fails func([]Op) bool) []Op {
	for chunk := len(ops) / 2; chunk > 0; {
		shorter := false
		for at := 0; at < len(ops); {
			rest := append(append([]Op{}, ops[:at]...), ops[min(at+chunk, len(ops)):]...)
			if len(rest) < len(ops) && fails(rest) {
				ops, shorter = rest, true
			} else {
				at += chunk
			}
		}
		if !shorter || chunk > 1 {
			chunk /= 2
		}
	}
	return ops
}
