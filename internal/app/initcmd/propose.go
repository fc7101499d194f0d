package initcmd

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// Propose says at the terminal that no model is configured, and runs `sidestick init` if the user
// agrees. It reports whether the user has agreed; nobody is asked if the terminal cannot be opened. The
// error is that of `sidestick init`, or [cli.ErrAborted].
func Propose(ctx context.Context, o *cli.Options, h Helpers) (agreed bool, err error) {
	g := &guide{Options: o, Helpers: h}
	if agreed, err = g.proposed(ctx); err != nil || !agreed {
		return false, err
	}
	return true, g.run(ctx)
}

func (g *guide) proposed(ctx context.Context) (agreed bool, err error) {
	cfg, err := g.Config()
	if err != nil {
		return false, err
	}
	if g.tty, err = terminal.Open(g.Sys.Getenv); err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, g.tty.Close()) }()
	g.say("No model is configured. `sidestick init` looks for models on this machine and for keys, asks which model to use, and writes the settings file.")
	if found := cfg.Found(); found != "" {
		g.say("%s", found)
	}
	return g.agree(ctx, "Start it now?", true)
}
