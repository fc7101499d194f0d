package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// loop measures many sessions that all run at once, each with several turns that call
// a tool of the client.
func loop(ctx context.Context, b *bench) ([]figure, error) {
	client, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	defer client.ForceStop()
	sessions := make([]*copilot.Session, b.sizes.sessions)
	for i := range sessions {
		if sessions[i], err = client.CreateSession(ctx, b.config()); err != nil {
			return nil, fmt.Errorf("session %d: %w", i+1, err)
		}
	}
	calls, before, began := b.served.calls.Load(), measureUsage(), time.Now()
	times, failed := sayToAll(ctx, sessions, script{chunks: 1, tools: b.sizes.tools})
	took, after := time.Since(began), measureUsage()
	turns := int(b.served.calls.Load() - calls)
	figures := []figure{
		{"turns", "1/s", float64(turns) / took.Seconds()},
		{"messages that failed", "", float64(failed)},
		{"message to its end, p50", "ms", percentile(times, 0.5)},
		{"message to its end, p99", "ms", percentile(times, 0.99)},
	}
	figures = append(figures, after.perUnit("CPU of a turn", before, turns, time.Millisecond, "ms")...)
	return append(figures, after.memoryIn("memory at the end")...), nil
}

// sayToAll sends every session a message at once. It returns how many milliseconds
// each took that succeeded, and how many did not.
func sayToAll(ctx context.Context, sessions []*copilot.Session, what script) (times []float64, failed int) {
	var mu sync.Mutex // guards the results
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(func() {
			began := time.Now()
			err := say(ctx, s, what)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			times = append(times, milliseconds(began))
		})
	}
	all.Wait()
	return times, failed
}
