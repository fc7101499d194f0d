package keyscmd

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/keys"
)

// Command is `sidestick keys`.
func Command(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Keep the keys of model providers: set, list and remove them",
		Long: `Keep the keys of model providers. A key is looked for in this order:

  1. the environment: ANTHROPIC_API_KEY and others
  2. what "sidestick keys set" has stored for the provider: the key itself, in
     the keyring of the operating system or in a file that only you can read, or
     a command that prints it

A provider is named as before the colon in -m anthropic:..., or by the base URL
of its server. No key is ever printed.`,
		Example: `  sidestick keys set anthropic                      # asks for the key
  sidestick keys set http://localhost:8000/v1 < key.txt
  sidestick keys set openai -- op read op://private/openai/key
  sidestick keys list
  sidestick keys remove anthropic`,
	}
	cmd.AddCommand(setCommand(o), listCommand(o), removeCommand(o))
	return cmd
}

// opened are the keys of the environment and those that are stored.
type opened struct {
	*cli.Options
	cfg    config.Config
	stored *keys.Store
}

// open loads the configuration with load. Close the keys of the result.
func open(o *cli.Options, load func() (config.Config, error)) (*opened, error) {
	cfg, err := load()
	if err != nil {
		return nil, err
	}
	return &opened{Options: o, cfg: cfg, stored: wiring.Keys(cfg, o.Sys, &o.Secrets)}, nil
}

// variable is the variable of the environment that has the key of a provider, "" if none has.
func (s *opened) variable(name string) string {
	for _, source := range s.cfg.KeySources() {
		if source.Name == name {
			return source.Variable
		}
	}
	return ""
}

// nameOf is the name under which a key is stored for an argument.
func nameOf(arg string) (string, error) {
	name, err := config.KeyName(arg)
	if err != nil {
		return "", cli.NewUsageError(err)
	}
	return name, nil
}

// completeVendors completes the names of providers that can have a key.
func completeVendors(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return config.VendorNames(), cobra.ShellCompDirectiveNoFileComp
}

// completeStored completes the names of providers whose keys are stored.
func completeStored(o *cli.Options) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		s, err := open(o, o.ConfigToShow)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer s.stored.Close()
		all, _ := s.stored.Entries() // a file that cannot be read completes nothing
		return slices.Sorted(maps.Keys(all)), cobra.ShellCompDirectiveNoFileComp
	}
}
