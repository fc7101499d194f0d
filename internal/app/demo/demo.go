package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// Command is `sidestick demo`.
func Command(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See Sidestick work, event by event, without a key",
		Long: `Watch an agent find out why a test fails, and fix it, event by event, in a few
seconds. The demo needs no key and no network. The model is scripted; the
server, the protocol, the loop, tools, permissions and log are the real ones,
in a temporary folder. Your configuration is not read, and nothing is left
behind.

To chat with the same model yourself: sidestick demo model.`,
		Example: `  sidestick demo
  sidestick demo | less`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.AddCommand(modelCommand(o), agentCommand(o))
	return cmd
}

// demoWait bounds the demo, which takes about 5 seconds: it must never hang.
const demoWait = 30 * time.Second

func run(ctx context.Context, o *cli.Options) (err error) {
	bounded, cancel := context.WithTimeout(ctx, demoWait)
	defer cancel()
	d, err := newDemo(o.Sys)
	if err != nil {
		return fmt.Errorf("the demo cannot begin: %w", err)
	}
	defer func() { err = errors.Join(err, d.end()) }()
	err = d.play(bounded)
	switch {
	case ctx.Err() != nil:
		return cli.ErrAborted
	case d.show.err != nil:
		return d.show.err
	case bounded.Err() != nil:
		return fmt.Errorf("the demo did not end within %v; it stopped while %s", demoWait, d.step)
	case err != nil:
		return fmt.Errorf("the demo failed while %s: %w", d.step, err)
	}
	return nil
}

// demo is one run of the demo.
type demo struct {
	dir   string // the temporary folder
	model *modeltest.Server
	parts *wiring.Parts
	show  *eventRows
	acts  chan act // from the client's goroutines to the one that prints
	tools int      // how many calls have ended
	asked int      // how many questions there were
	step  string   // for the message of a failure
}

// act is what a client or a tool does, as opposed to an event.
type act struct {
	who, what string
	when      time.Time
}

// now is the time in the milliseconds of an event's time, so that acts and events can be
// compared.
func now() time.Time { return time.Now().Truncate(time.Millisecond) }

// demoSession is the id of the session, which a client may choose.
const demoSession = "demo"

// newDemo builds the runtime from an environment that names only the temporary folder and
// the scripted model.
func newDemo(sys cli.System) (*demo, error) {
	d := &demo{model: modeltest.NewServer(demoScript(demoPace)...), acts: make(chan act)}
	d.show = &eventRows{out: sys.Stdout, look: terminal.PaintFor(sys.Stdout, sys.Getenv), begin: now(), width: max(cli.Width(sys.Stdout), textColumn+20)}
	var err error
	if d.dir, err = os.MkdirTemp("", "sidestick-demo-"); err != nil {
		return nil, err
	}
	if err := d.build(sys); err != nil {
		return nil, errors.Join(err, d.end())
	}
	return d, nil
}

func (d *demo) build(sys cli.System) error {
	d.show.cwd = d.project()
	if err := writeDemo(d.project()); err != nil {
		return err
	}
	url, err := d.model.Listen()
	if err != nil {
		return err
	}
	env := map[string]string{
		"SIDESTICK_HOME": filepath.Join(d.dir, "home"), "SIDESTICK_BASE_URL": url + "/v1", "SIDESTICK_MODEL": "scripted",
	}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, "")
	if err != nil {
		return err
	}
	d.parts, err = wiring.Build(cfg, sys, wiring.Adjust{Rules: wiring.AllowReading, Sandbox: true, AskFirst: true, Log: wiring.OnlyPanics})
	return err
}

// project is the folder that the agent works in.
func (d *demo) project() string { return filepath.Join(d.dir, "slug") }

// end closes everything and removes the folder, and the log with it.
func (d *demo) end() error {
	var err error
	if d.parts != nil {
		err = d.parts.Close()
	}
	d.model.Close()
	return errors.Join(err, os.RemoveAll(d.dir))
}
