package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Writes that come while it looks begin the count of equal looks anew; what is used afterwards is nobody's.
func TestSettled(t *testing.T) {
	looks := 0
	got, err := settled(t.Context(), func(context.Context) (counters, error) {
		looks++
		return counters{cpu: map[string]time.Duration{"dray": time.Duration(looks)},
			writes: map[string]float64{"POST events": float64(min(looks, 3))}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.writes["POST events"] != 3 || got.cpu["dray"] != 3 || looks != 2+calmLooks {
		t.Errorf("%+v after %d looks", got, looks)
	}
}

func TestSettledFails(t *testing.T) {
	want := errors.New("no answer")
	if _, err := settled(t.Context(), func(context.Context) (counters, error) { return counters{}, want }); err != want {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	writes := 0.0
	_, err := settled(ctx, func(context.Context) (counters, error) {
		if writes++; writes == 2 {
			cancel()
		}
		return counters{writes: map[string]float64{"POST events": writes}}, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("writes go on: %v", err)
	}
}
