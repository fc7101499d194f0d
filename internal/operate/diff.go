package operate

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Diff is the changes of files.
type Diff struct {
	Mode string // session, unstaged or branch: what the changes are compared with
	// Of says what is compared: "what the tools of the agent have changed in this session", "the files with the
	// last commit", or "the files with the branch main".
	Of string
	// Files are the files that have changed.
	Files []Changed
	// Commands may have changed further files: a comparison with what the session knows does not
	// have these.
	Commands Commands
}

// Changed is one file that has changed. Its texts are raw: pass them
// through [timeline.Harmless] before printing.
type Changed struct {
	Path string
	Kind string // added, modified, deleted or renamed
	Diff string // unified; "" if it is left out
	Left bool   // the diff is left out, because it is long or the file is not text
}

// Changes implements [Desk].
func (h Here) Changes(ctx context.Context, mode string) (Diff, error) {
	if mode == "" {
		mode = "session"
	}
	got, err := h.Client.Session().History().Files().Diff(ctx, wire.DiffMode(mode), false)
	if err != nil {
		return Diff{}, err
	}
	d := DiffOf(got)
	if got.Mode == "session" {
		d.Commands, err = h.CommandsSince(ctx, "")
	}
	return d, err
}

// DiffOf is a diff of the protocol.
func DiffOf(got wire.WorkspaceDiff) Diff {
	d := Diff{Mode: string(got.Mode), Of: compared(got)}
	for _, c := range got.Changes {
		f := Changed{Path: c.Path, Kind: string(c.ChangeType)}
		if f.Left = c.IsTruncated != nil && *c.IsTruncated; !f.Left {
			f.Diff = strings.TrimRight(c.Diff, "\n") + "\n"
		}
		d.Files = append(d.Files, f)
	}
	return d
}

func compared(d wire.WorkspaceDiff) string {
	switch {
	case d.Mode == "session":
		return "what the tools of the agent have changed in this session"
	case d.Mode == "branch" && d.BaseBranch != nil:
		return "the files with the branch " + *d.BaseBranch
	}
	return "the files with the last commit"
}
