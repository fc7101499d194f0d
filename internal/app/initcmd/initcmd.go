package initcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/settings"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Offer is a provider that was found.
type Offer struct {
	Name, Address string
	Local         bool     // it was found on this machine
	Models        []string // as -m takes them, the best ones first
	BaseURL       string   // what the settings file needs besides the model; "" is nothing
	Err           error    // why it listed no models
}

// Helpers are what other commands do, too.
type Helpers struct {
	// Find asks all providers of a configuration, and the servers on this machine, for their models.
	Find func(context.Context, *cli.Options, config.Config) ([]Offer, error)
	// Call calls the configured model once, and says how that went.
	Call func(context.Context, *cli.Options, config.Config) (string, error)
	// AskKey asks for the key of a provider, and stores it.
	AskKey func(ctx context.Context, o *cli.Options, keyName string) error
	// Sandbox says what is missing for commands to run in a sandbox, with the next step; "" if nothing is, or
	// if the sandbox is off.
	Sandbox func(config.Config) string
}

// Command is `sidestick init`.
func Command(o *cli.Options, h Helpers) *cobra.Command {
	g := &guide{Options: o, Helpers: h}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Choose a model, try it, and write the settings file",
		Long: `Set Sidestick up. It looks for servers of models on this machine, keys in the
environment and stored keys, and asks which model to use. It can ask for a key
and store it, calls the model once if you agree, and writes the model into your
settings file. A model that is in the file is replaced only if you say so.

With --yes nothing is asked and no model is called: the first model that is
found is written, unless the file has one.`,
		Example: `  sidestick init
  sidestick init --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&g.yes, "yes", false, "ask nothing: use the first model that is found")
	return cmd
}

// guide is one `sidestick init`.
type guide struct {
	*cli.Options
	Helpers
	yes    bool
	tty    *terminal.TTY // nil with --yes
	editor settings.Editor
}

func (g *guide) run(ctx context.Context) error {
	if !g.yes && !terminal.Is(g.Sys.Stdin) {
		return cli.NewUsageError(errors.New("init asks questions, and stdin is not a terminal; to use the first model that is found: sidestick init --yes; " +
			"to name one: sidestick config set model NAME"))
	}
	cfg, err := g.Config()
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one there is no file, which is reported below
	g.editor = settings.Editor{Place: g.Place(home), Lock: filepath.Join(cli.Absolute(cfg.Home.Value), "config.lock")}
	if g.editor.User == "" {
		return cli.NewUsageError(errors.New("there is no folder for the settings file: set HOME, or XDG_CONFIG_HOME"))
	}
	if g.yes {
		return g.takeFirst(ctx, cfg)
	}
	if g.tty, err = terminal.Open(g.Sys.Getenv); err != nil {
		return err
	}
	defer func() { _ = g.tty.Close() }() // nothing is written to it any more
	if replace, err := g.replaces(ctx); err != nil || !replace {
		return err
	}
	return g.steps(ctx, cfg)
}

// replaces reports whether a model in the file may be replaced.
func (g *guide) replaces(ctx context.Context) (bool, error) {
	model, err := g.written()
	if err != nil || model == "" {
		return err == nil, err
	}
	g.say("The settings file %s has the model %s.", shortPath(g.editor.User), model)
	return g.agree(ctx, "Choose another one?", false)
}

// written is the model in the user's file, "" if there is none.
func (g *guide) written() (string, error) {
	p := g.editor.Place
	p.Cwd = "" // no project
	files, _, err := p.Read(nil, false)
	if err != nil {
		return "", cli.NewUsageError(err)
	}
	cfg, _ := config.Load(config.Flags{}, func(string) string { return "" }, string(filepath.Separator), files...) // Config has checked it
	return timeline.ExposedLine(config.ShowURL(cfg.Model.Value), terminal.Columns), nil
}

// steps are the questions, in their order.
func (g *guide) steps(ctx context.Context, cfg config.Config) error {
	chosen, err := g.provider(ctx, cfg)
	if err != nil {
		return err
	}
	model, err := g.model(ctx, chosen)
	if err != nil {
		return err
	}
	if write, err := g.try(ctx, chosen, model); err != nil || !write {
		return err
	}
	return g.write(ctx, chosen, model)
}

// takeFirst writes the first model that is found.
func (g *guide) takeFirst(ctx context.Context, cfg config.Config) error {
	if model, err := g.written(); err != nil || model != "" {
		if err == nil {
			_, err = fmt.Fprintf(g.Sys.Stdout, "the settings file %s has the model %s; nothing is changed\n", shortPath(g.editor.User), model)
		}
		return err
	}
	offers, err := g.Find(ctx, g.Options, cfg)
	if err != nil {
		return err
	}
	for _, f := range offers {
		if len(f.Models) > 0 {
			return g.write(ctx, f, f.Models[0])
		}
	}
	var failed []error
	for _, f := range offers {
		if f.Err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", f.Name, f.Err))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("no provider has listed its models: %w", errors.Join(failed...))
	}
	nothing := "nothing was found: no server of models on this machine, and no key; start Ollama, or store a key: sidestick keys set PROVIDER"
	return cli.NewUsageError(errors.New(strings.Join(append([]string{nothing}, startLocal(cfg)...), "\n")))
}

// write puts the choice into the settings file, and says what to do next.
func (g *guide) write(ctx context.Context, from Offer, model string) error {
	for _, set := range []struct{ key, value string }{{"baseUrl", from.BaseURL}, {"model", model}} {
		if set.value == "" {
			continue
		}
		if err := g.set(ctx, set.key, set.value); err != nil {
			return err
		}
	}
	err := cli.Printf(g.Sys.Stdout, `The model %s is set in %s.

Try it:
  sidestick                     have a conversation
  sidestick run "Say hello."    answer one prompt
  sidestick config show         see all settings
`, timeline.ExposedLine(model, 2*terminal.Columns), shortPath(g.editor.User))
	if now, wrong := g.Config(); err == nil && wrong == nil {
		if missing := g.Sandbox(now); missing != "" {
			err = cli.Printf(g.Sys.Stdout, "\nYou are asked about more commands than need be: %s\n", missing)
		}
	}
	if now, wrong := g.Config(); err == nil && wrong == nil && now.Model.Value != model {
		fmt.Fprintln(g.Sys.Stderr, cli.ForScreen(g.Sys.Stderr, "note: "+now.Model.From+" names another model, and comes before the file"))
	}
	return err
}

func shortPath(path string) string { return timeline.ExposedLine(cli.Tilde(path), terminal.Columns) }

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
