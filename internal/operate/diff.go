package operate

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Diff is the changes of files.
type Diff struct {
	// Of says what is compared: "what the agent has changed in this session", "the files with the
	// last commit", or "the files with the branch main".
	Of string
	// Text is one unified diff for all files; not harmless. It is "" if nothing has changed.
	Text string
	// Left names the files that have changed and whose diff is left out, because they are long or
	// no text.
	Left []string
}

// Changes returns the changes of files. mode is "session" for what the agent has changed, "unstaged"
// for a comparison with the last commit, "branch" for one with the default branch; "" is session if
// the session keeps what files were, else unstaged.
func Changes(ctx context.Context, s *session.Session, mode string) (Diff, error) {
	if mode == "" {
		mode = "session"
	}
	got, err := s.History().Files().Diff(ctx, wire.DiffMode(mode), false)
	if err != nil {
		return Diff{}, err
	}
	d := Diff{Of: compared(got)}
	var text strings.Builder
	for _, c := range got.Changes {
		if c.IsTruncated != nil && *c.IsTruncated {
			d.Left = append(d.Left, c.Path)
			continue
		}
		text.WriteString(strings.TrimRight(c.Diff, "\n") + "\n")
	}
	d.Text = text.String()
	return d, nil
}

func compared(d wire.WorkspaceDiff) string {
	switch {
	case d.Mode == "session":
		return "what the agent has changed in this session"
	case d.Mode == "branch" && d.BaseBranch != nil:
		return "the files with the branch " + *d.BaseBranch
	}
	return "the files with the last commit"
}
