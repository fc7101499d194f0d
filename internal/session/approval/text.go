package approval

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// textLimit bounds the time of one command in the text of a slash command or skill.
const textLimit = time.Minute

// Text is a command that the text of a slash command or skill has.
type Text struct {
	// Shell is the tool for commands, nil if there is none. AgentID is the sub-agent that loads the text; "" is the main
	// agent.
	Shell            tool.Tool
	AgentID, Command string
	// Allowed are further rules that allow, and Before calls the preToolUse hooks.
	Allowed []permit.Rule
	Before  func(context.Context, hook.Call) hook.Decision
}

// RunText runs a command of a text, and returns its output. It is treated as a call of the tool for commands, with
// the hooks before it and the mode of the agent, but for this: nobody is asked, because the text is not a message yet. why
// says why it did not run, "" if it did.
func (p *Permissions) RunText(ctx context.Context, t Text) (output, why string) {
	asker, ok := t.Shell.(tool.Asker)
	if !ok {
		return "", "this system has no tool for commands"
	}
	arguments, err := json.Marshal(map[string]any{"command": t.Command, "description": "A command in a text", "shellId": "text", "initial_wait": textLimit.Seconds()})
	if err != nil {
		return "", fault.Message(err)
	}
	ctx, cancel := context.WithTimeout(ctx, textLimit)
	defer cancel()
	c := tool.Call{ID: wire.NewID(), Name: fact.Bash, AgentID: t.AgentID, Arguments: arguments}
	hooked := t.Before(ctx, hook.Call{ID: c.ID, Name: c.Name, AgentID: c.AgentID, Arguments: json.RawMessage(arguments)})
	if hooked.Denied != "" {
		return "", hooked.Denied
	}
	if c.Hook = hooked.Permission; hooked.Arguments != nil {
		c.Arguments = hooked.Arguments
	}
	q, refused := asker.Request(ctx, c)
	if refused != nil {
		return "", refused.Text
	}
	permission, why := p.withoutAsking(ctx, q, &c, t.Allowed)
	if why != "" {
		return "", why
	}
	c.Permitted, c.Sandbox, c.Tries = q, permission.Sandbox, permission.Tries
	res := t.Shell.Run(ctx, c)
	if res.Outcome != tool.Success {
		return "", res.Text
	}
	if output = res.Output(); res.Exit != nil && res.Exit.Code != 0 {
		output = res.Text
	}
	return strings.Join(append([]string{output}, hooked.Guidance...), "\n"), ""
}

// MayRead says why a file must not be read without asking, "" if it may.
func (p *Permissions) MayRead(ctx context.Context, path string) (why string) {
	_, why = p.withoutAsking(ctx, p.reading(path), &tool.Call{}, nil)
	return why
}

// Withheld says which rule denies a file or asks about it, "" if none does: unlike with [Permissions.MayRead], a file
// elsewhere may be read.
func (p *Permissions) Withheld(ctx context.Context, path string) (why string) {
	q := p.reading(path)
	why, err := withDisk(ctx, p.files, p.session.Post, wantFor(q), func(d disk) (string, error) {
		if _, ruled := p.policy.decide(d, q); ruled.Verdict == permit.Deny || ruled.Verdict == permit.Ask && ruled.Rule.Kind != "" {
			return ruled.Why, nil
		}
		return "", nil
	})
	if err != nil {
		return fault.Message(err)
	}
	return why
}

// reading is the request to read a file.
func (p *Permissions) reading(path string) *permit.Request {
	return &permit.Request{Kind: permit.Read, Tool: fact.View, Path: permit.Path{Name: path, Real: p.files.paths.Resolve(path)}}
}

// withoutAsking is what the rules decide on the request of a call, with further ones that allow. why says why it is not
// allowed, "" if it is.
func (p *Permissions) withoutAsking(ctx context.Context, q *permit.Request, c *tool.Call, allowed []permit.Rule) (permission tool.Permission, why string) {
	permission, err := withDisk(ctx, p.files, p.session.Post, wantFor(q), func(d disk) (tool.Permission, error) {
		d.project.Rules.Allow = append(allowed, d.project.Rules.Allow...)
		q.NoTry = q.NoTry || c.Hook != "" // as in [Requests.Ask]
		decided, ruled := p.policy.decide(d, q)
		decided = withMode(p.session.ModeOf(c.AgentID), q, withHook(c.Hook, decided, &ruled.Decision))
		if decided == nil {
			decided = &permit.Answer{Outcome: permit.Forbidden, Why: "it needs your approval: " + ruled.Why}
		}
		return tool.Permission{Answer: *decided, Sandbox: ruled.sandbox, Tries: ruled.Tries}, nil
	})
	switch {
	case err != nil:
		return permission, fault.Message(err)
	case permission.Outcome != permit.Approved:
		return permission, permission.Why
	}
	return permission, ""
}
