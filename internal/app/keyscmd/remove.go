package keyscmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func removeCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:               "remove PROVIDER",
		Short:             "Remove the stored key of a provider",
		Example:           `  sidestick keys remove anthropic`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeStored(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := nameOf(args[0])
			if err != nil {
				return err
			}
			s, err := open(o, o.Config)
			if err != nil {
				return err
			}
			defer s.stored.Close()
			_, err = s.stored.Remove(cmd.Context(), name)
			v := s.variable(name)
			switch {
			case fault.KindOf(err) == fault.NotFound && err != nil && v != "":
				return errors.New("no key is stored for " + name + "; the one in use is in the variable " + v)
			case fault.KindOf(err) == fault.NotFound && err != nil:
				return errors.New("no key is stored for " + name + " (sidestick keys list shows those that are)")
			case err != nil:
				return err
			}
			return s.report(name, "removed the key of "+name)
		},
	}
}
