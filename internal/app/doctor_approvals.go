package app

import (
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// checkApprovals finds out whether the saved approvals can be read, and whether their rules
// can match. It returns no check if nothing is wrong.
func checkApprovals(home string) []cli.Check {
	file := wiring.ApprovalsPath(home)
	odd, err := approval.OpenGrants(vfs.OS{}, file).Check()
	c := cli.Check{About: "approvals"}
	switch {
	case err != nil:
		c.Is = cli.Message(err)
		if e := new(fault.Error); errors.As(err, &e) && e.Hint != "" {
			c.Is, c.Next = e.On+": "+fault.Message(e.Err), e.Hint
		}
	case len(odd) > 0:
		c.Grade, c.Is, c.Next = cli.Fair, "rules in "+file+" could never match: "+strings.Join(odd, "; "), "correct or remove them in the file"
	default:
		return nil
	}
	return []cli.Check{c}
}
