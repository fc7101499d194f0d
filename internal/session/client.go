package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/clienttools"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Client is one client that is attached to a session: what it provides, and its cursor on
// the log. The zero value is not usable; [Create], [Open] and
// [Session.Join] return them.
type Client struct {
	s        *Session
	tail     *eventlog.Tail
	tools    *clienttools.Tools
	offers   offer.List
	peer     Peer               // may be nil
	by       string             // the owner of the credentials that it brings
	attached context.Context    // ends when the client leaves
	leave    context.CancelFunc // ends attached
	// counted says that the registry waits for the client to leave the session.
	counted atomic.Bool

	abilities              // which questions it answers
	decides   bool         // answers permission requests
	hooks     bool         // has hooks
	elicits   bool         // an attached client answered elicitations when this one attached
	queries   atomic.Int32 // side questions under way
	commands  []wire.Command

	managed permit.Managed     // the policy that it has injected
	skills  wire.SkillProvider // nil: it gives none

	transforms bool        // rewrites sections of the system message
	name, join string      // of its program; of this attachment
	muted      bool        // gets no pieces of answers of sub-agents
	whole      atomic.Bool // gets no pieces of any answer
	shows      bool        // answers them because it called session.permissions.setRequired
}

// Peer is how a session calls a client: what goes to one client alone, such as hooks
// and questions, and not as an event to all. The implementations are package server's
// connections and package app's terminal.
type Peer interface {
	// Call calls a method and decodes its result, which may be nil to drop it. It
	// returns when the client has answered, its connection has ended, or ctx has.
	Call(ctx context.Context, method string, params, result any) error
}

// Tools are the tools that the client brings.
func (c *Client) Tools() *clienttools.Tools { return c.tools }

// RegisterTask shows work of the client as a task, or takes a task up again that the same
// program has left behind when its connection ended. [fault.Conflict] if the task is another
// client's, or has another sequence number than the client expects.
func (c *Client) RegisterTask(ctx context.Context, p wire.TaskRegister) (wire.TaskRegistered, error) {
	return c.s.agents.OfClients().Register(ctx, asked{c}, p)
}

// UpdateTask applies an update of the task's owner. The sequence number of an update is higher
// than that of the one before; the same update again is a duplicate. [fault.NotFound] if there
// is no such task, [fault.Denied] if another client owns it, [fault.Conflict] if the task is over
// or the number is too low.
func (c *Client) UpdateTask(ctx context.Context, p wire.TaskUpdate) (wire.TaskUpdated, error) {
	return c.s.agents.OfClients().Update(ctx, asked{c}, p)
}

// Withholds reports whether a record of the client's tail is not for this client: a piece of
// an answer that it does not want, or the call of a tool that another client has taken over.
func (c *Client) Withholds(rec eventlog.Record) bool {
	if rec.Delta != nil {
		return c.whole.Load() || c.muted && rec.Delta.AgentID != ""
	}
	return c.whole.Load() && bytes.HasPrefix(rec.JSON, messageStart) || c.tools.Withholds(rec)
}

// messageStart is how the event begins that announces the pieces of an answer.
var messageStart = []byte(`{"type":"assistant.message_start"`)

// streams reports whether a client wants the pieces of answers. Each client chooses for itself: one that joins takes
// nothing from the others. Without clients, the last choice counts.
func streams(s *Session) bool {
	if len(s.clients) == 0 {
		return s.config.streaming
	}
	return slices.ContainsFunc(s.clients, func(c *Client) bool { return !c.whole.Load() })
}

// Session returns the session that the client is attached to.
func (c *Client) Session() *Session { return c.s }

// Tail is the client's cursor: every event from its attachment on.
func (c *Client) Tail() *eventlog.Tail { return c.tail }

// present returns a context that ends with ctx, and when the client leaves.
func (c *Client) present(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.attached, cancel)
	return ctx, func() { stop(); cancel() }
}

func transforms(set *wire.SystemMessageSet) bool {
	if set != nil {
		for _, o := range set.Sections {
			if o.Action == "transform" {
				return true
			}
		}
	}
	return false
}

func is(v *bool) bool { return v != nil && *v }

// guardPeer makes a panic of a client's code an error without its stack, which the log
// gets: the error may be sent to clients and to the model. A nil peer stays nil.
func guardPeer(p Peer, logs *slog.Logger) Peer {
	if p == nil {
		return nil
	}
	return guarded{p, logs}
}

type guarded struct {
	Peer
	logs *slog.Logger
}

func (g guarded) Call(ctx context.Context, method string, params, result any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			g.logs.Error("a client's code panicked", "method", method, "panic", fmt.Sprint(p), "stack", trace())
			err = fault.New(fault.Internal, "client."+method, "", "panic: %v", p)
		}
	}()
	return g.Peer.Call(ctx, method, params, result)
}

// count has the registry wait, when it closes, until the client has left the session.
func (c *Client) count() {
	c.s.home.Registrar.Hold()
	c.counted.Store(true)
}

// left undoes count.
func (c *Client) left() {
	if c.counted.CompareAndSwap(true, false) {
		c.s.home.Registrar.Release()
	}
}

// leaveLater has the session drop the client although no caller waits for that any more.
func (c *Client) leaveLater() {
	c.leave()
	if c.counted.CompareAndSwap(true, false) {
		go func() { // not with Go of the journal, which may be called only where the registry still counts
			defer c.s.home.Registrar.Release()
			_ = c.s.log.Post(context.Background(), func() error { c.leaveForGood(); return nil })
		}()
	}
}

// dropAll drops the clients of a session that ends.
func (s *Session) dropAll() {
	left := s.clients
	s.clients = nil
	for _, c := range left {
		s.tools.external.Leave(c.tools)
		c.left()
		c.leave()
		s.command.Left(asked{c})
	}
}

// leaveForGood drops a client that does not come back at once: the others get the slash
// commands without its own, and hear that its tools have left.
func (c *Client) leaveForGood() {
	s := c.s
	attached := slices.Contains(s.clients, c)
	s.drop(c)
	if attached && len(c.tools.Names()) > 0 {
		s.tools.external.Announce()
	}
	if attached && len(c.commands) > 0 {
		s.command.Announce(nil)
	}
}

// drop takes a client out of the session; nil, or one that has left, does nothing. It is
// called on the session's goroutine, or while the session is opened.
func (s *Session) drop(c *Client) {
	if c != nil {
		c.tail.Close()
	}
	c.remove()
	audience{s}.announce(nil)
}

// remove is [Session.drop] that does not announce that abilities have left with the client, whose tail delivers what it has.
func (c *Client) remove() {
	if c == nil {
		return
	}
	s := c.s
	if i := slices.Index(s.clients, c); i >= 0 {
		s.clients = slices.Delete(s.clients, i, i+1)
		s.tools.external.Leave(c.tools)
		c.left()
		c.leave()
		c.tail.End()
		s.callHooksOfClient()
		s.agents.OfClients().Left(asked{c})
		s.questions.Left(asked{c})
		s.command.Left(asked{c})
		s.config.canvases.Left(asked{c})
		attaching(s).useSkills()
	}
}

// AnswerCommand ends a slash command that this client has carried out; failed is why it could not, nil if it
// could. It reports false if another client carries out the command, and true for one that no client does.
func (c *Client) AnswerCommand(ctx context.Context, requestID string, failed *string) (ok bool, err error) {
	return c.s.command.Answer(ctx, asked{c}, requestID, failed)
}

// Detach takes a client and its tools out of the session. Questions that
// it was asked stay open for other clients. A session without clients leaves
// memory as soon as it neither works nor waits; if that is at once, Detach
// returns after it, so that another process can open the log. The sessionEnd hooks of a
// client that is the last one are called first, also while a run goes on, which takes as long
// as the hooks do. If ctx
// ends first, the client is detached all the same, as soon as the session's goroutine comes
// to it.
func (c *Client) Detach(ctx context.Context) error { return c.part(ctx, true) }

// Lost is [Client.Detach] for a client that can no longer be called: its hooks are not.
func (c *Client) Lost(ctx context.Context) error { return c.part(ctx, false) }

func (c *Client) part(ctx context.Context, reachable bool) error {
	now, err := mailbox.Ask(ctx, c.s.log.Post, func() (departure, error) { return c.leaving(reachable), nil })
	leaves := now == closes
	if now == hooksFirst {
		c.s.hooks.ClientLeaves(ctx)
		return c.part(ctx, false)
	}
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		c.tail.Close() // the session has left already, and may have sent more than was read
		return nil
	case err != nil && ctx.Err() != nil:
		c.leaveLater()
		return err
	case err != nil || !leaves:
		return err
	}
	select {
	case <-c.s.Closed():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// departure is what happens to the session when a client leaves.
type departure uint8

const (
	stays      departure = iota
	closes               // it leaves memory now
	hooksFirst           // the client is still there, for its sessionEnd hook
)

// leaving takes the client out of the session, unless it has a hook that is to be called first.
// It is called on the session's goroutine.
func (c *Client) leaving(reachable bool) departure {
	s, idle := c.s, c.s.run == nil
	last := reachable && c.hooks && len(s.clients) == 1 && s.clients[0] == c
	switch {
	case last && idle:
		c.tail.Close()
		s.life.startClosing() // drops the client in the end, after its hooks
		return closes
	case last && !s.log.Closing():
		return hooksFirst
	}
	c.leaveForGood()
	if len(s.clients) == 0 && idle {
		return closes
	}
	return stays
}

// leaveWhenUnused closes a session without attached clients once it is idle. One that only
// waits for clients leaves memory as it is, so that this or another process can open it and
// answer.
func (s *Session) leaveWhenUnused() {
	switch {
	case len(s.clients) > 0 || s.log.Closing():
	case s.run == nil:
		s.life.startClosing()
	case onlyWaits(s):
		suspend(s)
	}
}

// onlyWaits reports whether a run does nothing but wait for the answers of clients that a
// resume finds in the log: to permission requests, and to calls of their tools. A session that
// its configuration has wait for answers stays, because the log does not hold that.
func onlyWaits(s *Session) bool {
	if s.config.waits || s.log.Broken() != nil || s.compact.Busy() || s.tools.user.Busy() || s.tools.external.Answering() || s.questions.Waiting() {
		return false
	}
	for _, t := range s.log.State().Threads()[1:] {
		if !t.Finished {
			return false
		}
	}
	waiting := map[string]bool{}
	for _, q := range s.log.State().Main.Permissions {
		waiting[q.ToolCallID] = true
	}
	for id := range s.tools.external.Open {
		waiting[id] = true
	}
	open := s.log.State().Main.Open()
	return len(open) > 0 && !slices.ContainsFunc(open, func(c state.Call) bool { return !waiting[c.ID] })
}

// Pages returns a reader of the session's events in pages, for this client: it
// continues from a cursor that the client keeps, and [Client.Tail] continues from
// the client's attachment. Close it when the client leaves. Once the session has
// been closed, a read fails with [eventlog.ErrClosed].
//
// Reading is nothing that happens in the session: it does not keep it in memory.
func (c *Client) Pages() *eventlog.Pager { return c.s.log.Pager() }

// errSuspended keeps a session from recording anything more.
var errSuspended error = &fault.Error{
	Op: "session", Kind: fault.Unavailable, Err: errors.New("the session has left memory, and what it waits for stays open"),
}

// Suspend is [Client.Detach] for a client that will resume the session with an answer.
// If no other client is attached and the run waits for an answer, the session leaves
// memory at once, and its log stays as it is: the question can be answered after a resume
// with ContinuePendingWork, as after a crash. Everything else that the run was doing ends
// as interrupted then. If ctx ends first, the client is detached as by Detach, or the session
// leaves memory later.
func (c *Client) Suspend(ctx context.Context) error {
	s := c.s
	waits, err := mailbox.Ask(ctx, s.log.Post, func() (bool, error) {
		waits := len(s.clients) == 1 && s.clients[0] == c && s.run != nil && s.waitsForClients() && !s.log.Closing()
		if waits {
			suspend(s)
		}
		return waits, nil
	})
	if err != nil || !waits {
		return c.Detach(ctx)
	}
	c.tail.Close()
	select {
	case <-s.Closed():
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Suspend", s.id, "a run has not ended yet: %w", ctx.Err())
	}
}

// waitsForClients reports whether an open request, question or call needs a client.
func (s *Session) waitsForClients() bool {
	return s.requests.Waiting() || s.questions.Waiting() || s.tools.external.Waiting()
}
