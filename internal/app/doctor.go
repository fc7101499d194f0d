package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func doctorCommand(o *cli.Options) *cobra.Command {
	var call bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration and the provider, and say what to do next",
		Long: `Print each setting and where it comes from. Check that sessions can be stored,
that the saved approvals can be read, which commands can run in a sandbox, whether
SDKs can host the program in process, and that the provider answers and has the model, also of those that take over; not if your settings file is broken,
which may name its certificates. Say which window the model has, which tools it gets, and what models.json sets for its calls. Look for servers of models on this machine. Compare the clock with that of the provider. Say what to do next. No
secret is printed. Nothing that costs money is called, except with --call.

The exit code is 0 if a run would work, 2 if a setting is wrong, and 1 for any
other problem.`,
		Example: `  sidestick doctor
  sidestick doctor -m anthropic:claude-opus-5-5
  OPENAI_BASE_URL=http://localhost:11434/v1 sidestick doctor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := o.ConfigToShow()
			if err != nil && cfg.Home.Value == "" { // nothing was read
				return err
			}
			return examine(cmd.Context(), o, cfg, call, err)
		},
	}
	cmd.Flags().StringVarP(&o.Flags.Model, "model", "m", "", "check with this model: its `name`, as for sidestick run")
	cmd.Flags().BoolVar(&call, "call", false, "also call the model once, with a tool that it is to call")
	return cmd
}

// examine prints the settings and the checks, and fails if a run would fail. wrong is what is wrong
// with the settings, nil for nothing: no provider is called with them then.
func examine(ctx context.Context, o *cli.Options, cfg config.Config, call bool, wrong error) error {
	look := terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)
	broken, uncalled := checkBroken(o)
	found := append(checkSettings(wrong), broken...)
	found = append(found, checkHome(cfg)...)
	found = append(found, checkSandbox(wiring.SandboxHost(cfg, slog.New(slog.DiscardHandler)).Support(), cfg.Sandbox)...)
	if program, err := os.Executable(); err == nil {
		found = append(found, checkLibrary(filepath.Dir(program)))
	}
	found = append(found, checkCertificates(cfg)...)
	s := newSurvey(o, cfg)
	defer s.stored.Close()
	found = append(found, s.checkModelsFile()...)
	local := wiring.OpenLocal(cfg, o.Sys)
	found = append(found, s.checkFiles(local)...)
	found = append(found, checkProject(o, local)...)
	switch {
	case wrong != nil, uncalled:
	case cfg.Tape.Replay.Value != "":
		found = append(found, s.checkReplay()...)
	default:
		found = append(found, s.checkProvider(ctx, call)...)
		found = append(found, s.checkFallbacks(ctx)...)
	}
	if !uncalled {
		found = append(found, s.checkLocals(ctx)...)
	}
	report := settings(cfg, look) + "\n" + cli.Report(found, look)
	next := `Ready. Try: sidestick run "Say hello."`
	var failed []string
	for _, f := range found {
		if f.Grade == cli.Bad {
			failed = append(failed, f.About)
		}
	}
	if len(failed) > 0 {
		next = "To see it work without a model: sidestick demo"
		if wrong == nil && cfg.Tape.Replay.Value == "" && cfg.Provider().Kind == config.None {
			next = "To choose a model: sidestick init\n" + next
		}
	}
	if err := cli.Print(o.Sys.Stdout, o.Secrets.Redact(report+"\n"+next+"\n")); err != nil {
		return err
	}
	if wrong != nil {
		return wrong
	}
	if slices.ContainsFunc(found, func(f cli.Check) bool { return f.About == aboutFile && f.Grade == cli.Bad }) {
		return cli.NewUsageError(errors.New("not ready: " + strings.Join(failed, ", ")))
	}
	if len(failed) > 0 {
		return errors.New("not ready: " + strings.Join(failed, ", "))
	}
	return nil
}

// settings is every setting with its source; those that are not set share one line.
func settings(cfg config.Config, look terminal.Paint) string {
	var b strings.Builder
	var unset []string
	width := 34 // of the values; a longer one, such as a path, moves the sources of all
	for _, l := range cfg.Describe() {
		width = max(width, timeline.Width(l.Value))
	}
	b.WriteString(look.Bold("Settings") + "\n")
	for _, l := range cfg.Describe() {
		if l.From == config.Unset {
			unset = append(unset, l.Name)
			continue
		}
		fmt.Fprintf(&b, "  %s  %s  %s\n", timeline.Pad(l.Name, 16), timeline.Pad(l.Value, width), look.Dim(l.From))
	}
	if len(unset) > 0 {
		b.WriteString(look.Dim(cli.Indented("  "+timeline.Pad("not set", 16)+"  ", strings.Join(unset, ", "))))
	}
	return b.String()
}
