// Package controlplane holds nothing but a go.mod: the programs of a control plane, pinned, with a set of dependencies
// of their own. ../build.sh compiles them.
package controlplane
