// Package app is the program: the tree of commands, and those commands that are small.
// Each larger command is a package of its own below this one.
//
// The packages below it: chat (run, chat, agent chat), serve, sessions, agentcmd (agent), mcpcmd (mcp), keyscmd (keys),
// configcmd (config), initcmd (init), replay, demo; ask and show, the questions and the output of a terminal; wiring, which makes
// the runtime from a configuration; cli, which all commands share. Exit codes are in
// package cli.
//
// Begin with [Main] and [Protect].
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidestick-dev/sidestick/internal/app/chat"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/serve"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// RunKeeper returns at once, with false, if args do not ask for a keeper of other programs. Otherwise
// it is one, and returns its exit code when they have ended. A main function calls it before it
// handles any signal: a signal does not end a keeper as long as its program handles it.
func RunKeeper(args []string) (code int, ran bool) {
	if code, ran = sandbox.RunKeeper(args); ran {
		return code, true
	}
	return proctree.RunKeeper(args)
}

// Main runs the command of the command line and returns the exit code. It returns soon
// after ctx ends.
func Main(ctx context.Context, args []string, sys cli.System) int {
	if code, ran := RunKeeper(args); ran {
		return code
	}
	o := &cli.Options{Sys: sys, Counts: wiring.Counts}
	args = forChat(args, sys)
	err := execute(ctx, o, args)
	code := cli.ExitCode(err)
	if err != nil && code != cli.ExitUnread && !cli.IsReported(err) {
		cli.PrintError(sys.Stderr, err, "sidestick: "+o.Secrets.Redact(cli.Message(err)))
	}
	return code
}

// forChat adds the name of the command to flags that are for `chat`, which is the command at a
// terminal if none is named, as in `sidestick --continue`, and the value to a --resume without an
// id. SDKs start a server with other flags.
func forChat(args []string, sys cli.System) []string {
	if len(args) == 0 || slices.Contains(args, "--headless") || slices.Contains(args, "--server") {
		return args
	}
	name, _, _ := strings.Cut(args[0], "=")
	if !terminal.Is(sys.Stdin) || !terminal.Is(sys.Stdout) {
		if slices.Contains([]string{"--continue", "-c", "--resume", "-r", "--plan", "--autopilot", "--plain", "--connect"}, name) {
			args = append([]string{"chat"}, args...) // which says that it needs a terminal
		}
		return args
	}
	if slices.Contains([]string{"--continue", "-c", "--resume", "-r", "--session", "--model", "-m", "--plan", "--autopilot", "--plain", "--effort", "--connect"}, name) {
		args = append([]string{"chat"}, args...)
	}
	last := args[len(args)-1]
	if args[0] == "chat" && (last == "--resume" || last == "-r") {
		args = append(slices.Clone(args), chat.AnySession)
	}
	return args
}

// checked is stdout for package cobra, which ignores errors when it prints help. It keeps
// the first one.
type checked struct {
	out io.Writer
	err error
}

// Write implements [io.Writer].
func (c *checked) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// newRoot builds the command tree, as far as the arguments need it. There are no package
// variables and no init: two runs in one process share nothing.
func newRoot(o *cli.Options, args []string) *cobra.Command {
	server, version := &serve.Server{Options: o}, false
	root := &cobra.Command{
		Use:   "sidestick",
		Short: "An open agent runtime for any model and for the GitHub Copilot SDKs",
		Long: `Sidestick is an agent runtime for programs on the GitHub Copilot SDKs (Go, Node,
Python, .NET, Java, Rust) and for people at a terminal. It runs on the models of
any provider, and on those of this machine.

An SDK starts Sidestick by itself if COPILOT_CLI_PATH names it:

  export COPILOT_CLI_PATH=$(which sidestick)

At a terminal:

  sidestick                                 work with an agent, in this folder
  sidestick demo                            see it work, without a key
  sidestick init                            choose a model, and try it
  sidestick doctor                          check the configuration
  sidestick run "explain this error: ..."   answer one prompt
  sidestick chat --continue                 go on where you left off`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(o)
			}
			if server.Wanted() {
				return server.Serve(cmd.Context())
			}
			if given := firstFlag(cmd); given != "" {
				return cli.NewUsageError(fmt.Errorf("--%s is for a server: add --server", given))
			}
			if terminal.Is(o.Sys.Stdin) && terminal.Is(o.Sys.Stdout) {
				return chat.Start(cmd.Context(), o, offerModels)
			}
			if chat.HasText(cmd.Context(), o) {
				return cli.NewUsageError(errors.New("the text on stdin is for no command; to have it answered: sidestick run"))
			}
			return cmd.Help()
		},
	}
	root.SetIn(o.Sys.Stdin)
	root.SetErr(o.Sys.Stderr)
	root.SetFlagErrorFunc(wrongFlag)
	root.Flags().BoolVarP(&version, "version", "v", false, "version for sidestick")
	wrapFlags(root)
	server.RootFlags(root)
	for _, c := range needed(args) {
		root.AddCommand(c.make(o))
	}
	if len(root.Commands()) > 1 {
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
	}
	strict(o, root, args)
	return root
}

// firstFlag is the name of a flag that was given, "" if none was.
func firstFlag(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if name == "" {
			name = f.Name
		}
	})
	return name
}
