package configcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/settings"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

func pathCommand(o *cli.Options) *cobra.Command {
	c := &change{Options: o}
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the path of your settings file, or of that of the project",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := c.path()
			if err == nil {
				err = cli.Print(o.Sys.Stdout, path+"\n")
			}
			return err
		},
	}
	c.projectFlag(cmd)
	return cmd
}

// path is the path of the file, also if there is none yet.
func (c *change) path() (string, error) {
	e, err := editor(c.Options)
	if err != nil {
		return "", err
	}
	path := e.User
	if c.project {
		path = e.ProjectPath()
	}
	if path == "" {
		return "", cli.NewUsageError(errors.New("there is no folder for the file: set HOME, or XDG_CONFIG_HOME"))
	}
	return path, nil
}

func editCommand(o *cli.Options) *cobra.Command {
	c := &change{Options: o}
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Edit your settings file, or that of the project, and check it",
		Long: `Open your settings file, or with --project that of the project, in your editor:
the setting "editor", else VISUAL or EDITOR. When the editor has ended, the file
is checked. A file with an error stays as you wrote it; the error names the line.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.edit(cmd.Context())
		},
	}
	c.projectFlag(cmd)
	return cmd
}

func (c *change) edit(ctx context.Context) error {
	if _, err := c.path(); err != nil {
		return err
	}
	program, err := c.editorProgram()
	if err != nil {
		return err
	}
	e, err := editor(c.Options)
	if err != nil {
		return err
	}
	path, err := e.Create(c.project, []byte(first))
	if err != nil {
		return invalid(err)
	}
	run := exec.CommandContext(ctx, program[0], append(program[1:], path)...)
	run.Stdin, run.Stdout, run.Stderr = c.Sys.Stdin, c.Sys.Stdout, c.Sys.Stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("the editor has failed (%s): %w", program[0], err)
	}
	if err := c.checkFile(e.Place); err != nil {
		return err
	}
	err = cli.Print(c.Sys.Stdout, shortPath(path)+" is valid"+"\n")
	return err
}

// checkFile says what is wrong with the file that the user has edited.
func (c *change) checkFile(p settings.Place) error {
	f, err := read(p, c.project)
	if err == nil {
		err = c.check(f)
	}
	if err != nil {
		return cli.NewUsageError(fmt.Errorf("the file is kept as you wrote it, but has an error: %w", err))
	}
	return nil
}

// editorProgram is the command of the editor. A settings file that is broken names none.
func (c *change) editorProgram() ([]string, error) {
	home, _ := os.UserHomeDir() // without one there is no file
	var files []config.File
	if f, err := c.Place(home).ReadUser(); err == nil {
		files = append(files, f)
	}
	cfg, err := config.Load(config.Flags{}, c.Sys.Getenv, cmp.Or(home, "/"), files...)
	program := strings.Fields(cfg.Terminal.Editor.Value)
	if len(program) == 0 && runtime.GOOS == "windows" {
		program = []string{"notepad"}
	}
	for _, usual := range []string{"nano", "vi"} {
		if at, missing := exec.LookPath(usual); missing == nil && len(program) == 0 && terminal.Is(c.Sys.Stdin) {
			program = []string{at}
		}
	}
	if len(program) == 0 {
		return nil, cli.NewUsageError(errors.Join(errors.New("no editor is known: set EDITOR, or sidestick config set editor COMMAND"), err))
	}
	return program, nil
}

// first is the text of a new file.
const first = `{
  // Settings of Sidestick. To list all: sidestick config show
}
`

// read reads one of the files.
func read(p settings.Place, project bool) (config.File, error) {
	if !project {
		return p.ReadUser()
	}
	p.User = ""
	files, _, err := p.Read(func(string, string) error { return nil }, false)
	if err != nil || len(files) == 0 {
		return config.File{}, err
	}
	return files[0], nil
}
