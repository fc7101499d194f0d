package front

import (
	"context"
	"errors"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// subject is a session that commands act on: one of this process, or one of a server.
type subject interface {
	Records(ctx context.Context) iter.Seq2[wire.Event, error]
	Answer(ctx context.Context, n int) (string, error)
	Changes(ctx context.Context, mode string) (operate.Diff, error)
	Compact(ctx context.Context, focus string) error
	Usage(ctx context.Context) (wire.UsageMetrics, error)

	Turns(ctx context.Context) (list []operate.Turn, tracking bool, err error)
	Preview(ctx context.Context, t operate.Turn) ([]operate.File, error)
	CommandsSince(ctx context.Context, eventID string) (operate.Commands, error)
	Rewind(ctx context.Context, t operate.Turn, files bool) (operate.Rewound, error)
}

var (
	_ subject = (*embedded)(nil)
	_ subject = (*remote.Session)(nil)
)

// effect is what a command does with its argument, "" if it has none.
type effect func(ctx context.Context, arg string) (tui.Effect, error)

// effects are what commands do in every session, by name. words is [tui.Options.Words] for its errors.
func (d desk) effects(s subject, words func(error) string) map[string]effect {
	return map[string]effect{
		"mode":      d.mode,
		"plan":      func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "plan"}, nil },
		"autopilot": func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "autopilot"}, nil },
		"compact": func(ctx context.Context, focus string) (tui.Effect, error) {
			return tui.Effect{}, s.Compact(ctx, focus) // its events say how it goes
		},
		"rewind": func(ctx context.Context, arg string) (tui.Effect, error) {
			return newRewinder(s, d.keys, words).choose(ctx, arg)
		},
		"undo": func(ctx context.Context, _ string) (tui.Effect, error) {
			return newRewinder(s, d.keys, words).last(ctx)
		},
		"diff": func(ctx context.Context, mode string) (tui.Effect, error) { return d.review(ctx, mode, s.Changes) },
		"copy": func(ctx context.Context, arg string) (tui.Effect, error) {
			return copied(arg, func(n int) (string, error) { return s.Answer(ctx, n) })
		},
		"show":  func(ctx context.Context, arg string) (tui.Effect, error) { return d.showSession(s.Records(ctx), arg) },
		"usage": func(ctx context.Context, _ string) (tui.Effect, error) { return used(s.Usage(ctx)) },
		"quit":  func(context.Context, string) (tui.Effect, error) { return tui.Effect{Quit: true}, nil },
	}
}

// errNothingRuns is the error of /background without anything that it could leave.
var errNothingRuns = errors.New("no call waits for an agent or a command that could continue in the background")

func (f *embedded) Answer(ctx context.Context, n int) (string, error) {
	return operate.Answer(ctx, f.client.Session(), n)
}

func (f *embedded) Changes(ctx context.Context, mode string) (operate.Diff, error) {
	return operate.Changes(ctx, f.client.Session(), mode)
}

func (f *embedded) Compact(ctx context.Context, focus string) error {
	_, err := f.client.Session().Compaction().Run(ctx, focus)
	return err
}

func (f *embedded) Usage(ctx context.Context) (wire.UsageMetrics, error) {
	return f.client.Session().Metrics().Usage(ctx)
}

func (f *embedded) Turns(ctx context.Context) ([]operate.Turn, bool, error) {
	return operate.Turns(ctx, f.client.Session())
}

func (f *embedded) Preview(ctx context.Context, t operate.Turn) ([]operate.File, error) {
	return operate.Preview(ctx, f.client.Session(), t)
}

func (f *embedded) CommandsSince(ctx context.Context, eventID string) (operate.Commands, error) {
	return operate.CommandsSince(ctx, f.client.Session(), eventID)
}

func (f *embedded) Rewind(ctx context.Context, t operate.Turn, files bool) (operate.Rewound, error) {
	return operate.Rewind(ctx, f.client.Session(), t, files)
}
