package sessions

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func renameCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:               "rename ID TITLE",
		Short:             "Give a session another title",
		Example:           `  sidestick sessions rename 0b1f "the race in the queue"`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changing(cmd.Context(), o, args[:1], func(ctx context.Context, p *wiring.Parts, ids []string) error {
				return renameSession(ctx, o, p, ids[0], strings.Join(args[1:], " "))
			})
		},
	}
}

func renameSession(ctx context.Context, o *cli.Options, p *wiring.Parts, id, title string) error {
	c, err := p.Sessions.Resume(ctx, wire.Config{SessionID: id, ClientName: "sidestick-terminal", DisableResume: true, ContinuePendingWork: true, HoldPendingWork: true}, nil, nil)
	if err != nil {
		return err
	}
	defer c.Tail().Close()
	err = c.Session().Settings().SetName(ctx, title)
	if err == nil {
		err = cli.Printf(o.Sys.Stdout, "%s is now called: %s\n", id, timeline.OneLine(title, 2*terminal.Columns))
	}
	return errors.Join(err, c.Detach(ctx))
}

func removeCommand(o *cli.Options) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "rm ID...",
		Aliases: []string{"remove", "delete"},
		Short:   "Remove sessions, with their files",
		Long: `Remove sessions: their logs, their plans, what they have kept, and their
approvals. Nothing brings them back. A session that another process has open is
not removed; then no session is.`,
		Example: `  sidestick sessions rm 0b1f 2c3d
  sidestick sessions rm notes --yes     # in a script`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changing(cmd.Context(), o, args, func(ctx context.Context, p *wiring.Parts, ids []string) error {
				return removeSessions(ctx, o, p, ids, yes)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "remove them without asking")
	return cmd
}

func removeSessions(ctx context.Context, o *cli.Options, p *wiring.Parts, ids []string, yes bool) error {
	if !yes {
		if err := confirmed(ctx, o, p, ids); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := p.Sessions.Delete(ctx, id); err != nil {
			return err
		}
		if err := cli.Printf(o.Sys.Stdout, "%s is removed\n", id); err != nil {
			return err
		}
	}
	return nil
}

// confirmed asks the user whether sessions may be removed. The error is nil only after a yes.
func confirmed(ctx context.Context, o *cli.Options, p *wiring.Parts, ids []string) error {
	if !terminal.Is(o.Sys.Stdin) {
		return cli.NewUsageError(errors.New("there is no terminal to ask at whether to remove them; in a script give --yes"))
	}
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return cli.NewUsageError(errors.New("the terminal cannot be opened to ask at; in a script give --yes"))
	}
	defer func() { _ = tty.Close() }() // nothing is written to it any more
	var b strings.Builder
	for _, id := range ids {
		title := ""
		if m, err := p.Sessions.Metadata(ctx, id); err == nil && m != nil {
			title = "  " + timeline.OneLine(m.Summary, terminal.Columns/2)
		}
		b.WriteString(id + title + "\n")
	}
	if _, err := io.WriteString(tty, b.String()); err != nil {
		return err
	}
	answer, err := tty.ReadLine(ctx, "remove? nothing brings them back [y/N] › ", nil)
	if err != nil {
		return cli.ErrAborted
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was removed")
	}
	return nil
}

// changing calls f with the ids of sessions that no other process has open.
func changing(ctx context.Context, o *cli.Options, given []string, f func(context.Context, *wiring.Parts, []string) error) (err error) {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	p, err := wiring.Build(cfg, o.Sys, wiring.Adjust{Log: silent, Secrets: &o.Secrets})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var ids []string
	for _, g := range given {
		id, err := wiring.ChooseSession(ctx, p.Sessions, g)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	used, err := p.Sessions.UsedElsewhere(ctx, ids)
	if err != nil {
		return err
	}
	if len(used) > 0 {
		return &fault.Error{
			Op: "sessions", On: used[0], Kind: fault.Conflict, Hint: "close it there first; nothing was changed",
			Err: errors.New("another process has the session open"),
		}
	}
	return f(ctx, p, ids)
}

// silent drops the records of the log: the error of the command says what has failed.
func silent(slog.Handler) slog.Handler { return slog.DiscardHandler }
