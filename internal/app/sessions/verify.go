package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		Short: "Check that a log is what was written",
		Long: `Check that a log is what was written: each event against its checksum in the
index beside the log, and the log for damage. Nothing is written, so this works
beside a server that is running. It exits 0 if all is intact, else 1.

A session whose history was changed is not opened any more, until you take the
log as it is with --accept. Damage needs nothing from you: the next resume
repairs it, and keeps what it takes away beside the log.

The SHA-256 runs over all events. Two logs with the same hold the same events.`,
		Example: `  sidestick sessions verify notes
  sidestick sessions verify --all
  sidestick sessions verify --all --json | jq -r 'select(.state != "intact")'
  sidestick sessions verify --accept notes     # its log was changed, and that is right`,
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
	cmd.Flags().BoolVar(&accept, "accept", false, "take the log as it is now for what was written; damage is repaired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func verifyOne(o *cli.Options, id string, accept, asJSON bool) error {
	if accept {
		if err := acceptLog(o, id); err != nil {
			return err
		}
	}
	s, err := wiring.OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return wiring.UnknownSession(id)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.Background()) }() // nothing was written
	report, err := s.Store.Verify(id)
	if err != nil {
		return known(id, err)
	}
	v := judge(report, nil)
	if asJSON {
		err = json.NewEncoder(o.Sys.Stdout).Encode(v)
	} else {
		err = printVerified(o, v)
	}
	if err == nil && v.State != "intact" {
		err = fmt.Errorf("%s is %s", id, v.State)
	}
	return err
}

// known is err, but says of what is not there how to find what is.
func known(id string, err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return wiring.UnknownSession(id)
	}
	return err
}

// acceptLog takes a log as it is, and tells what of it was damaged.
func acceptLog(o *cli.Options, id string) error {
	store, err := wiring.OpenStore(o)
	if err != nil {
		return err
	}
	repair, err := store.Accept(id)
	if err != nil {
		return known(id, err)
	}
	_, err = io.WriteString(o.Sys.Stderr, repaired(repair))
	return err
}

// repaired reports a repair, in lines; nothing if there was none.
func repaired(r *files.Repair) string {
	if r == nil {
		return ""
	}
	text := "damaged: " + r.Reason + "\n"
	if r.SavedAs != "" {
		text += "what it was is kept in " + r.SavedAs + "\n"
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
		return fmt.Errorf("of %d sessions %d are not intact", len(list), bad)
	}
	return nil
}
