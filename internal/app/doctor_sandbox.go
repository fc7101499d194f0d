package app

import (
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// checkSandbox says which commands can run in a sandbox on this machine, and which parts of a
// sandbox work, unless the setting switches it off. Without one nothing is broken: every command
// needs a rule or an approval.
func checkSandbox(s *sandbox.Support, setting config.Setting[string]) []cli.Check {
	first := cli.Check{About: "sandbox", Grade: cli.Fair}
	switch {
	case setting.Value == "off" && s.Has(sandbox.WorkspaceWrite):
		first.Is = "it is off (" + setting.From + "), so every command needs a rule or your approval; commands could run in one here"
		first.Next = "remove that setting to switch the sandbox on"
		return []cli.Check{first}
	case s.Has(sandbox.WorkspaceWrite):
		first.Grade, first.Is = cli.Good, "commands can run in a sandbox, for reading and for writing in the project"
	case s.Has(sandbox.ReadOnly):
		first.Is = "only commands that read can run in a sandbox; all others run without one, and need a rule or your approval"
	case len(s.Parts) == 0:
		first.Is = "there is none on this system, so every command needs a rule or your approval"
	default:
		first.Is = "none works here, so every command needs a rule or your approval"
	}
	checks := []cli.Check{first}
	for _, p := range s.Parts {
		checks = append(checks, checkPart(p, first.Grade == cli.Good))
	}
	return checks
}

// checkPart says whether a part works, or its own error and the next step. A part that is not
// needed has no next step.
func checkPart(p sandbox.Part, spare bool) cli.Check {
	if p.Works {
		return cli.Check{Grade: cli.Good, Is: p.Name + ": yes (" + p.Detail + ")"}
	}
	c := cli.Check{Grade: cli.Fair, Is: p.Name + ": no", Next: p.Next}
	if p.Detail != "" {
		c.Is += ": " + p.Detail
	}
	if spare {
		c.Grade, c.Next = cli.Good, ""
		c.Is += " (not needed, because the other parts work)"
	}
	return c
}
