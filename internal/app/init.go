package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/initcmd"
	"github.com/sidestick-dev/sidestick/internal/app/keyscmd"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

func initCommand(o *cli.Options) *cobra.Command {
	return initcmd.Command(o, initHelpers())
}

func initHelpers() initcmd.Helpers {
	return initcmd.Helpers{Find: findOffers, Call: callOnce, AskKey: keyscmd.Ask, Sandbox: missingSandbox}
}

// missingSandbox says what is missing on this machine for commands to run in a sandbox, and the next step.
func missingSandbox(cfg config.Config) string {
	if cfg.Sandbox.Value == "off" {
		return ""
	}
	return wiring.SandboxHost(cfg, slog.New(slog.DiscardHandler)).Support().Why(sandbox.WorkspaceWrite)
}

// execute runs the command of the command line. If it needs a model and none is configured, a user at a
// terminal is offered `sidestick init`; the command is run again after it.
func execute(ctx context.Context, o *cli.Options, args []string) error {
	err := executeOnce(ctx, o, args)
	if !errors.Is(err, entry.ErrNoModel) || !terminal.Is(o.Sys.Stdin) || !terminal.Is(o.Sys.Stdout) || !terminal.Is(o.Sys.Stderr) {
		return err
	}
	agreed, failed := initcmd.Propose(ctx, o, initHelpers())
	if failed != nil || !agreed {
		return cmp.Or(failed, err)
	}
	return executeOnce(ctx, o, args)
}

func executeOnce(ctx context.Context, o *cli.Options, args []string) error {
	root, help := newRoot(o, args), &checked{out: o.Sys.Stdout}
	root.SetOut(help)
	root.SetArgs(args)
	return cmp.Or(root.ExecuteContext(ctx), help.err)
}

// findOffers asks all providers, and the servers on this machine, for their models.
func findOffers(ctx context.Context, o *cli.Options, cfg config.Config) (list []initcmd.Offer, err error) {
	s := newSurvey(o, cfg)
	defer s.stored.Close()
	offers, err := s.ask(ctx, wiring.Sources(cfg, s.stored), wiring.LocalSources(cfg, s.stored))
	for _, f := range offers {
		to := initcmd.Offer{Name: f.name, Address: f.address, Local: f.local, Err: f.err}
		slices.SortStableFunc(f.rows, func(a, b modelRow) int { return a.fitness() - b.fitness() })
		for i := range f.rows {
			if r := &f.rows[i]; r.Model == r.ID && f.name == f.address { // its names say nothing of the server
				to.BaseURL = cfg.BaseURL.Value
			}
			to.Models = append(to.Models, f.rows[i].Model)
		}
		list = append(list, to)
	}
	return list, err
}

// fitness ranks models for an agent, the best first: those that are known to call tools, those of
// which nothing is known, and those that do not.
func (r *modelRow) fitness() int {
	switch {
	case r.Tools == nil:
		return 1
	case *r.Tools && r.Ends == "":
		return 0
	}
	return 2
}

// callOnce calls the configured model, and says how that went.
func callOnce(ctx context.Context, o *cli.Options, cfg config.Config) (string, error) {
	s := newSurvey(o, cfg)
	defer s.stored.Close()
	client, err := s.client()
	if err != nil {
		return "", err
	}
	defer client.Close()
	p := cfg.Provider()
	source := wiring.Source{Name: model.PublicAddress(p.BaseURL), Vendor: p.Vendor, Provider: wiring.Provider(cfg, s.stored)}
	if keys := source.Provider.Endpoint.Keys; keys != nil {
		if source.Provider.Endpoint.APIKey, err = keys(ctx, ""); err != nil {
			return "", err
		}
	}
	f := s.checkCall(ctx, client, source, nil)
	if f.Grade != cli.Good {
		return "", errors.New(f.Is)
	}
	return f.Is, nil
}
