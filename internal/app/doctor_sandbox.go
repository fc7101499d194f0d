package app

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// checkSandbox says which commands can run in a sandbox on this machine. Without one nothing
// is broken: every command needs a rule or an approval.
func checkSandbox(s *sandbox.Support) []cli.Check {
	c := cli.Check{About: "sandbox", Grade: cli.Fair}
	var not []string
	for _, p := range s.Parts {
		if p.Works {
			continue
		}
		not = append(not, p.Name+": "+p.Detail)
		if c.Next == "" {
			c.Next = p.Next
		}
	}
	switch {
	case s.Has(sandbox.WorkspaceWrite):
		c.Grade, c.Is, c.Next = cli.Good, "commands can run in a sandbox, for reading and for writing in the project ("+s.Parts[0].Detail+")", ""
	case s.Has(sandbox.ReadOnly):
		c.Is = "commands that only read can run in a sandbox, by Landlock; all others need a rule or an approval. " + strings.Join(not, "; ")
	default:
		c.Is = "no sandbox works here, so every command needs a rule or an approval. " + strings.Join(not, "; ")
	}
	return []cli.Check{c}
}
