package main

import (
	"context"
	"fmt"
	"time"
)

// create measures sessions that are created one after the other and then do nothing.
func create(ctx context.Context, b *bench) ([]figure, error) {
	client, _, err := b.session(ctx) // the first pays for what all share
	if err != nil {
		return nil, err
	}
	defer client.ForceStop()
	before := measureUsage()
	var times []float64
	for i := range b.sizes.sessions {
		began := time.Now()
		if _, err := client.CreateSession(ctx, b.config()); err != nil {
			return nil, fmt.Errorf("session %d: %w", i+1, err)
		}
		times = append(times, milliseconds(began))
	}
	rest(ctx, settle)
	after := measureUsage()
	figures := []figure{
		{"session.create, p50", "ms", percentile(times, 0.5)},
		{"session.create, p99", "ms", percentile(times, 0.99)},
	}
	if after.known {
		figures = append(figures, figure{"memory of a session", "KiB", float64(after.memory-before.memory) / float64(b.sizes.sessions)})
	}
	return append(figures, after.perUnit("CPU of a session", before, b.sizes.sessions, time.Millisecond, "ms")...), nil
}
