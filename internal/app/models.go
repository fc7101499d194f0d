package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func modelsCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the provider's models",
		Long: `List the provider's models, in its order. Sizes are in tokens, and empty if the
provider does not state them. The model that runs use is marked with *.`,
		Example: `  sidestick models
  sidestick models --json | jq -r 'select(.contextTokens > 100000).id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := o.Config()
			if err != nil {
				return err
			}
			list, err := offered(cmd.Context(), o, cfg)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(o.Sys.Stdout, list)
			}
			return printModels(o, cfg, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// modelRow is a model as `models --json` prints it. 0 means that the provider does not say.
type modelRow struct {
	ID               string   `json:"id"`
	Name             string   `json:"name"`
	Vendor           string   `json:"vendor,omitempty"`
	ContextTokens    int      `json:"contextTokens,omitempty"`
	PromptTokens     int      `json:"promptTokens,omitempty"`
	OutputTokens     int      `json:"outputTokens,omitempty"`
	Vision           bool     `json:"vision"`
	ReasoningEfforts []string `json:"reasoningEfforts,omitempty"`
}

// offered is the list of the provider's models.
func offered(ctx context.Context, o *cli.Options, cfg config.Config) ([]modelRow, error) {
	if address, ok := extensions.Address(cfg.Provider().Model); ok {
		return []modelRow{{ID: extensions.ModelName(address), Name: extensions.Info(address).Name, Vendor: extensions.Info(address).Vendor}}, wiring.CheckAgentModel(cfg)
	}
	certificates, _, err := wiring.Certificates(cfg)
	if err != nil {
		return nil, err
	}
	stored := wiring.Keys(cfg, o.Sys, &o.Secrets)
	defer stored.Close()
	p := wiring.Provider(cfg, stored)
	if p.Missing != nil && cfg.Provider().Kind == config.None {
		return nil, cli.NewUsageError(errors.New(cfg.NoModelHelp()))
	} else if p.Missing != nil {
		return nil, p.Missing
	}
	if p.Endpoint.Keys != nil { // now, because it may wait for the user
		if p.Endpoint.APIKey, err = p.Endpoint.Keys(ctx, ""); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	client := wiring.Models(model.Options{TLS: certificates, Logger: slog.New(slog.DiscardHandler), Secrets: &o.Secrets}, nil)
	defer client.Close()
	p = p.Located(ctx)
	infos, err := client.Models(ctx, p.Endpoint)
	if ctx.Err() == context.DeadlineExceeded {
		return nil, &fault.Error{
			Op: "models", On: model.PublicAddress(p.Endpoint.BaseURL), Kind: fault.Unavailable, Hint: "is it running, and is this its address?",
			Err: errors.New("no answer in " + checkWait.String()),
		}
	}
	list := make([]modelRow, len(infos))
	for i, m := range infos {
		list[i] = modelRow{
			ID: m.ID, Name: m.Name, Vendor: m.Vendor, Vision: m.Vision, ReasoningEfforts: m.ReasoningEfforts,
			ContextTokens: m.MaxContext, PromptTokens: m.MaxPrompt, OutputTokens: m.MaxOutput,
		}
	}
	return list, err
}

func printModels(o *cli.Options, cfg config.Config, list []modelRow) error {
	if len(list) == 0 {
		return errors.New(model.PublicAddress(cfg.Provider().BaseURL) + " lists no models (a run can still name one: -m MODEL)")
	}
	table := cli.NewTable(o.Sys, []int{2, 3}, "", "ID", "CONTEXT", "OUTPUT", "NAME")
	chosen := chosenModel(cfg, list)
	for _, m := range list {
		mark := ""
		if m.ID == chosen {
			mark = "*"
		}
		name := m.Name
		if name == m.ID {
			name = ""
		}
		table.Row(mark, timeline.OneLine(m.ID, 50), count(m.ContextTokens), count(m.OutputTokens), timeline.OneLine(name, terminal.Columns))
	}
	return table.Print()
}

// chosenModel is the model of a run without -m: the configured one, or the first.
func chosenModel(cfg config.Config, list []modelRow) string {
	p := cfg.Provider()
	if m := cmp.Or(p.WireModel, p.Model); m != "" || len(list) == 0 {
		return m
	}
	return list[0].ID
}

// count is a number with separators, "" for 0.
func count(n int) string {
	if n <= 0 {
		return ""
	}
	return timeline.Count(int64(n))
}
