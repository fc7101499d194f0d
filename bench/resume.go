package main

import (
	"context"
	"fmt"
	"os"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// resume measures a long session: whether its turns get slower, and how long it takes
// to open it again after the runtime was killed. Events that are missing then are
// counted.
func resume(ctx context.Context, b *bench) ([]figure, error) {
	client, s, err := b.session(ctx)
	if err != nil {
		return nil, err
	}
	defer client.ForceStop()
	times, err := turns(ctx, s, b.sizes.turns)
	if err != nil {
		return nil, err
	}
	before, err := s.GetEvents(ctx)
	if err != nil {
		return nil, err
	}
	kill(ctx)
	took, after, err := b.reopen(ctx, s.SessionID)
	if err != nil {
		return nil, err
	}
	tenth := len(times) / 10
	first, last := percentile(times[:tenth], 0.5), percentile(times[len(times)-tenth:], 0.5)
	return []figure{
		{"turn, first tenth", "ms", first},
		{"turn, last tenth", "ms", last},
		{"last tenth over first", "", last / first},
		{"session.resume", "ms", took},
		{"events before the kill", "", float64(len(before))},
		{"of those lost", "", float64(lost(before, after))},
	}, nil
}

// turns takes n turns of 20 chunks and returns the milliseconds of each.
func turns(ctx context.Context, s *copilot.Session, n int) ([]float64, error) {
	var times []float64
	for i := range n {
		began := time.Now()
		if err := say(ctx, s, script{chunks: 20}); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		times = append(times, milliseconds(began))
	}
	return times, nil
}

// kill ends every process below this one, without a warning.
func kill(ctx context.Context) {
	for _, pid := range descendants(os.Getpid()) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	rest(ctx, 300*time.Millisecond)
}

// reopen starts the runtime anew and resumes the session. took is the milliseconds of
// the resume alone.
func (b *bench) reopen(ctx context.Context, id string) (took float64, events []copilot.SessionEvent, err error) {
	client, err := b.start(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer client.ForceStop()
	c := b.config()
	began := time.Now()
	s, err := client.ResumeSession(ctx, id, &copilot.ResumeSessionConfig{
		Model: c.Model, Provider: c.Provider, Tools: c.Tools, OnPermissionRequest: c.OnPermissionRequest,
	})
	if err != nil {
		return 0, nil, err
	}
	took = milliseconds(began)
	events, err = s.GetEvents(ctx)
	return took, events, err
}

// lost counts the events that are not there any more.
func lost(before, after []copilot.SessionEvent) int {
	kept := map[string]bool{}
	for _, e := range after {
		kept[e.ID] = true
	}
	n := 0
	for _, e := range before {
		if !kept[e.ID] {
			n++
		}
	}
	return n
}
