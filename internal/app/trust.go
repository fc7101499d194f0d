package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func trustCommand(o *cli.Options) *cobra.Command {
	var forget, list, yes bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "Trust the files of a folder that make programs run",
		Long: `Trust a folder and everything below it, in every session. Without an argument it
is the git repository of the working directory or, outside of one, the working
directory.

Files of a folder that you trust make programs run: MCP servers in .mcp.json and
.vscode/mcp.json, and hooks. Also its agents and the prompts of its slash
commands work, its skills may allow tools, and its settings file may choose a
model of your provider. The files are listed first, with everything that they
start, allow, send and set, and at a terminal you are asked whether to trust
them; sidestick doctor lists them, too. Look at these files before you trust a
repository of others. Commands of the model need your approval as before.

You trust these files, and the scripts that they name, as they are now. One
that changes, or is new, has no effect until you say sidestick trust again,
which shows what it did and what it would do. sidestick trust --list shows this
and trusts nothing.`,
		Example: `  sidestick trust
  sidestick trust ~/src/project
  sidestick trust --list
  sidestick trust --forget ~/src/project`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if forget {
				return distrust(o, local, folder)
			}
			return trust(cmd.Context(), o, local, folder, yes)
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "do not trust the folder any more")
	cmd.Flags().BoolVar(&list, "list", false, "list the trusted folders")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "trust it without a question")
	cmd.MarkFlagsMutuallyExclusive("forget", "list", "yes")
	return cmd
}

// distrust takes the trust in a folder back.
func distrust(o *cli.Options, local *wiring.Local, folder string) error {
	if err := local.Trust().Remove(folder); err != nil {
		return err
	}
	return cli.Print(o.Sys.Stdout, "no longer trusted: "+timeline.ExposedPath(folder)+"\n")
}

// trust shows what trusting a folder means, asks at a terminal unless the answer was given with the command, and
// trusts the content that was shown. Without a terminal the command is the answer.
func trust(ctx context.Context, o *cli.Options, local *wiring.Local, folder string, yes bool) error {
	shown := timeline.ExposedPath(folder)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return cli.NewUsageError(fmt.Errorf("%s is not a folder of this machine, so it is not trusted", shown))
	}
	seen, err := local.Trust().Look(folder)
	if err != nil {
		return err
	}
	unused := local.Finder().ProjectFilesWithoutEffect(discovery.Scope{Cwd: folder, Root: folder})
	if err := cli.Print(o.Sys.Stdout, meaning(o, seen, unused)); err != nil {
		return err
	}
	if !yes && terminal.Is(o.Sys.Stdin) && terminal.Is(o.Sys.Stdout) {
		if err := confirmed(ctx, o, shown); err != nil {
			return err
		}
	}
	if err := local.Trust().Agree(seen); err != nil {
		return err
	}
	return cli.Print(o.Sys.Stdout, "trusted: "+shown+"\n")
}

// confirmed asks the user whether to trust a folder. The error is nil only after a yes.
func confirmed(ctx context.Context, o *cli.Options, folder string) error {
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return cli.NewUsageError(errors.New("the terminal cannot be opened to ask at; to trust the folder without a question give --yes"))
	}
	defer func() { _ = tty.Close() }() // nothing is written to it any more
	if err := cli.Print(o.Sys.Stdout, "folder: "+folder+"\n"); err != nil {
		return err
	}
	answer, err := tty.ReadLine(ctx, "trust it, with what is listed above? [y/N] › ", nil)
	if err != nil {
		return cli.ErrAborted
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was trusted")
	}
	return nil
}

// meaning says what the files of a folder do once it is trusted, and what has changed since it was trusted before.
// unused is what the files ask for and do not get.
func meaning(o *cli.Options, seen registry.TrustedFiles, unused []string) string {
	var now []string
	for _, one := range seen.Files {
		if one.State == registry.FileSame || !seen.Looked && one.State != registry.FileGone {
			now = append(now, described(o, one.File, one.Now)...)
		}
	}
	lines := section("These files of the folder count once you trust it, as they are now:", now)
	if seen.Looked {
		lines = append(lines, section("These have changed since you trusted the folder, and count once you trust it again, as they are now:", changes(o, seen.Changed()))...)
	}
	lines = append(lines, section("These have no effect, or another one than elsewhere:", exposed(o, slices.Concat(seen.Left, unused)))...)
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// section is a heading with lines below it; nothing without lines.
func section(heading string, lines []string) (all []string) {
	for i, line := range lines {
		if i == 0 {
			all = append(all, heading)
		}
		all = append(all, "  "+line)
	}
	return all
}

// exposed are lines about what has no effect.
func exposed(o *cli.Options, lines []string) (shown []string) {
	for _, line := range lines {
		shown = append(shown, timeline.ExposedLine(o.Secrets.Redact(line), 4*terminal.Columns))
	}
	return shown
}

// listTrusted prints the trusted folders, and below each what in it is not as the user has agreed to.
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
		lines := []string{timeline.ExposedLine(folder, 2*terminal.Columns)}
		seen, err := local.Trust().Look(folder)
		switch {
		case err != nil:
			lines = append(lines, "  it cannot be looked at: "+timeline.ExposedLine(fault.Message(err), 2*terminal.Columns))
		case !seen.Looked:
			lines = append(lines, "  an older version trusted it without a look at its content, so nothing in it has an effect until you say: sidestick trust "+timeline.ExposedLine(shellword.Quote(folder), 2*terminal.Columns))
		default:
			heading := "without effect until you say sidestick trust " + timeline.ExposedLine(shellword.Quote(folder), 2*terminal.Columns) + ":"
			for _, line := range section(heading, changes(o, seen.Changed())) {
				lines = append(lines, "  "+line)
			}
		}
		if err := cli.Print(o.Sys.Stdout, strings.Join(lines, "\n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
