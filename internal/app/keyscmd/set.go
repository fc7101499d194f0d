package keyscmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// The values of --store.
const (
	inKeyring = "keyring"
	inFile    = "file"
)

func setCommand(o *cli.Options) *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "set PROVIDER [-- COMMAND [ARGS...]]",
		Short: "Store the key of a provider, or the command that prints it",
		Long: `Store the key of a provider. It is read from stdin or, at a terminal, typed
without being shown; never give it as an argument, which other users can see and
shells keep. It is stored in the keyring of the operating system or, if there is
none, in keys.json in the home folder of Sidestick, which only you can read.

With a command behind --, that command is stored. It is run when the key is
first needed, and again after the provider has refused the key. It runs without
a shell and without a terminal, for at most 30 seconds, and prints only the key.`,
		Example: `  sidestick keys set anthropic
  pass show openai | sidestick keys set openai
  sidestick keys set mistral --store file < mistral.key
  sidestick keys set openai -- op read op://private/openai/key`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeVendors,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			switch {
			case dash < 0 && len(args) > 1:
				return cli.WrongUsage(cmd, errors.New("only the provider is an argument; pipe the key in, and write a command behind --"))
			case dash == 0 || dash > 1 || dash == 1 && len(args) == 1:
				return cli.WrongUsage(cmd, errors.New("write the provider before --, and a command behind it"))
			case store != "" && store != inKeyring && store != inFile:
				return cli.WrongUsage(cmd, fmt.Errorf("--store is %q, want keyring or file", timeline.OneLine(store, terminal.Columns)))
			case store != "" && len(args) > 1:
				return cli.WrongUsage(cmd, errors.New("--store is for a key, not for a command"))
			}
			name, err := nameOf(args[0])
			if err != nil {
				return err
			}
			s, err := open(o, o.Config)
			if err != nil {
				return err
			}
			defer s.stored.Close()
			if len(args) > 1 {
				return s.setCommand(cmd.Context(), name, args[1:])
			}
			return s.setKey(cmd.Context(), name, store)
		},
	}
	cmd.Flags().StringVar(&store, "store", "", "the `place` of the key: keyring or file (default keyring, and file if there is none)")
	_ = cmd.RegisterFlagCompletionFunc("store", cobra.FixedCompletions([]string{inKeyring, inFile}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// setCommand stores a command that prints a key, and tries it.
func (s *opened) setCommand(ctx context.Context, name string, command []string) error {
	if err := s.stored.Set(ctx, name, keys.Entry{Command: command}, ""); err != nil {
		return err
	}
	shown := "the command " + timeline.ExposedLine(command[0], terminal.Columns)
	if _, err := s.stored.Key(ctx, name, ""); err != nil { // it is kept: what it asks may be locked now
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "warning: it is stored, but it gives no key now: "+s.Secrets.Redact(cli.Message(err))))
		return s.report(name, shown+" is to print the key of "+name)
	}
	return s.report(name, shown+" prints the key of "+name)
}

// Ask asks for the key of a provider, of a name as [config.KeyName] returns it, and stores it.
func Ask(ctx context.Context, o *cli.Options, name string) error {
	s, err := open(o, o.Config)
	if err != nil {
		return err
	}
	defer s.stored.Close()
	return s.setKey(ctx, name, "")
}

// setKey reads a key and stores it.
func (s *opened) setKey(ctx context.Context, name, store string) error {
	if _, err := s.stored.Entries(); err != nil { // before the user types
		return err
	}
	key, err := readKey(ctx, s.Options, name)
	if err != nil {
		return err
	}
	if store != inFile {
		err := s.stored.Set(ctx, name, keys.Entry{Keyring: true}, key)
		switch {
		case err == nil:
			return s.report(name, "the key of "+name+" is in the keyring")
		case store == inKeyring || ctx.Err() != nil || keys.RingFailure(err) == nil:
			return err
		}
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "note: "+s.Secrets.Redact(keys.RingFailure(err).Error())+"; the key is stored in a file"))
	}
	if err := s.stored.Set(ctx, name, keys.Entry{Key: key}, ""); err != nil {
		return err
	}
	return s.report(name, "the key of "+name+" is in "+cli.Tilde(s.stored.Path()))
}

// report prints what was done, and what stands in its way.
func (s *opened) report(name, done string) error {
	if v := s.variable(name); v != "" {
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "note: "+v+" is set, and is used before this key"))
	}
	err := cli.Print(s.Sys.Stdout, done+"\n")
	return err
}
