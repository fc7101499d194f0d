package approval

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// fake is a session in these tests. It runs functions one after the other, on the
// goroutine of the caller.
type fake struct {
	mu     sync.Mutex // held while a function runs, as if it were the session's goroutine
	state  state.State
	broken error // nil, or why nothing can be recorded
	mode   agent.Mode
	silent bool   // no client answers permission requests
	sent   []sent // recorded and emitted events, in order
	cwd    func() string

	running sync.WaitGroup // of Go
}

type sent struct {
	wire.Event
	ephemeral bool
}

func (f *fake) Do(ctx context.Context, run func() error) error { return f.Post(ctx, run) }

func (f *fake) Change(ctx context.Context, run func() error) error { return f.Post(ctx, run) }

func (f *fake) Post(_ context.Context, run func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return run()
}

// Go runs a function after the one that calls Go has ended.
func (f *fake) Go(_ string, run func()) {
	f.running.Go(func() {
		_ = f.Post(context.Background(), func() error { return nil })
		run()
	})
}

func (f *fake) Cwd() string {
	if f.cwd != nil {
		return f.cwd()
	}
	return f.state.Cwd
}

func (f *fake) ModeOf(string) agent.Mode { return f.mode }

func (f *fake) State() *state.State { return &f.state }

func (f *fake) CanDecide() bool { return !f.silent }

func (f *fake) Record(agentID string, events ...wire.Data) error {
	if f.broken != nil {
		return f.broken
	}
	for _, data := range events {
		e, err := event(agentID, data)
		if err != nil {
			return err
		}
		f.state.Apply(f.state.Seq+1, e)
		f.sent = append(f.sent, sent{Event: e})
	}
	return nil
}

func (f *fake) Emit(agentID string, data wire.Data) {
	if e, err := event(agentID, data); err == nil {
		f.sent = append(f.sent, sent{e, true})
	}
}

func (f *fake) RecordOrEmit(agentID string, data wire.Data) {
	if f.Record(agentID, data) != nil {
		f.Emit(agentID, data)
	}
}

func (f *fake) Notify(agentID string, data wire.Data) { f.Emit(agentID, data) }

func event(agentID string, data wire.Data) (wire.Event, error) {
	body, err := wire.Marshal(data)
	return wire.Event{Header: wire.Header{ID: wire.NewID(), AgentID: agentID, Type: data.Type()}, Data: body}, err
}

// of returns the events of a type that were sent so far.
func (f *fake) of(t wire.EventType) (events []sent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.sent {
		if e.Type == t {
			events = append(events, e)
		}
	}
	return events
}

// tested are the permissions and the requests of a fake session that works in /w.
type tested struct {
	*Permissions
	*Requests
	fake *fake
}

// Ask is [Requests.Ask] for values that have no address.
func (p tested) Ask(ctx context.Context, q permit.Request, c tool.Call) permit.Answer {
	return p.Requests.Ask(ctx, &q, &c).Answer
}

func bare() tested { return on(vfs.NewMem()) }

// on is bare with the file of grants on a disk.
func on(disk vfs.FS) tested {
	f := &fake{}
	f.state.Cwd = "/w"
	return f.open(disk)
}

// open returns the permissions of a process that has just opened the session.
func (f *fake) open(disk vfs.FS) tested {
	p, requests := New(Options{
		Session: f, ID: "s1", Dir: "/state/s1", Plan: "plan.md", Grants: OpenGrants(disk, "/home/permissions.json"),
		Paths: Paths{FS: disk, Resolve: filepath.Clean, GitRoot: func(string) string { return "" }},
	})
	p.vouched.now = &sessionGrants{Session: "s1", Folders: []string{"/w"}, Rules: permit.ToWire(f.state.Approved)}
	return tested{p, requests, f}
}

// requests are one of every kind that tools make.
func requests() map[string]permit.Request {
	place := func(name string) permit.Path { return permit.Path{Name: name, Real: name} }
	understood := func(text string) permit.Request {
		return permit.Request{Kind: permit.Shell, Tool: "bash", Intention: "try it", Command: effects.Of(text, "/w", "/home/u", asWritten)}
	}
	contents := "new\n"
	return map[string]permit.Request{
		"shell":        understood("git status && ls src > out.txt"),
		"pipeline":     understood("go test ./... | tail -5"),
		"unclear":      understood("echo $(date)"),
		"outside":      understood("cat /etc/hosts"),
		"address":      understood("curl https://example.com/x"),
		"read":         {Kind: permit.Read, Tool: "view", Intention: "see", Path: place("/w/a.go")},
		"read outside": {Kind: permit.Read, Tool: "view", Intention: "see", Path: place("/etc/hosts")},
		"write":        {Kind: permit.Write, Tool: "edit", Intention: "change", Path: place("/w/a.go"), Diff: "-a\n+b\n", Contents: &contents},
		"write git":    {Kind: permit.Write, Tool: "edit", Intention: "change", Path: place("/w/.git/config"), Diff: "+b\n"},
		"url":          {Kind: permit.URL, Tool: "web_fetch", Intention: "look", Address: "https://example.com/x", RedirectedFrom: "https://example.org"},
		"plain url":    {Kind: permit.URL, Tool: "web_fetch", Intention: "look", Address: "http://example.com/x"},
		"custom":       {Kind: permit.CustomTool, Tool: "deploy", Description: "Deploys.", Args: []byte(`{"to":"live"}`)},
	}
}

// asWritten resolves paths as if there were no symbolic links.
func asWritten(path string) []string { return []string{filepath.Clean(path)} }
