package command

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A slash command in the queue is a run of its own, without a model. The client that owns the
// command carries it out. Any other command is offered to the clients that watch the queue
// (session.eventLog.registerInterest for command.queued): the first answer counts. A
// command of this program, or a skill, that no client has handled is carried out here.

const commandQueued wire.EventType = "command.queued"

// queuedCommand is a slash command that waits for a client that watches the queue.
type queuedCommand struct {
	done chan bool // capacity 1: whether a client has handled it
}

// Enqueue puts a slash command into the queue and returns its id there. In an idle session it
// runs at once. shown is the text for users, "" for the command. A command does not survive
// the end of the process: the next resume drops it.
func (c *Commands) Enqueue(ctx context.Context, command, shown string) (id string, err error) {
	if _, _, ok := slash.Split(command); !ok {
		return "", fault.New(fault.Invalid, "session.commands.enqueue", c.id, "command is %q, want a slash, a name and perhaps arguments", fault.Bounded(command))
	}
	q := state.Queued{ID: wire.NewID(), Command: true, Send: wire.Send{Prompt: command, DisplayPrompt: shown}}
	return q.ID, c.session.Change(ctx, func() error { return c.session.Enqueue(q) })
}

// AnswerQueued says whether a client has handled a queued command. stop keeps the rest of the
// queue waiting until the next message or command comes. It reports false if no such command
// waits.
func (c *Commands) AnswerQueued(ctx context.Context, requestID string, handled, stop bool) (ok bool, err error) {
	return mailbox.Ask(ctx, c.session.Do, func() (bool, error) {
		waiting := c.asked[requestID]
		if waiting == nil {
			return false, nil
		}
		delete(c.asked, requestID)
		if stop && handled {
			c.session.Stop()
		}
		waiting.done <- handled
		return true, nil
	})
}

// Perform is the run of a queued command, on the run's goroutine. id is that of the command in the queue, ""
// if it never waited. The context ends when the run is aborted.
func (c *Commands) Perform(ctx context.Context, id, command string) turn.Outcome {
	taken, err := mailbox.Ask(context.WithoutCancel(ctx), c.session.Post, func() (bool, error) {
		if ctx.Err() != nil || id == "" {
			return ctx.Err() == nil, nil
		}
		return c.session.Begin(id)
	})
	if err == nil && taken {
		err = c.performNow(ctx, command)
	}
	if ctx.Err() != nil {
		return turn.Outcome{Aborted: true}
	}
	return turn.Outcome{Err: err}
}

// performNow carries a queued command out.
func (c *Commands) performNow(ctx context.Context, command string) error {
	name, args, _ := slash.Split(command)
	failed, known, err := c.atClient(ctx, name, args)
	if !known && err == nil {
		failed, err = c.offer(ctx, command, name, args)
	}
	if failed == "" || err != nil {
		return err
	}
	return c.session.Post(context.WithoutCancel(ctx), func() error {
		return c.session.Record("", &wire.SessionWarning{WarningType: "command_failed", Message: "/" + fault.Bounded(name) + ": " + failed})
	})
}

// offer offers a command to the clients that watch the queue, and carries it out here if none
// of them handles it. It returns why it failed.
func (c *Commands) offer(ctx context.Context, command, name, args string) (failed string, err error) {
	id := wire.NewID()
	waiting, err := mailbox.Ask(ctx, c.session.Do, func() (*queuedCommand, error) {
		c.session.Emit("", &wire.CommandQueued{RequestID: id, Command: command})
		if !c.session.Interested(commandQueued) {
			return nil, nil
		}
		waiting := &queuedCommand{done: make(chan bool, 1)}
		if c.asked == nil {
			c.asked = map[string]*queuedCommand{}
		}
		c.asked[id] = waiting
		return waiting, nil
	})
	if err != nil {
		return "", err
	}
	defer func() {
		_ = c.session.Post(context.Background(), func() error {
			delete(c.asked, id)
			c.session.Emit("", &wire.CommandCompleted{RequestID: id})
			return nil
		})
	}()
	if waiting != nil {
		select {
		case handled := <-waiting.done:
			if handled {
				return "", nil
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return c.here(ctx, name, args)
}

// here carries out a command of this program or of a skill, during its run. The message of a
// skill becomes the next run.
func (c *Commands) here(ctx context.Context, name, args string) (failed string, err error) {
	prompt, sends, err := c.Prompt(ctx, name, args) // which reports the skills to the clients, whatever is asked for
	var result wire.CommandResult
	if err == nil && !sends {
		result, err = c.CarryOut(ctx, name, args)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return fault.Message(err), nil
	}
	if !sends {
		return "", c.report(ctx, result)
	}
	if err := c.notify(ctx, prompt); err != nil {
		return "", err
	}
	q := state.Queued{ID: wire.NewID(), Send: messageOf(prompt)}
	return "", c.session.Post(ctx, func() error { return c.session.Next(q) })
}

// Unwatched ends the wait for an answer to queued commands once no client watches them.
func (c *Commands) Unwatched() {
	if c.session.Interested(commandQueued) {
		return
	}
	for _, waiting := range c.asked {
		waiting.done <- false
	}
	clear(c.asked)
}
