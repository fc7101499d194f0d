package session

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Queue returns the session's queue.
func (s *Session) Queue() *queue.Queue { return s.queue }

// Send gives the session a message, as [queue.Queue.Send] does.
func (s *Session) Send(ctx context.Context, p wire.Send) (id string, err error) {
	return s.queue.Send(ctx, p)
}

// Abort stops the run and its sub-agents, and drops what waits, as [queue.Queue.Abort] does.
func (s *Session) Abort(ctx context.Context, reason wire.AbortReason) error {
	if reason == "" {
		reason = "user_initiated"
	}
	return s.log.Do(ctx, func() error {
		s.agents.Stop()
		return s.queue.Abort(reason)
	})
}

// queueHost is a session as its queue sees it; it implements [queue.Session].
type queueHost struct{ recorder }

func (h queueHost) Run() queue.Run {
	if h.s.run == nil {
		return nil
	}
	return runUnderWay{h.s.run}
}

func (h queueHost) Launch(m queue.Message, delivery string) { h.s.launch(m, delivery) }

func (h queueHost) Wake() { h.s.agents.Wake() }

func (h queueHost) Attended() bool { return len(h.s.clients) > 0 && !h.s.log.Closing() }

func (h queueHost) Prepare(m *queue.Message) { forExtension(h.s).address(m) }

func (h queueHost) Attach(text string, m queue.Message) prompt.UserMessage {
	return attached(h.s, text, m)
}

func (h queueHost) CheckFormat(form json.RawMessage) error {
	_, err := provider.ResponseFormat(form)
	return err
}

func (h queueHost) HasFormats() bool {
	return provider.ExtensionOf(h.s.log.State().Model, h.s.config.providers.Own) == ""
}

func (h queueHost) AnsweredByAgent() bool {
	choice := choiceOf(h.s)
	return choice.ExtensionOf() != ""
}

func (h queueHost) Traceparent() string { return h.s.config.traceparent }

func (h queueHost) LimitsStatus() string {
	limit := h.s.config.maxCredits()
	if limit <= 0 {
		return ""
	}
	return prompt.LimitsStatus(limit - h.s.metrics.Credits())
}

func (h queueHost) Asked(titled bool) {
	h.s.metrics.Ask()
	if titled {
		h.s.workspace.Note()
	}
}

func (h queueHost) Changed() { h.s.home.Registrar.Publish(lifecycleOf(h.s, wire.LifecycleUpdated)) }

func (h queueHost) ReadHooks(ctx context.Context) error {
	if h.s.hooks.FilesRead() {
		return nil
	}
	return h.s.readHooks(ctx)
}

func (h queueHost) HasHooks() bool { return h.s.hooks.Any() }

func (h queueHost) Listened() { h.s.questions.Listened() }

func (h queueHost) HasPersonal() bool { return h.s.requests.HasPersonal() }

func (h queueHost) WithdrawPersonal() error { return h.s.requests.WithdrawPersonal() }

func (h queueHost) CloseOrphans() error { return orphansOf(h.s).close() }

func (h queueHost) Unsend(ctx context.Context, messageID string) (bool, error) {
	return h.s.History().Unsend(ctx, messageID)
}

// runUnderWay is a run as the queue sees it; it implements [queue.Run].
type runUnderWay struct{ r *run }

func (u runUnderWay) First() string { return u.r.first }

func (u runUnderWay) Begins() string { return u.r.begins }

func (u runUnderWay) Prompt() string { return u.r.prompt }

func (u runUnderWay) Steerable() bool {
	return u.r.slash == "" && u.r.command == "" && !u.r.stopped()
}

func (u runUnderWay) Stop() (first bool) { return u.r.stop() }

func (u runUnderWay) Abort(reason wire.AbortReason) wire.Data { return u.r.abort(reason) }

func (u runUnderWay) Ended() <-chan struct{} { return u.r.ended }

// open records what the run begins with: what the sessionStart hooks add, and the message
// that the run was started for. It reports false if that message was removed meanwhile:
// then there is nothing to answer.
func (r *run) open(ctx context.Context) (something bool, err error) {
	if r.first == "" {
		return true, nil
	}
	mine := func(q *state.Queued) bool { return q.Item() == r.first }
	for { // messages that were sent together have one id in the queue
		m, ok := r.s.queue.Find(mine)
		if !ok {
			return something, nil
		}
		if err := r.greet(ctx, m.Send.Prompt); err != nil {
			return something, err
		}
		recorded, err := r.recordMessage(ctx, m, r.delivery)
		if err != nil {
			return something || recorded, errors.Join(err, r.s.queue.Settle(m, r.delivery, err))
		}
		something = something || recorded
	}
}

// recordMessage records a pending message as part of the conversation, after hooks and
// attachments have made of it what the model reads. It reports false if the message was
// removed meanwhile, or if a hook has blocked it.
func (r *run) recordMessage(ctx context.Context, m queue.Message, delivery string) (recorded bool, err error) {
	submitted := r.s.hooks.UserPromptSubmitted(ctx, m.Send.Prompt)
	if submitted.Blocked {
		return false, r.s.log.Post(context.WithoutCancel(ctx), func() error { return r.s.queue.Refuse(m, submitted.Why) })
	}
	_ = r.s.log.Post(context.WithoutCancel(ctx), func() error {
		forExtension(r.s).addressTo(&m, r.choice.ExtensionOf()) // the model may be another by now, but not the run's
		return nil
	})
	u := attached(r.s, submitted.Prompt, m)
	u.Text = r.s.hooks.UserPromptTransformed(ctx, submitted.Prompt, u.Text)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	err = r.s.log.Post(context.WithoutCancel(ctx), func() error {
		m.Begin(r.s.log.State(), r.id)
		recorded, err = r.s.queue.Record(m, delivery, u, submitted.Added)
		return err
	})
	return recorded, err
}

// steer sends the messages that are to reach the model with the next call.
func (t *thread) steer(ctx context.Context) error {
	for {
		m, ok := t.s.queue.Find((*state.Queued).Steers)
		if !ok {
			return nil
		}
		if _, err := t.recordMessage(ctx, m, "steering"); err != nil {
			return err
		}
	}
}

// greet calls the sessionStart hooks, once for each client that attached.
func (r *run) greet(ctx context.Context, prompt string) error {
	var how string
	_ = r.s.log.Post(context.WithoutCancel(ctx), func() error { how, r.s.life.greeting = r.s.life.greeting, ""; return nil })
	if how == "" {
		return nil
	}
	text := r.s.hooks.SessionStart(ctx, how, prompt)
	if text == "" {
		return nil
	}
	return r.main.Record(queue.Aside(state.SourceHook, text))
}

// attached is a message with what is attached to it, as it is recorded and as the
// model reads it. It reads files, and does so on the caller's goroutine.
func attached(s *Session, text string, m queue.Message) prompt.UserMessage {
	opts := prompt.UserOptions{Disk: s.home.Finder.Disk(), Cwd: s.log.Cwd()}
	if m.Extension != "" {
		return prompt.ForExtension(text, m.Send.Attachments, opts)
	}
	opts.Now, opts.Mode, opts.Before, opts.Documents = time.Now(), prompt.Mode(m.Send.AgentMode), m.Notice(), m.Documents
	return prompt.User(text, m.Send.Attachments, opts)
}
