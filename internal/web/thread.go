package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionPrefix begins the ids of the sessions that are threads.
const sessionPrefix = "ext-"

// sessionOf is the session that a request's thread is, "" if it names none. It is a
// hash, since ids become folders and the thread's comes from outside; the person and
// the agent called are in it, so that who learns another's thread id is in a thread of
// their own.
func sessionOf(r *extension.Request) string {
	if r.ThreadID == "" {
		return ""
	}
	h := sha256.New()
	writeFields(h, r.ThreadID, strings.ToLower(r.Agent), strings.ToLower(r.Login()))
	return sessionPrefix + hex.EncodeToString(h.Sum(nil)[:16])
}

// enter lets the door into the session of a seat that it has taken, and takes in what
// has happened there since it was there last. [fault.NotFound] if there is no such
// session and none is to be created.
func (d *Door) enter(ctx context.Context, s *seat, create bool) error {
	if s.client != nil {
		return s.catchUp(ctx)
	}
	open, err := d.openIn(ctx, s.id)
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil && create:
		cfg := d.settings(s.id)
		cfg.WorkingDirectory = d.opts.Dir
		s.client, err = d.opts.Sessions.Create(ctx, cfg, silent{})
		s.fresh = true
	case err == nil:
		cfg := d.settings(s.id)
		cfg.ContinuePendingWork = open.waits()
		s.client, err = d.opts.Sessions.Resume(ctx, cfg, silent{}, nil)
		s.working = open.waits()
	}
	if err == nil {
		s.standing = open
	}
	return err
}

// settings is how the door enters a session.
func (d *Door) settings(id string) wire.Config {
	return wire.Config{
		SessionID: id, ClientName: "sidestick-extension", Streaming: new(true),
		RequestPermission: new(true), RequestUserInput: new(true),
	}
}

// silent is the door as a session calls it: a question is answered by a call of the
// door's own, once the person has, and never here.
type silent struct{}

var _ session.Peer = silent{}

// Call implements [session.Peer].
func (silent) Call(ctx context.Context, _ string, _, _ any) error {
	<-ctx.Done()
	return ctx.Err()
}

// standing is what a session's log says that a person is still to answer.
type standing struct {
	permissions []string // by request id, the oldest first
	questions   []asking // of ask_user, the oldest first
}

// asking is a call of ask_user that has no answer. A provider may give the id of a call
// to another one later, so tickets name the event of its start.
type asking struct{ call, start string }

func (o *standing) waits() bool { return len(o.permissions)+len(o.questions) > 0 }

// has reports whether a ticket's question is open.
func (o *standing) has(t ticket) bool {
	if t.Kind == aboutPermission {
		return slices.Contains(o.permissions, t.ID)
	}
	return slices.ContainsFunc(o.questions, func(a asking) bool { return a.start == t.ID })
}

// openIn reads what is open in a session without opening it: a decision that comes too
// late is to change nothing. [fault.NotFound] if there is no such session.
func (d *Door) openIn(ctx context.Context, id string) (standing, error) {
	var o standing
	for line, err := range d.opts.Sessions.History(ctx, id) {
		if err != nil {
			return standing{}, err
		}
		if e, err := wire.ParseEvent(line); err == nil { // a log may hold what is no event
			o.learn(e)
		}
	}
	return o, nil
}

// learn takes in one event, in the order of the log.
func (o *standing) learn(e wire.Event) {
	data := wire.Raw(e.Data)
	if e.AgentID != "" && strings.HasPrefix(string(e.Type), "tool.") {
		return // a sub-agent's
	}
	request, call := data.Get("requestId").Text(), data.Get("toolCallId").Text()
	switch e.Type {
	case "permission.requested":
		if !slices.Contains(o.permissions, request) { // it may be repeated
			o.permissions = append(o.permissions, request)
		}
	case "permission.completed":
		o.permissions = slices.DeleteFunc(o.permissions, func(id string) bool { return id == request })
	case "tool.execution_start":
		if data.Get("toolName").Text() == askUser {
			o.questions = append(o.questions, asking{call, e.ID})
		}
	case "tool.execution_complete":
		o.questions = slices.DeleteFunc(o.questions, func(a asking) bool { return a.call == call })
	}
}
