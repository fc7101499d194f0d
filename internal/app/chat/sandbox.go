package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// sandbox is the command /sandbox.
func (c *chatter) sandbox(ctx context.Context, arg string) error {
	what, rest, _ := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case what == "policy" && rest != "":
		return c.foresee(ctx, rest)
	case what == "auto" && (rest == "on" || rest == "off"):
		return c.allowInSandbox(ctx, rest == "on")
	case rest != "", what == "auto":
	case what == "", what == "status":
		return c.sandboxStatus(ctx)
	case what == "policy":
		return c.foresee(ctx, "")
	case what == "enable", what == "disable":
		return c.switchSandbox(ctx, what == "enable")
	}
	return cli.NewUsageError(fmt.Errorf("/sandbox %s: want status, policy [COMMAND], enable, disable, auto on, or auto off", timeline.OneLine(arg, 40)))
}

// rows prints rows of a name and a text, which is wrapped. Those without a text are left out.
func (c *chatter) rows(rows ...[2]string) {
	for _, row := range rows {
		if row[1] != "" {
			c.print(cli.Indented("  "+timeline.Pad(row[0], 9), row[1]))
		}
	}
}

// sandboxStatus prints whether commands run in a sandbox, and which of them.
func (c *chatter) sandboxStatus(ctx context.Context) error {
	s, err := c.talk.client.Session().Permissions().Sandbox(ctx)
	if err != nil {
		return err
	}
	if !s.On {
		c.print("the sandbox is off: commands run outside of it, after your yes or by a rule\n")
		c.rows([2]string{"why", s.Why}, [2]string{"next", "/sandbox enable switches it on"})
		return nil
	}
	c.print("the sandbox is on\n")
	why := s.Why
	if why != "" {
		why += "; sidestick doctor says more"
	}
	c.rows(
		[2]string{"reading", works(s.ReadOnly, "commands that only read run in it, without a question")},
		[2]string{"writing", works(s.Workspace, writing(s))},
		[2]string{"why", why}, [2]string{"auto", auto(s)}, [2]string{"outside", excluded(s)},
	)
	return nil
}

func works(works bool, what string) string {
	if !works {
		return "no sandbox works for it here"
	}
	return what
}

func writing(s permit.Sandboxing) string {
	if s.NoWrites {
		return "no command may write in the sandbox (--sandbox=read-only)"
	}
	return "other commands run in it and may write in the allowed folders"
}

func auto(s permit.Sandboxing) string {
	if s.AutoAllow {
		return "on: a command that stays in the sandbox needs no rule; /sandbox auto off ends this"
	}
	return "off: you are asked about commands that no rule allows; /sandbox auto on spares you those that stay in the sandbox"
}

func excluded(s permit.Sandboxing) string {
	var rules []string
	for _, r := range s.Excluded {
		rules = append(rules, r.String())
	}
	if len(rules) == 0 {
		return "only after your yes"
	}
	return "after your yes, and what these rules exclude: " + strings.Join(rules, ", ")
}

// switchSandbox is /sandbox enable and /sandbox disable.
func (c *chatter) switchSandbox(ctx context.Context, on bool) error {
	p := c.talk.client.Session().Permissions()
	if err := p.SwitchSandbox(ctx, on); err != nil {
		return err
	}
	if on {
		return c.sandboxStatus(ctx)
	}
	c.print(c.look.Yellow("careful: ") + "the sandbox is off for this chat. What you allow, also what you have\n" +
		"already approved, runs with all your rights. Commands that only read need your\n" +
		"approval, too. /sandbox enable ends this, and so does the next chat.\n")
	return nil
}

// allowInSandbox is /sandbox auto on and off.
func (c *chatter) allowInSandbox(ctx context.Context, on bool) error {
	p := c.talk.client.Session().Permissions()
	if err := p.AllowInSandbox(ctx, on); err != nil {
		return err
	}
	s, err := p.Sandbox(ctx)
	if err != nil {
		return err
	}
	if on && !s.On {
		c.print("this has no effect while the sandbox is off; /sandbox enable switches it on\n")
	}
	if on && s.On && !s.Workspace {
		c.print("this has no effect, because " + timeline.Harmless(s.Why) + "\n")
	}
	c.rows([2]string{"auto", auto(s)})
	return nil
}

// foresee prints what would be decided about a command, without running it. Without a command
// it prints what commands in the sandbox may do.
func (c *chatter) foresee(ctx context.Context, text string) error {
	s := c.talk.client.Session()
	place, err := s.Permissions().Folders(ctx)
	if err != nil {
		return err
	}
	example := text
	if text == "" {
		example = "make"
	}
	command := wiring.Understand(example, place.Primary)
	command.Text, command.Dir = example, place.Primary
	f, err := s.Permissions().Foresee(ctx, command)
	if err != nil {
		return err
	}
	if text == "" {
		return c.policy(ctx, f)
	}
	c.print(timeline.OneLine(text, terminal.Columns) + c.look.Dim("  (it is not run)") + "\n")
	c.rows([2]string{"asked", asked(f)}, [2]string{"runs", runs(f)})
	if f.Verdict != permit.Deny {
		c.rows(policyRows(f.Sandbox)...)
	}
	return nil
}

// policy prints what commands in the sandbox may do.
func (c *chatter) policy(ctx context.Context, f approval.Foreseen) error {
	if f.Sandbox == nil {
		return c.sandboxStatus(ctx)
	}
	c.print(cli.Indented("", "a command in the sandbox may do this; /sandbox policy COMMAND shows what one command would get"))
	c.rows(policyRows(f.Sandbox)...)
	return nil
}

// asked says whether the user would be asked about a command, and why.
func asked(f approval.Foreseen) string {
	return map[permit.Verdict]string{permit.Allow: "no: ", permit.Ask: "yes: ", permit.Deny: "no, "}[f.Verdict] + f.Why
}

// runs says where a command would run.
func runs(f approval.Foreseen) string {
	switch {
	case f.Verdict == permit.Deny:
		return "not at all"
	case f.Place != permit.Outside:
		return "in the sandbox (" + f.Place.String() + ")"
	case f.Because == "":
		return "OUTSIDE the sandbox, which is off"
	}
	return "OUTSIDE the sandbox: " + f.Because
}

// policyRows are what a sandbox allows. The folders of the system and of toolchains are left
// out, which commands can read in every sandbox.
func policyRows(p *sandbox.Policy) [][2]string {
	if p == nil {
		return nil
	}
	writes, never := "", ""
	if p.Mode == sandbox.WorkspaceWrite {
		writes, never = strings.Join(slices.Concat(p.Folders, p.Write), ", "), strings.Join(protected(p), ", ")
	}
	return [][2]string{
		{"reads", strings.Join(slices.Concat(p.Folders, p.Read, p.Write), ", ") + ", programs and libraries; not your home folder"},
		{"writes", strings.TrimSuffix("private folders for /tmp and the home folder, "+writes, ", ")},
		{"never", never},
		{"hidden", strings.Join(p.Deny, ", ")},
		{"network", connects(p.Network)},
	}
}

// protected are the files in the folders of a sandbox that cannot be written.
func protected(p *sandbox.Policy) []string {
	git := ".git"
	if p.Git {
		git = "settings and hooks in .git"
	}
	return append([]string{git, "files that make programs run by themselves, such as .vscode and .envrc, if they exist"}, p.Protect...)
}

// connects says where the commands of a sandbox may connect to.
func connects(n sandbox.Network) string {
	hosts := slices.Concat(n.Allow, n.AllowURLs)
	if len(hosts) == 0 {
		return "none, except for servers in the same sandbox"
	}
	for i, h := range hosts {
		if h == "" || h == "*" {
			hosts[i] = "every host"
		}
	}
	text := strings.Join(hosts, ", ")
	if denied := slices.Concat(n.Deny, n.DenyURLs); len(denied) > 0 {
		text += "; not " + strings.Join(denied, ", ")
	}
	if n.Local {
		text += "; also addresses of this machine and its local network"
	}
	return text
}
