package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// relay measures how long a chunk takes from the model's write to the client's event,
// with 2 ms between chunks.
func relay(ctx context.Context, b *bench) ([]figure, error) {
	client, s, err := b.session(ctx)
	if err != nil {
		return nil, err
	}
	defer client.ForceStop()
	var seen lags
	s.On(seen.note)
	if err := say(ctx, s, script{chunks: 20, gap: 2 * time.Millisecond}); err != nil { // warms connections
		return nil, err
	}
	seen.reset()
	began := time.Now()
	if err := say(ctx, s, script{chunks: b.sizes.chunks, gap: 2 * time.Millisecond}); err != nil {
		return nil, err
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.each) != b.sizes.chunks {
		return nil, errors.New("the client saw " + strconv.Itoa(len(seen.each)) + " chunks of " + strconv.Itoa(b.sizes.chunks))
	}
	return []figure{
		{"lag of a chunk, p50", "µs", percentile(seen.each, 0.5)},
		{"lag of a chunk, p99", "µs", percentile(seen.each, 0.99)},
		{"send to first delta", "ms", float64(seen.first.Sub(began).Microseconds()) / 1000},
	}, nil
}

// lags is how old each chunk was when the client got it.
type lags struct {
	mu    sync.Mutex // guards the rest
	first time.Time  // when the first chunk came
	each  []float64  // microseconds
}

func (l *lags) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.each = time.Time{}, nil
}

// note reads the times in a delta, which may join several chunks.
func (l *lags) note(e copilot.SessionEvent) {
	delta, ok := e.Data.(*copilot.AssistantMessageDeltaData)
	if !ok {
		return
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first.IsZero() {
		l.first = now
	}
	for _, word := range strings.Fields(delta.DeltaContent) {
		if written, err := strconv.ParseInt(word, 10, 64); err == nil {
			l.each = append(l.each, float64(now.UnixNano()-written)/1000)
		}
	}
}
