package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
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
		m, ok := r.waiting(mine)
		if !ok {
			return something, nil
		}
		if err := r.greet(ctx, m.Send.Prompt); err != nil {
			return something, err
		}
		recorded, err := r.recordMessage(ctx, m, r.delivery)
		if err != nil {
			return something || recorded, errors.Join(err, inputOf(r.s).settle(m, r.delivery, err))
		}
		something = something || recorded
	}
}

// waiting returns the first of the pending messages that match does.
func (r *run) waiting(match func(*state.Queued) bool) (m message, ok bool) {
	_ = r.s.post(context.Background(), func() error { // also after an abort: what was accepted is recorded
		if i := slices.IndexFunc(r.s.state.Queue, func(q state.Queued) bool { return match(&q) }); i >= 0 {
			m, ok = message{Queued: r.s.state.Queue[i]}, true
		}
		return nil
	})
	return m, ok
}

// recordMessage records a pending message as part of the conversation, after hooks and
// attachments have made of it what the model reads. It reports false if the message was
// removed meanwhile.
func (r *run) recordMessage(ctx context.Context, m message, delivery string) (recorded bool, err error) {
	text, added := r.s.hooks.UserPromptSubmitted(ctx, m.Send.Prompt)
	_ = r.s.post(context.WithoutCancel(ctx), func() error {
		forExtension(r.s).addressTo(&m, r.choice.ExtensionOf()) // the model may be another by now, but not the run's
		return nil
	})
	u := inputOf(r.s).attached(text, m)
	u.Text = r.s.hooks.UserPromptTransformed(ctx, text, u.Text)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	err = r.s.post(context.WithoutCancel(ctx), func() error {
		m.Begin(r.s.state, r.id)
		recorded, err = inputOf(r.s).recordPending(m, delivery, u, added)
		return err
	})
	return recorded, err
}

// greet calls the sessionStart hooks, once for each client that attached.
func (r *run) greet(ctx context.Context, prompt string) error {
	var how string
	_ = r.s.post(context.WithoutCancel(ctx), func() error { how, r.s.life.greeting = r.s.life.greeting, ""; return nil })
	if how == "" {
		return nil
	}
	text := r.s.hooks.SessionStart(ctx, how, prompt)
	if text == "" {
		return nil
	}
	return r.main.Record(queue.Aside(state.SourceHook, text))
}

// settle decides what becomes of a message that the run could not record, which why
// explains. If only the run's time is over, the message is recorded as its sender wrote
// it. If the session closes, the next resume records it. If it can never be recorded, it is
// removed from the queue, because it would end every run and every resume to come. Its
// attachments are read on the caller's goroutine. It has no context: the run's has ended.
func (i input) settle(m message, delivery string, why error) error {
	for range maxSendTries {
		before, err := i.address(context.Background(), m)
		if err != nil {
			return nil // the session closes
		}
		var u prompt.UserMessage
		if fault.KindOf(why) != fault.Invalid {
			u = i.attached(m.Send.Prompt, before)
		}
		done := false
		err = i.s.post(context.Background(), func() error {
			m := m
			forExtension(i.s).address(&m)
			if done = m.SameAddress(before); !done {
				return nil
			}
			return i.settleNow(m, delivery, u, why)
		})
		if done || err != nil {
			return err
		}
	}
	return nil // it is in the queue for the next run
}

// settleNow is settle on the session's goroutine; u is the message with its attachments.
func (i input) settleNow(m message, delivery string, u prompt.UserMessage, why error) error {
	switch {
	case i.s.log.Closing() || !i.s.Queue().holds(m.ID):
		return nil
	case fault.KindOf(why) == fault.Invalid:
		return i.s.Queue().unqueue(m.Queued)
	}
	_, err := i.recordPending(m, delivery, u, "")
	return err
}

// recordPending records a message that is still pending, with what belongs to it. It
// reports false if the message was removed meanwhile.
func (i input) recordPending(m message, delivery string, u prompt.UserMessage, added string) (recorded bool, err error) {
	if !i.s.Queue().holds(m.ID) {
		return false, nil
	}
	if err := i.record(i.events(m, delivery, u, added)...); err != nil {
		return false, err
	}
	delete(i.s.queue.headers, m.ID)
	return true, nil
}

// events are all events of a message: before it what hooks have added, after it what
// is left of the limits.
func (i input) events(m message, delivery string, u prompt.UserMessage, added string) (events []wire.Data) {
	if added != "" {
		events = append(events, queue.Aside(state.SourceHook, added))
	}
	events = append(events, m.Events(delivery, u)...)
	if status := i.limitsStatus(); status != "" {
		events = append(events, queue.Aside(state.SourceLimits, status))
	}
	return events
}

// maxShown bounds the files of one result that the model sees.
const maxShown = 20

// fit makes the pictures of a result small enough to be sent. For a file that cannot
// be sent, the model reads why.
func fit(res tool.Result) tool.Result {
	var kept []tool.File
	if left := len(res.Files) - maxShown; left > 0 {
		res.Files = res.Files[:maxShown]
		res.Text += fmt.Sprintf("\n%d more pictures are left out: a result has at most %d.", left, maxShown)
	}
	for _, p := range res.Files {
		mediaType, data, err := fitFile(p)
		if err != nil {
			res.Text += "\nThe file " + filepath.Base(p.Path) + " cannot be shown: " + fault.Message(err)
			continue
		}
		kept = append(kept, tool.File{Path: p.Path, MediaType: mediaType, Data: data})
	}
	res.Files = kept
	return res
}

// fitFile is [prompt.Fit]. A picture whose decoder panics cannot be sent.
func fitFile(p tool.File) (mediaType string, data []byte, err error) {
	err = fault.Guard("prompt.Fit", func() (err error) {
		mediaType, data, err = prompt.Fit(p.MediaType, p.Data)
		return err
	})
	return mediaType, data, err
}

// attached is a message with what is attached to it, as it is recorded and as the
// model reads it. It reads files, and does so on the caller's goroutine.
func (i input) attached(text string, m message) prompt.UserMessage {
	cwd := i.s.log.Cwd()
	if m.Extension != "" {
		return prompt.ForExtension(text, m.Send.Attachments, prompt.UserOptions{Disk: i.s.home.Finder.Disk(), Cwd: cwd})
	}
	return prompt.User(text, m.Send.Attachments, prompt.UserOptions{
		Disk: i.s.home.Finder.Disk(), Cwd: cwd, Now: time.Now(), Mode: prompt.Mode(m.Send.AgentMode), Before: m.Notice(),
		Documents: m.Documents,
	})
}
