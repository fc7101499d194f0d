package configcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// change is `config set` or `config unset`.
type change struct {
	*cli.Options
	project bool
}

func setCommand(o *cli.Options) *cobra.Command {
	c := &change{Options: o}
	cmd := &cobra.Command{
		Use:   "set KEY VALUE...",
		Short: "Set a setting in your file, or in that of the project",
		Long: `Set a setting in your own file or, with --project, in .sidestick/config.jsonc of
the project, which others get with the repository. Comments and the order of the
file stay. The value is checked first. The values of a list are arguments of
their own, and replace those in the file.`,
		Example: `  sidestick config set model anthropic:claude-opus-5-5
  sidestick config set permissions.allow 'shell(go test:*)' write
  sidestick config set budget.timeout 30m
  sidestick config set keys '{"interrupt": "f2"}'`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeKey(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := keyOf(args[0])
			if err != nil {
				return err
			}
			return c.set(cmd.Context(), k, args[1:])
		},
	}
	c.projectFlag(cmd)
	return cmd
}

func (c *change) projectFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.project, "project", false, "use the file of the project, .sidestick/config.jsonc")
}

func (c *change) set(ctx context.Context, k config.Key, values []string) error {
	if c.project && k.Project == config.Never {
		return cli.NewUsageError(fmt.Errorf("the file of a project cannot set %s: %s; set it in your own file, without --project", k.Name, k.Why))
	}
	value, err := encode(k, values)
	if err != nil {
		return err
	}
	e, err := editor(c.Options)
	if err != nil {
		return err
	}
	path, err := e.Set(ctx, c.project, k, value, c.check)
	if fault.KindOf(err) == fault.NotFound && err != nil && path != "" {
		err = nil // it has this value
	}
	if err != nil {
		return invalid(err)
	}
	if err := cli.Printf(c.Sys.Stdout, "%s is set in %s\n", k.Name, shortPath(path)); err != nil {
		return err
	}
	c.effect(k, path)
	return nil
}

// invalid marks an error in what the user wrote as one of usage.
func invalid(err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return cli.NewUsageError(err)
	}
	return err
}

// effect prints why a setting that was changed has another value now, if it has.
func (c *change) effect(k config.Key, path string) {
	cfg, err := c.Config()
	if err != nil {
		fmt.Fprintln(c.Sys.Stderr, cli.ForScreen(c.Sys.Stderr, "note: "+cli.Message(err)))
		return
	}
	if value, from := cfg.Show(k); !k.Adds && from != config.Default && from != config.Unset && !inFile(from, path) {
		text := fmt.Sprintf("note: %s is in force instead, from %s", printed(value), from)
		fmt.Fprintln(c.Sys.Stderr, cli.ForScreen(c.Sys.Stderr, timeline.ExposedLine(text, 4*terminal.Columns)))
	}
}

func unsetCommand(o *cli.Options) *cobra.Command {
	c := &change{Options: o}
	cmd := &cobra.Command{
		Use:               "unset KEY",
		Short:             "Remove a setting from your file, or from that of the project",
		Example:           `  sidestick config unset model`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKey(false),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.unset(cmd.Context(), args[0]) },
	}
	c.projectFlag(cmd)
	return cmd
}

func (c *change) unset(ctx context.Context, name string) error {
	k, err := keyOf(name)
	if err != nil {
		return err
	}
	e, err := editor(c.Options)
	if err != nil {
		return err
	}
	path, err := e.Unset(ctx, c.project, k)
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil && path != "":
		return errors.New(k.Name + " is not set in " + shortPath(path))
	case err != nil:
		return invalid(err)
	}
	return cli.Printf(c.Sys.Stdout, "%s is removed from %s\n", k.Name, shortPath(path))
}
