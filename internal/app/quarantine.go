package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func quarantineCommand(o *cli.Options) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "Show what commands of the model have made and what was moved aside, and take it back",
		Long: `Show what was moved aside in the working directory. A command of the model that
nobody looked at has made it, and it would make programs run later: when you enter
the folder, open it in an editor, or ask git for the status. It is in its place,
under a name that ends with .untrusted. Look at it before you take it back.`,
		Example: `  sidestick quarantine
  sidestick quarantine allow sub/.envrc
  sidestick quarantine forget sub/.envrc`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := quarantineOf(o)
			if err != nil {
				return err
			}
			folder := cli.Absolute(".")
			items, err := store.Below(folder)
			if all {
				items, err = store.List()
			}
			if err != nil {
				return err
			}
			if len(items) == 0 {
				where := " in this folder"
				if all {
					where = ""
				}
				return cli.Print(o.Sys.Stdout, "Nothing is moved aside"+where+".\n")
			}
			for _, i := range items {
				if err := cli.Print(o.Sys.Stdout, asideText(folder, i)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "show what was moved aside in every folder")
	cmd.AddCommand(quarantineAllow(o), &cobra.Command{
		Use:   "forget PATH...",
		Short: "Take files off the list and leave them where they are",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return eachAside(o, args, func(s *quarantine.Store, path string) (string, error) {
				i, err := s.Forget(path)
				return "no longer on the list: " + i.Aside, err
			})
		},
	})
	return cmd
}

func quarantineAllow(o *cli.Options) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use:   "allow PATH...",
		Short: "Give files their names back",
		Long: `Give files their names back that were moved aside, so that they act. They are not
moved aside again as long as their content is the same.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return eachAside(o, args, func(s *quarantine.Store, path string) (string, error) {
				i, err := s.Allow(path, changed)
				return "taken back: " + i.Path, err
			})
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "also if the content has changed since it was moved aside")
	return cmd
}

// eachAside calls f for each path, and prints what it returns.
func eachAside(o *cli.Options, paths []string, f func(*quarantine.Store, string) (string, error)) error {
	store, err := quarantineOf(o)
	if err != nil {
		return err
	}
	for _, path := range paths {
		said, err := f(store, cli.Absolute(path))
		if err != nil {
			return err
		}
		if err := cli.Print(o.Sys.Stdout, timeline.ExposedLine(said, 4*terminal.Columns)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func quarantineOf(o *cli.Options) (*quarantine.Store, error) {
	cfg, err := o.ConfigToShow() // a settings file that is broken keeps nobody from looking
	if err != nil {
		return nil, err
	}
	return wiring.Quarantine(cfg), nil
}

// asideText describes something that was moved aside, in three lines. Its path is relative to a folder that it is in.
func asideText(folder string, i quarantine.Item) string {
	name := func(path string) string {
		if relative, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(relative) {
			path = relative
		}
		return timeline.ExposedLine(path, 4*terminal.Columns)
	}
	by := i.By
	if by == "" {
		by = "not known"
	}
	return fmt.Sprintf("%s\n  now:  %s\n  why:  %s\n  made: %s, by %s\n", name(i.Path), name(i.Aside), timeline.ExposedLine(i.Why, 4*terminal.Columns),
		i.Time.Local().Format("2006-01-02 15:04"), timeline.ExposedLine(strings.TrimSpace(by), 4*terminal.Columns))
}
