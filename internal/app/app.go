// Package app is the program: it reads the configuration, builds the parts, and
// runs one command. It is the one package that knows every other.
//
// The drop-in is the root command itself with the flags that the SDKs pass
// (serve.go); what people type is one file per command. Exit codes stand in one
// table, [Exit...]: 0 done, 1 failed, 2 bad usage, 3 aborted.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// How the program ends.
const (
	ExitDone    = 0
	ExitFailed  = 1
	ExitUsage   = 2 // the command line or the configuration is wrong
	ExitAborted = 3 // a person or a signal stopped it
)

// System is what the program touches of the outside world; tests bring their own.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// FS is where a server keeps its logs. Default the operating system; a test
	// brings one that fails.
	FS vfs.FS
}

// Main runs the command line and returns the exit code. It returns soon after
// ctx ends.
func Main(ctx context.Context, args []string, sys System) int {
	root := newRoot(sys)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(sys.Stderr, readable(sys.Stderr, "sidestick: "+complaint(err)))
	}
	return exitCode(err)
}

// readable breaks text between words, if it goes to a screen.
func readable(out io.Writer, text string) string {
	if !terminal.Is(out) {
		return text
	}
	return wrapped(text, width(out))
}

// wrapped breaks the lines that are too long.
func wrapped(text string, width int) string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		if timeline.Width(line) > width {
			rows = append(rows, timeline.Wrap(line, width)...)
		} else {
			rows = append(rows, line) // its spaces may be columns
		}
	}
	return strings.Join(rows, "\n")
}

// usageError marks an error in what was typed, as opposed to what happened.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errAborted ends a command that has said already why it stopped.
var errAborted = errors.New("aborted")

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &usage):
		return ExitUsage
	case errors.Is(err, errAborted), errors.Is(err, context.Canceled):
		return ExitAborted
	}
	return ExitFailed
}

// newRoot builds the command tree. There are no package variables and no init:
// two runs in one process share nothing.
func newRoot(sys System) *cobra.Command {
	o := &options{sys: sys}
	root := &cobra.Command{
		Use:   "sidestick",
		Short: "An open agent runtime: any model, the GitHub Copilot SDKs' wire, nothing lost",
		Long: `Sidestick runs the tool-use loop for programs written on the GitHub Copilot SDKs
(Go, Node, Python, .NET, Java, Rust) and for people at a terminal, on any model.

A program finds it through COPILOT_CLI_PATH and starts it by itself:

  export COPILOT_CLI_PATH=$(which sidestick)

For people:

  sidestick demo                            see it work; needs no key
  sidestick doctor                          what is set, and what to do next
  sidestick run "explain this error: ..."   one prompt, the answer as it streams
  sidestick chat                            a conversation, line by line`,
		Args:          cobra.NoArgs,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.headless && !o.server {
				return cmd.Help()
			}
			return o.serve(cmd.Context())
		},
	}
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	root.SetFlagErrorFunc(wrongUsage)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprint(".FlagUsagesWrapped ", columns)))
	o.serverFlags(root)
	root.AddCommand(commands(o)...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	strict(root)
	return root
}

// options is what the flags say, and how to get at the rest.
type options struct {
	sys   System
	flags config.Flags

	headless, server, stdio, remote, noAutoUpdate bool
}

// config reads the configuration under the flags.
func (o *options) config() (config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // config says what to do if it needs one
	}
	cfg, err := config.Load(o.flags, o.sys.Getenv, home)
	if fault.KindOf(err) == fault.Invalid && err != nil {
		return cfg, usageError{err}
	}
	return cfg, err
}
