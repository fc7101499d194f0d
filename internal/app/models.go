package app

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
)

func modelsCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models [WORD...]",
		Short: "List the models that can be used now",
		Long: `List the models that can be used now: those of every provider that has a key or an
address in the environment, and of servers on this machine. All are asked at the
same time, each for a few seconds at most. With words, only models are listed
whose names have them all.

Use a model by its name in the list: -m NAME. The model that runs use is marked
with *. Sizes are in tokens, prices in US dollars for a million tokens. They are
those of your file models.json in the home folder, of a server of your own, of the
provider's list, or of the catalogue of this program, in this order. Unknown values are empty.`,
		Example: `  sidestick models
  sidestick models claude opus
  sidestick models --json | jq -r 'select(.contextTokens > 100000).model'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg, err := o.ConfigToShow()
			if err != nil {
				return err
			}
			s := newSurvey(o, cfg)
			defer s.stored.Close()
			s.words = words
			if _, err := s.facts.Check(); err != nil {
				return cli.NewUsageError(err)
			}
			offers, err := s.all(cmd.Context())
			printed := func() error {
				if asJSON {
					return cli.PrintJSON(o.Sys.Stdout, rowsOf(offers))
				}
				err := cli.Print(o.Sys.Stdout, s.table(offers))
				return err
			}
			return cmp.Or(printed(), err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// all asks every provider. It fails if no model is found; offers are then the failures of several
// providers, if there are several.
func (s *survey) all(ctx context.Context) ([]offer, error) {
	offers, err := s.ask(ctx, wiring.Sources(s.cfg, s.stored), wiring.LocalSources(s.cfg, s.stored))
	if err != nil {
		return nil, err
	}
	if address, ok := extensions.Address(s.cfg.Provider().Model); ok {
		if err := wiring.CheckAgentModel(s.cfg); err != nil {
			return nil, err
		}
		info, name := extensions.Info(address), extensions.ModelName(address)
		row := modelRow{Model: name, Provider: "extension", Selected: true, ID: name, Name: info.Name, Vendor: info.Vendor}
		offers = append([]offer{{name: "extension", rows: s.matching([]modelRow{row})}}, offers...)
	}
	found, listed := 0, 0
	var failed []string
	for i := range offers {
		found, listed = found+len(offers[i].rows), listed+offers[i].listed
		if offers[i].err != nil {
			failed = append(failed, offers[i].name)
		}
	}
	switch {
	case len(offers) == 0:
		return nil, cli.NewUsageError(errors.New(s.cfg.NoModelHelp()))
	case found > 0:
		return offers, nil
	case listed > 0 && len(failed) > 0:
		return offers, errors.New("no model that is listed has these words in its name; these providers could not be asked: " + strings.Join(failed, ", "))
	case listed > 0:
		return nil, errors.New("no model has these words in its name")
	case len(offers) > 1:
		return offers, errors.New("no provider has listed its models")
	case offers[0].err != nil:
		return nil, offers[0].err
	}
	return nil, errors.New(offers[0].address + " lists no models (a run can still name one: -m MODEL)")
}
