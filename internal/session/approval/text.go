package approval

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// textLimit bounds the time of one command in the text of a slash command or skill.
const textLimit = time.Minute

// RunText runs a command that the text of a slash command or skill has, with the tool for commands, and returns its
// output. The rules decide, with allowed in addition, and nobody is asked: the text is not a message yet. why says why it
// did not run, "" if it did.
func (p *Permissions) RunText(ctx context.Context, shell tool.Tool, command string, allowed []permit.Rule) (output, why string) {
	asker, ok := shell.(tool.Asker)
	if !ok {
		return "", "this system has no tool for commands"
	}
	arguments, err := json.Marshal(map[string]any{"command": command, "description": "A command in a text", "shellId": "text", "initial_wait": textLimit.Seconds()})
	if err != nil {
		return "", fault.Message(err)
	}
	ctx, cancel := context.WithTimeout(ctx, textLimit)
	defer cancel()
	c := tool.Call{ID: wire.NewID(), Name: fact.Bash, Arguments: arguments}
	q, refused := asker.Request(ctx, c)
	if refused != nil {
		return "", refused.Text
	}
	permission, why := p.withoutAsking(ctx, q, allowed)
	if why != "" {
		return "", why
	}
	c.Permitted, c.Sandbox, c.Tries = q, permission.Sandbox, permission.Tries
	res := shell.Run(ctx, c)
	if res.Outcome != tool.Success {
		return "", res.Text
	}
	if output = res.Output(); res.Exit != nil && res.Exit.Code != 0 {
		output = res.Text
	}
	return output, ""
}

// MayRead says why a file must not be read without asking, "" if it may.
func (p *Permissions) MayRead(ctx context.Context, path string) (why string) {
	real := p.files.paths.Resolve(path)
	_, why = p.withoutAsking(ctx, &permit.Request{Kind: permit.Read, Tool: fact.View, Path: permit.Path{Name: path, Real: real}}, nil)
	return why
}

// withoutAsking is what the rules decide on a request, with further ones that allow. why says why it is not
// allowed, "" if it is.
func (p *Permissions) withoutAsking(ctx context.Context, q *permit.Request, allowed []permit.Rule) (permission tool.Permission, why string) {
	permission, err := withDisk(ctx, p.files, p.session.Post, wantFor(q), func(d disk) (tool.Permission, error) {
		d.project.Rules.Allow = append(allowed, d.project.Rules.Allow...)
		decided, ruled := p.policy.decide(d, q)
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
