package app

import (
	"errors"
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
		Long: `Show what was moved aside in the working directory. It appeared while a command of
the model ran that nobody looked at, and it would make programs run later: when you
enter the folder, open it in an editor, or ask git for the status. It is in its
place, under a name that ends with .untrusted. Look at it before you take it back.
What you have made yourself meanwhile, in another window, is here as well.`,
		Example: `  sidestick quarantine
  sidestick quarantine allow sub/.envrc
  sidestick quarantine allow vendor
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
moved aside again as long as their content is the same. A folder stands for
everything in it.`,
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

// eachAside calls f for each path, and for each in a folder that is given, and prints what it returns. It goes on after an error.
func eachAside(o *cli.Options, given []string, f func(*quarantine.Store, string) (string, error)) error {
	store, err := quarantineOf(o)
	if err != nil {
		return err
	}
	var failed []error
	for _, path := range given {
		paths := []string{cli.Absolute(path)}
		if items, err := store.Below(paths[0]); err == nil && len(items) > 0 {
			paths = nil
			for _, i := range items {
				paths = append(paths, i.Path)
			}
		}
		for _, path := range paths {
			said, err := f(store, path)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			if err := cli.Print(o.Sys.Stdout, timeline.ExposedLine(said, 4*terminal.Columns)+"\n"); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

func quarantineOf(o *cli.Options) (*quarantine.Store, error) {
	cfg, err := o.ConfigToShow() // a settings file that is broken keeps nobody from looking
	if err != nil {
		return nil, err
	}
	wiring.LookForKilled(cfg)
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
		by = "something that is not known"
	}
	return fmt.Sprintf("%s\n  now:  %s\n  why:  %s\n  seen: %s, after %s\n", name(i.Path), name(i.Aside), timeline.ExposedLine(i.Why, 4*terminal.Columns),
		i.Time.Local().Format("2006-01-02 15:04"), timeline.ExposedLine(strings.TrimSpace(by), 4*terminal.Columns))
}
