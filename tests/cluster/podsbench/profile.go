package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const profileSeconds = 12 // shorter than a run

// profile begins a CPU profile of the API server; the function that it returns waits for it.
func (r *run) profile(ctx context.Context) func() error {
	if r.profiles == "" {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		raw, err := r.plane.Client.Discovery().RESTClient().Get().AbsPath("/debug/pprof/profile").
			Param("seconds", strconv.Itoa(profileSeconds)).DoRaw(ctx)
		if err == nil {
			err = os.WriteFile(filepath.Join(r.profiles, fmt.Sprintf("kube-apiserver-%s-%s.pprof", r.side.name, r.load.name)), raw, 0o600)
		}
		done <- err
	}()
	return func() error { return <-done }
}
