package main

import (
	"context"
	"time"
)

// starts is how many starts are measured, after one that warms the disk's cache.
const starts = 5

// settle is how long a runtime is left alone before its memory is read.
const settle = time.Second

// startup measures the time from spawning the runtime to its first answer, and what
// it weighs when it has nothing to do.
func startup(ctx context.Context, b *bench) ([]figure, error) {
	var times []float64
	var idle spent
	for i := range starts + 1 {
		began := time.Now()
		client, err := b.start(ctx)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			times = append(times, milliseconds(began))
		}
		if i == starts {
			rest(ctx, settle)
			idle = measureUsage()
		}
		client.ForceStop()
	}
	figures := []figure{{"start to first answer, p50", "ms", percentile(times, 0.5)}}
	figures = append(figures, idle.memoryIn("idle memory")...)
	return append(figures, idle.perUnit("CPU of a start", spent{}, 1, time.Millisecond, "ms")...), nil
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}
