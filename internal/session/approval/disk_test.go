package approval

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Nothing waits for a disk on the goroutine of a session.
func TestTheDiskIsUsedBesideTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var used atomic.Int64
		check := func(what string) {
			used.Add(1)
			if calledByTheSession() {
				t.Errorf("%s on the session's goroutine", what)
			}
		}
		p := on(vfs.Fail(vfs.NewMem(), func(op vfs.Op) error { check(op.Name + " " + op.Path); return nil }))
		paths := &p.requests.files.paths
		resolve := paths.Resolve
		paths.Resolve = func(path string) string { check("resolving " + path); return resolve(path) }
		paths.GitRoot = func(dir string) string { check("looking for .git in " + dir); return "" }

		ctx, yes := t.Context(), true
		for name, run := range map[string]func() error{
			"Configure": func() error {
				return p.Configure(ctx, wire.PermissionsPatch{
					ApproveAllReadPermissionRequests: &yes, Paths: &wire.PermissionPathsConfig{AdditionalDirectories: []string{"sub"}},
				})
			},
			"SetMode":          func() error { _, err := p.SetMode(ctx, wire.ModeAssisted); return err },
			"Folders":          func() error { _, err := p.Folders(ctx); return err },
			"AddFolder":        func() error { _ = p.AddFolder(ctx, "/x"); return nil }, // there is none
			"SetPrimaryFolder": func() error { _ = p.SetPrimaryFolder(ctx, "/x"); return nil },
			"Within":           func() error { _, err := p.Within(ctx, "a", true); return err },
			"ApplyLocation":    func() error { _, err := p.ApplyLocation(ctx, ""); return err },
			"Modify":           func() error { return p.Modify(ctx, wire.PermissionRulesPatch{Scope: "location", RemoveAll: &yes}) },
			"Reset":            func() error { return p.Reset(ctx, true) },
			"Rules":            func() error { _, err := p.Rules(ctx); return err },
			"AddLocationRules": func() error {
				return p.AddLocationRules(ctx, "/w", []wire.PermissionRule{{Kind: "write"}})
			},
		} {
			if err := run(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.answered(t, ctx, requests()["url"], permit.Answer{Outcome: permit.Approved, Scope: permit.Always})
		p.answered(t, ctx, requests()["custom"], permit.Answer{Outcome: permit.Rejected})
		p.answered(t, ctx, requests()["read outside"], forLocation) // the last: it allows the request before
		if n := used.Load(); n < 20 {
			t.Errorf("the disk was used %d times: the test does not see it", n)
		}
	})
}

// calledByTheSession reports whether a function that [fake.Post] runs is among the callers.
func calledByTheSession() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, ".(*fake).Post") {
			return true
		}
		if !more {
			return false
		}
	}
}

// answered asks, looks at the offer, and answers.
func (p tested) answered(t *testing.T, ctx context.Context, q permit.Request, a permit.Answer) {
	t.Helper()
	got := make(chan permit.Answer, 1)
	go func() { got <- p.Ask(ctx, q, tool.Call{ID: "c-" + q.Tool}) }()
	synctest.Wait()
	for id := range p.fake.state.Permissions() {
		if _, err := p.Offer(ctx, id); err != nil {
			t.Errorf("Offer: %v", err)
		}
		if ok, err := p.Answer(ctx, id, a); !ok || err != nil {
			t.Errorf("Answer = %v, %v", ok, err)
		}
	}
	if answer := <-got; answer.Outcome != a.Outcome {
		t.Errorf("the call got %+v, want %+v", answer, a)
	}
}
