package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// burst measures one long answer that the model writes as fast as it can.
func burst(ctx context.Context, b *bench) ([]figure, error) {
	client, s, err := b.session(ctx)
	if err != nil {
		return nil, err
	}
	defer client.ForceStop()
	var chunks, events atomic.Int64
	s.On(func(e copilot.SessionEvent) {
		events.Add(1)
		if delta, ok := e.Data.(*copilot.AssistantMessageDeltaData); ok {
			chunks.Add(int64(len(strings.Fields(delta.DeltaContent))))
		}
	})
	before, began := measureUsage(), time.Now()
	if err := say(ctx, s, script{chunks: b.sizes.burst}); err != nil {
		return nil, err
	}
	took, after := time.Since(began), measureUsage()
	if n := chunks.Load(); n != int64(b.sizes.burst) {
		return nil, fmt.Errorf("the client saw %d chunks of %d", n, b.sizes.burst)
	}
	figures := []figure{
		{"chunks", "1/s", float64(b.sizes.burst) / took.Seconds()},
		{"events that the client got", "", float64(events.Load())},
	}
	return append(figures, after.perUnit("CPU of a chunk", before, b.sizes.burst, time.Microsecond, "µs")...), nil
}
