package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func verifyCommand(o *cli.Options) *cobra.Command {
	var all, accept, asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [ID]",
		Short: "Check that a log is unchanged and undamaged",
		Long: `Check each event of a log against its checksum in the index beside the log, and
check the log for damage. Without --accept nothing is written, so you can use it
while a server runs. The exit code is 0 if all is intact, else 1.

A session whose history was changed cannot be opened until you accept the log
as it is with --accept. Approvals in it have no effect then: you are asked
again. Damage needs no action: the next resume repairs the
log, and keeps what it removes beside it. Content of long events that is missing
from events.payloads comes back only from a copy of that folder.

The SHA-256 covers all events. Two logs with the same hash hold the same events.`,
		Example: `  sidestick sessions verify notes
  sidestick sessions verify --all
  sidestick sessions verify --all --json | jq -r 'select(.state != "intact")'
  sidestick sessions verify --accept notes     # accept a change to its log`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) || all && accept {
				return cli.WrongUsage(cmd, errors.New("give one session, or --all without --accept"))
			}
			if all {
				return verifyAll(o, asJSON)
			}
			return verifyOne(o, args[0], accept, asJSON)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every session, one a line")
	cmd.Flags().BoolVar(&accept, "accept", false, "accept the log as it is now; damage is repaired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func verifyOne(o *cli.Options, given string, accept, asJSON bool) error {
	s, err := wiring.OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return wiring.UnknownSession(given)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.Background()) }() // nothing was written
	id, err := s.Resolve(given)
	if err != nil {
		return err
	}
	if accept {
		if err := acceptLog(o, id); err != nil {
			return err
		}
	}
	report, err := s.Store.Verify(id)
	if err != nil {
		return known(id, err)
	}
	v := judge(report, nil)
	if asJSON {
		err = cli.EncodeJSON(o.Sys.Stdout, v)
	} else {
		err = printVerified(o, v, s.Store.Dir(id))
	}
	if err == nil && v.State != "intact" {
		err = fmt.Errorf("%s is %s", id, v.State)
	}
	return err
}

// known is err; if the session does not exist, it says how to list the sessions.
func known(id string, err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return wiring.UnknownSession(id)
	}
	return err
}

// acceptLog accepts a log as it is, and prints what was damaged.
func acceptLog(o *cli.Options, id string) error {
	store, err := wiring.OpenStore(o)
	if err != nil {
		return err
	}
	if err := wiring.Disown(o, id); err != nil {
		return err
	}
	repair, err := store.Accept(id)
	if err != nil {
		return known(id, err)
	}
	err = cli.Print(o.Sys.Stderr, repaired(repair))
	return err
}

// repaired describes a repair, "" if there was none.
func repaired(r *files.Repair) string {
	if r == nil {
		return ""
	}
	text := "damaged: " + r.Reason + "\n"
	if r.SavedAs != "" {
		text += "the damaged log is kept in " + r.SavedAs + "\n"
	}
	return text
}

func verifyAll(o *cli.Options, asJSON bool) error {
	s, err := wiring.OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return printVerifiedAll(o, nil, asJSON)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.Background()) }() // nothing was written
	infos, err := s.Store.Sessions(context.Background())
	if err != nil {
		return err
	}
	slices.SortFunc(infos, func(a, b eventlog.Info) int { return cmp.Compare(a.ID, b.ID) })
	var list []verified
	bad := 0
	for _, info := range infos {
		report, err := s.Store.Verify(info.ID)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			continue // deleted meanwhile
		}
		report.Session = info.ID
		v := judge(report, err)
		if v.State != "intact" {
			bad++
		}
		list = append(list, v)
	}
	if err := printVerifiedAll(o, list, asJSON); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d sessions are not intact", bad, len(list))
	}
	return nil
}
