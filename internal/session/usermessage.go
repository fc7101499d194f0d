package session

import (
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

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
// removed meanwhile.
func (r *run) recordMessage(ctx context.Context, m queue.Message, delivery string) (recorded bool, err error) {
	text, added := r.s.hooks.UserPromptSubmitted(ctx, m.Send.Prompt)
	_ = r.s.log.Post(context.WithoutCancel(ctx), func() error {
		forExtension(r.s).addressTo(&m, r.choice.ExtensionOf()) // the model may be another by now, but not the run's
		return nil
	})
	u := attached(r.s, text, m)
	u.Text = r.s.hooks.UserPromptTransformed(ctx, text, u.Text)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	err = r.s.log.Post(context.WithoutCancel(ctx), func() error {
		m.Begin(r.s.log.State(), r.id)
		recorded, err = r.s.queue.Record(m, delivery, u, added)
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
