package command

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skills are the slash commands of skills: those that are on and that users may invoke, and
// whose name is not that of a command of this program.
func (c *Commands) Skills(ctx context.Context) (list []wire.CommandInfo, err error) {
	skills, err := c.discovery.Skills(ctx)
	for _, k := range skills {
		if b, builtin := slash.Find(k.Name); builtin && !b.Prompt || !k.Enabled || !k.UserInvocable {
			continue
		}
		info := wire.CommandInfo{Name: k.Name, Description: k.Description, Kind: "skill"}
		if k.ArgumentHint != nil {
			info.Input = &wire.CommandInput{Hint: *k.ArgumentHint}
		}
		list = append(list, info)
	}
	return list, err
}

// skillPrompt returns the message that asks the agent to follow a skill. ok is false if there
// is no such skill that users may invoke. The message contains the text of the skill, so it
// also works for a skill that the model may not load. It does not allow the tools that loading
// the skill would allow.
func (c *Commands) skillPrompt(ctx context.Context, name, input string) (p wire.CommandPrompt, ok bool, err error) {
	skills, err := c.Skills(ctx)
	if err != nil {
		return p, false, err
	}
	i := slices.IndexFunc(skills, func(k wire.CommandInfo) bool { return strings.EqualFold(k.Name, name) })
	if i < 0 {
		return p, false, nil
	}
	text, unused, err := c.discovery.ReadSkill(ctx, skills[i].Name, input)
	if err != nil {
		return p, true, err
	}
	p.DisplayPrompt = strings.TrimSpace("/" + skills[i].Name + " " + input)
	place := ""
	if text.Path != "" {
		place = ", which is in " + text.Path
	}
	p.Prompt = fmt.Sprintf("Follow the skill %q%s:\n\n%s", text.Name, place, text.Content)
	if input != "" && text.Read != nil {
		p.Prompt += "\n\nThe user's request: " + input
	}
	p.Notice = noticeOf(text.Path, unused)
	return p, true, nil
}

// noticeOf says which parts of a file have no effect; nil if that is none.
func noticeOf(path string, unused []string) *string {
	if len(unused) == 0 {
		return nil
	}
	notice := "These parts of " + path + " have no effect: " + strings.Join(unused, ", ") + "."
	return &notice
}

// Prompts are the slash commands that send a prompt: those of skills, then those of files, then those of MCP servers.
func (c *Commands) Prompts(ctx context.Context) (list []wire.CommandInfo, err error) {
	skills, err := c.Skills(ctx)
	if err != nil {
		return nil, err
	}
	files, err := c.filesBeside(ctx, skills)
	list = slices.Concat(skills, files)
	for _, p := range c.session.Servers().ServerPrompts(ctx) {
		if !slices.ContainsFunc(list, func(k wire.CommandInfo) bool { return strings.EqualFold(k.Name, p.Name) }) {
			list = append(list, p)
		}
	}
	return list, err
}

// Files are the slash commands from files of prompts.
func (c *Commands) Files(ctx context.Context) ([]wire.CommandInfo, error) {
	skills, err := c.Skills(ctx)
	if err != nil {
		return nil, err
	}
	return c.filesBeside(ctx, skills)
}

// filesBeside is Files. A file whose name is that of a command of this program, or of a skill, has none.
func (c *Commands) filesBeside(ctx context.Context, skills []wire.CommandInfo) (list []wire.CommandInfo, err error) {
	files, err := c.templates(ctx, skills)
	for _, t := range files {
		info := wire.CommandInfo{Name: t.Name, Description: t.Description, Kind: "skill"} // the protocol has no other kind for prompts
		if t.Hint != "" {
			info.Input = &wire.CommandInput{Hint: t.Hint}
		}
		list = append(list, info)
	}
	return list, err
}

// templates are the prompts in files that no other command hides.
func (c *Commands) templates(ctx context.Context, skills []wire.CommandInfo) ([]prompt.Template, error) {
	files, _, err := c.discovery.Templates(ctx)
	return slices.DeleteFunc(files, func(t prompt.Template) bool {
		b, builtin := slash.Find(t.Name)
		return builtin && !b.Prompt || slices.ContainsFunc(skills, func(k wire.CommandInfo) bool { return strings.EqualFold(k.Name, t.Name) })
	}), err
}

// Prompt returns the message of a slash command that is a skill, a prompt in a file, a command of this program that
// sends a prompt, or a prompt of an MCP server; the first of these that has the name. ok is
// false if there is none with that name. Notice names the parts of a file that have no effect.
// [fault.Invalid] if the user has left out what the file asks for.
func (c *Commands) Prompt(ctx context.Context, name, input string) (p wire.CommandPrompt, ok bool, err error) {
	if p, ok, err = c.skillPrompt(ctx, name, input); ok || err != nil {
		return p, ok, err
	}
	files, warnings, err := c.discovery.Templates(ctx)
	i := slices.IndexFunc(files, func(t prompt.Template) bool { return strings.EqualFold(t.Name, name) })
	if err == nil && i < 0 {
		if p, ok, err = c.ownPrompt(name, input); ok {
			return p, ok, err
		}
		if p, ok, err = c.session.Servers().ServerPrompt(ctx, name, input); ok {
			return p, ok, err
		}
	}
	if err != nil || i < 0 {
		return p, false, c.leftOut(name, warnings, err)
	}
	text, err := c.discovery.ReadTemplate(ctx, files[i], input)
	if err != nil {
		return p, true, fault.New(fault.Invalid, "session.commands", c.id, "%w", err)
	}
	p.Prompt, p.DisplayPrompt = text.Text, strings.TrimSpace("/"+files[i].Name+" "+input)
	if text.Mode != "" {
		mode := wire.Mode(text.Mode)
		p.Mode = &mode
	}
	p.Notice = noticeOf(files[i].Path, text.Unused)
	return p, true, nil
}

//go:embed prompts/*.md
var ownPrompts embed.FS

// ownPrompt returns the message of a command of this program that sends a prompt. ok is false if there is none with that
// name. [fault.Invalid] if it needs an input.
func (c *Commands) ownPrompt(name, input string) (p wire.CommandPrompt, ok bool, err error) {
	b, _ := slash.Find(name)
	if !b.Prompt {
		return p, false, nil
	}
	if input == "" && !strings.HasPrefix(b.Args, "[") {
		return p, true, c.invalid(b.Name(), "", "a "+strings.ToLower(b.Args))
	}
	text, err := ownPrompts.ReadFile("prompts/" + b.Name() + ".md")
	p.Prompt, p.DisplayPrompt = strings.TrimSpace(string(text)), strings.TrimSpace("/"+b.Name()+" "+input)
	if input != "" {
		p.Prompt += "\n\nThe user's request: " + input
	}
	return p, true, err
}

// leftOut returns err, or why the file of a command is not used; nil if there is no such file.
func (c *Commands) leftOut(name string, warnings []string, err error) error {
	for _, w := range warnings {
		if err == nil && strings.Contains(strings.ToLower(w), "/"+strings.ToLower(name)+".") {
			return fault.New(fault.NotFound, "session.commands", c.id, "/%s: the file is left out: %s", fault.Bounded(name), w)
		}
	}
	return err
}

// messageOf is the message of a command that sends a prompt.
func messageOf(p wire.CommandPrompt) wire.Send {
	send := wire.Send{Prompt: p.Prompt, DisplayPrompt: p.DisplayPrompt}
	if p.Mode != nil {
		send.AgentMode = string(*p.Mode)
	}
	return send
}

// notify warns the clients of the parts of a command's file that have no effect, when no caller
// shows them.
func (c *Commands) notify(ctx context.Context, p wire.CommandPrompt) error {
	if p.Notice == nil {
		return nil
	}
	return c.session.Post(ctx, func() error {
		c.session.Emit("", &wire.SessionWarning{WarningType: "command_file", Message: *p.Notice})
		return nil
	})
}
