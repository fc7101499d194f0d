package operate

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Desk is an open session as slash commands act on it: one of this process ([Here]), or one of a server
// (package remote).
type Desk interface {
	// Records yields the events that are part of the session's history, from the first. Lines that are no
	// events are left out, as by every reader.
	Records(ctx context.Context) iter.Seq2[wire.Event, error]
	// Answer returns the text of the last answer but n-1 of the model, as the model wrote it: 1 is the last
	// one. The text is raw: pass it through [timeline.Harmless] before printing. [fault.NotFound] if there are
	// fewer.
	Answer(ctx context.Context, n int) (string, error)
	// Changes returns the changes of files. mode is "session" for what the agent has changed, "unstaged" for a
	// comparison with the last commit, "branch" for one with the default branch; "" is session. If that is not
	// possible, the changes are those of another mode, which they name.
	Changes(ctx context.Context, mode string) (Diff, error)
	// Compact makes the conversation shorter; focus is what matters most, "" for nothing special. Its events say
	// how it goes.
	Compact(ctx context.Context, focus string) error
	// Window measures what fills the window of the model. It may ask the provider for its list of models.
	Window(ctx context.Context) (metrics.Window, error)
	// SwitchModel makes later turns use another model.
	SwitchModel(ctx context.Context, name string) error

	// Turns lists the turns of the session, the oldest first. tracking reports whether the session keeps what
	// files were before the agent changed them, so that a rewind can restore files; a session does so only if
	// it was created that way.
	Turns(ctx context.Context) (list []Turn, tracking bool, err error)
	// Preview lists the files that the turns have changed that a rewind to one of them removes.
	Preview(ctx context.Context, t Turn) ([]File, error)
	// CommandsSince returns the commands that ran since an event, "" for the beginning of the session.
	CommandsSince(ctx context.Context, eventID string) (Commands, error)
	// Rewind removes a turn and all later ones from the conversation, and with files also restores the files
	// that they have changed. The error is [ErrBusy], that the session does not keep files, or why it failed;
	// then the conversation is what it was.
	Rewind(ctx context.Context, t Turn, files bool) (Rewound, error)
}

// Here is an open session of this process; it implements [Desk].
type Here struct{ Client *session.Client }

// Records implements [Desk].
func (h Here) Records(ctx context.Context) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for line, err := range h.Client.Session().History().All(ctx) {
			if err != nil {
				yield(wire.Event{}, err)
				return
			}
			if e, err := wire.ParseEvent(line); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

// Answer implements [Desk].
func (h Here) Answer(ctx context.Context, n int) (string, error) { return AnswerOf(h.Records(ctx), n) }

// Compact implements [Desk].
func (h Here) Compact(ctx context.Context, focus string) error {
	_, err := h.Client.Session().Compaction().Run(ctx, focus)
	return err
}

// Window implements [Desk].
func (h Here) Window(ctx context.Context) (metrics.Window, error) {
	return h.Client.Session().Window(ctx)
}

// SwitchModel implements [Desk].
func (h Here) SwitchModel(ctx context.Context, name string) error {
	return h.Client.Session().Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: name})
}

// CommandsSince implements [Desk].
func (h Here) CommandsSince(ctx context.Context, eventID string) (Commands, error) {
	return CommandsOf(h.Records(ctx), eventID)
}
