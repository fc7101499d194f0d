package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func trustCommand(o *cli.Options) *cobra.Command {
	var forget, list bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "Trust the files of a folder that make programs run",
		Long: `Trust a folder and everything below it, in every session. Without an argument it
is the git repository of the working directory or, outside of one, the working
directory.

Files of a folder that you trust make programs run: MCP servers in .mcp.json and
.vscode/mcp.json, and hooks. Also its agents and the prompts of its slash
commands work, its skills may allow tools, and its settings file may choose a
model of your provider. The files are listed, with what they start and where
they send something; sidestick doctor lists them before. Look at these files
before you trust a repository of others. Commands of the model need your
approval as before.`,
		Example: `  sidestick trust
  sidestick trust ~/src/project
  sidestick trust --list
  sidestick trust --forget ~/src/project`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			load := o.Config
			if list || forget { // a file that is broken keeps nobody from taking trust back
				load = o.ConfigToShow
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			local := wiring.OpenLocal(cfg, o.Sys)
			if list {
				return listTrusted(o, local)
			}
			folder := local.Project
			if len(args) == 1 {
				folder = cli.Absolute(args[0])
			}
			change, said := local.Trust().Add, "trusted: "
			if info, err := os.Stat(folder); !forget && (err != nil || !info.IsDir()) {
				return cli.NewUsageError(fmt.Errorf("%s is not a folder of this machine, so it is not trusted", timeline.ExposedLine(folder, 2*terminal.Columns)))
			}
			if forget {
				change, said = local.Trust().Remove, "no longer trusted: "
			}
			if err := change(folder); err != nil {
				return err
			}
			err = cli.Print(o.Sys.Stdout, said+timeline.ExposedLine(folder, 2*terminal.Columns)+"\n")
			if err != nil || forget {
				return err
			}
			return listBrought(o, local, folder)
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "do not trust the folder any more")
	cmd.Flags().BoolVar(&list, "list", false, "list the trusted folders")
	cmd.MarkFlagsMutuallyExclusive("forget", "list")
	return cmd
}

// listBrought prints what the files of a folder may do now that it is trusted.
func listBrought(o *cli.Options, local *wiring.Local, folder string) error {
	lines := brings(o, folder, detailsOf(local, folder))
	if len(lines) > 0 {
		lines = append([]string{"These files of the folder count from now on:"}, lines...)
	}
	for i, line := range lines {
		if i > 0 {
			line = "  " + line
		}
		if err := cli.Print(o.Sys.Stdout, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func listTrusted(o *cli.Options, local *wiring.Local) error {
	folders, err := local.Trust().List()
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		err := cli.Print(o.Sys.Stdout, "No folder is trusted."+"\n")
		return err
	}
	for _, folder := range folders {
		if err := cli.Print(o.Sys.Stdout, timeline.ExposedLine(folder, 2*terminal.Columns)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
