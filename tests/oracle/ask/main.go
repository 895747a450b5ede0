// Ask prints what Kubernetes answers to an expression of CEL, and where dray says something else:
//
//	go -C tests/oracle run ./ask [-device N] 'EXPRESSION'...
//
// It ends with 1 if they differ.
package main

import (
	"flag"
	"fmt"
	"os"

	celoracle "dray.dev/dray/tests/oracle/cel"
)

func main() {
	device := flag.Uint64("device", 1, "the number of the generated device that the expressions look at")
	flag.Parse()
	status := 0
	for _, text := range flag.Args() {
		agreed, err := celoracle.Ask(os.Stdout, text, *device)
		if err != nil {
			fmt.Fprintln(os.Stderr, "ask:", err)
			os.Exit(2)
		}
		if !agreed {
			status = 1
		}
	}
	os.Exit(status)
}
