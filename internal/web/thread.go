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
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionPrefix begins the ids of sessions that belong to threads.
const sessionPrefix = "ext-"

// sessionOf returns the id of the session of a request's thread, "" if the request
// names none. It is a hash, because ids become folder names and a thread id comes from
// outside. User and agent are hashed, too, so that a user who learns another's thread
// id gets a thread of their own.
func sessionOf(r *extension.Request) string {
	if r.ThreadID == "" {
		return ""
	}
	h := sha256.New()
	writeFields(h, r.ThreadID, strings.ToLower(r.Agent), strings.ToLower(r.Login()))
	return sessionPrefix + hex.EncodeToString(h.Sum(nil)[:16])
}

// enter opens a session that the request has acquired, or reads its events since the
// request before. It returns [fault.NotFound] if there is no such session and create is
// false.
func (d *Door) enter(ctx context.Context, s *openSession, create bool) error {
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
		s.unanswered = open
	}
	return err
}

// settings are those with which the door opens a session.
func (d *Door) settings(id string) wire.Config {
	return wire.Config{
		SessionID: id, ClientName: "sidestick-extension", Streaming: new(true),
		RequestPermission: new(true), RequestUserInput: new(true),
	}
}

// silent is the door as a session calls it. It never answers, because the user's
// answers come with later requests.
type silent struct{}

var _ session.Peer = silent{}

// Call implements [session.Peer].
func (silent) Call(ctx context.Context, _ string, _, _ any) error {
	<-ctx.Done()
	return ctx.Err()
}

// unanswered is what the user has yet to answer, according to the session's log.
type unanswered struct {
	permissions []string  // request ids, the oldest first
	questions   []askCall // calls of ask_user, the oldest first
}

// askCall is a call of ask_user without an answer. A provider may use the id of a call
// twice, so tickets name the event with which it started.
type askCall struct{ call, start string }

func (o *unanswered) waits() bool { return len(o.permissions)+len(o.questions) > 0 }

// has reports whether a ticket's question is open.
func (o *unanswered) has(t ticket) bool {
	if t.Kind == aboutPermission {
		return slices.Contains(o.permissions, t.ID)
	}
	return slices.ContainsFunc(o.questions, func(a askCall) bool { return a.start == t.ID })
}

// openIn reads which questions of a session are open, without opening the session: a
// decision that comes too late must change nothing. It returns [fault.NotFound] if
// there is no such session.
func (d *Door) openIn(ctx context.Context, id string) (unanswered, error) {
	var o unanswered
	for line, err := range d.opts.Sessions.History(ctx, id) {
		if err != nil {
			return unanswered{}, err
		}
		if e, err := wire.ParseEvent(line); err == nil { // a log may contain lines that are not events
			o.learn(e)
		}
	}
	return o, nil
}

// learn takes over one event, in the order of the log.
func (o *unanswered) learn(e wire.Event) {
	data := wire.Raw(e.Data)
	if e.AgentID != "" && strings.HasPrefix(string(e.Type), "tool.") {
		return // it belongs to a sub-agent
	}
	request, call := data.Get("requestId").Text(), data.Get("toolCallId").Text()
	switch e.Type {
	case "permission.requested":
		if !slices.Contains(o.permissions, request) { // the event may be repeated
			o.permissions = append(o.permissions, request)
		}
	case "permission.completed":
		o.permissions = slices.DeleteFunc(o.permissions, func(id string) bool { return id == request })
	case "tool.execution_start":
		if data.Get("toolName").Text() == fact.AskUser {
			o.questions = append(o.questions, askCall{call, e.ID})
		}
	case "tool.execution_complete":
		o.questions = slices.DeleteFunc(o.questions, func(a askCall) bool { return a.call == call })
	}
}
