package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// clientCommand is a slash command that a client carries out now.
type clientCommand struct {
	owner Client
	done  chan string // capacity 1: why it failed, "" if it succeeded
}

// Invoke carries a slash command out and returns its result: a text, a prompt that the caller
// must send as a message, or that the command is done. A command of a client has no result;
// Invoke returns when that client has carried it out. [fault.NotFound] if there is no such
// command.
func (c *Commands) Invoke(ctx context.Context, name, input string) (wire.CommandResult, error) {
	name, input = nameOf(name), strings.TrimSpace(input)
	failed, known, err := c.atClient(ctx, name, input)
	switch {
	case err != nil:
		return nil, err
	case known && failed != "":
		return nil, fault.New(fault.Unavailable, "session.commands", c.id, "the client failed to carry out /%s: %s", fault.Bounded(name), failed)
	case known:
		return &wire.CommandDone{}, nil
	}
	return c.CarryOut(ctx, name, input)
}

// Execute carries a slash command out. It sends the text of the command to the clients as a session.info event, and the
// prompt of a skill as a message.
//
// failed is why the command failed, "" if it succeeded: in the words of the client that owns it, that this client has left,
// or the error of this program. err says nothing of the command: the session has been closed, or ctx has ended.
func (c *Commands) Execute(ctx context.Context, name, args string) (failed string, err error) {
	name, args = nameOf(name), strings.TrimSpace(args)
	failed, known, err := c.atClient(ctx, name, args)
	if known || err != nil {
		return failed, err
	}
	result, err := c.CarryOut(ctx, name, args)
	if prompt, ok := result.(*wire.CommandPrompt); ok && err == nil {
		if err = c.notify(ctx, *prompt); err == nil {
			_, err = c.session.Send(ctx, messageOf(*prompt))
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return fault.Message(err), nil
	}
	return "", c.report(ctx, result)
}

// report sends the clients the text of a command that ran without a caller that shows it.
func (c *Commands) report(ctx context.Context, result wire.CommandResult) error {
	text := ""
	switch r := result.(type) {
	case *wire.CommandText:
		text = r.Text
	case *wire.CommandDone:
		if r.Message != nil {
			text = *r.Message
		}
	}
	if text == "" {
		return nil
	}
	return c.session.Post(ctx, func() error {
		c.session.Emit("", &wire.SessionInfo{InfoType: "command", Message: text})
		return nil
	})
}

// atClient has the client that owns a command carry it out, and waits until it has. known is
// false if no client owns it. Only the owner gets the command.execute event: every other SDK
// program would answer that it does not know the command.
func (c *Commands) atClient(ctx context.Context, name, args string) (failed string, known bool, err error) {
	id := wire.NewID()
	run, err := mailbox.Ask(ctx, c.session.Do, func() (*clientCommand, error) {
		owner, name := c.owner(name)
		if owner == nil {
			return nil, nil
		}
		run := &clientCommand{owner: owner, done: make(chan string, 1)}
		if c.running == nil {
			c.running = map[string]*clientCommand{}
		}
		c.running[id] = run
		owner.Send("", &wire.CommandExecute{
			RequestID: id, Command: strings.TrimSpace("/" + name + " " + args), CommandName: name, Args: args,
		})
		return run, nil
	})
	if err != nil || run == nil {
		return "", false, err
	}
	defer func() {
		_ = c.session.Post(context.Background(), func() error {
			delete(c.running, id)
			c.session.Emit("", &wire.CommandCompleted{RequestID: id})
			return nil
		})
	}()
	select {
	case failed = <-run.done:
		return failed, true, nil
	case <-ctx.Done():
		return "", true, ctx.Err()
	}
}

// Answer ends a slash command that a client has carried out; failed is why it could not, nil if it
// could. It reports false if another client carries out the command. As in the reference runtime, it
// reports true for a command that no client carries out.
func (c *Commands) Answer(ctx context.Context, by Client, requestID string, failed *string) (ok bool, err error) {
	return mailbox.Ask(ctx, c.session.Do, func() (bool, error) {
		run := c.running[requestID]
		if run == nil || run.owner != by {
			return run == nil, nil
		}
		why := ""
		if failed != nil {
			if why = *failed; why == "" {
				why = "the client's handler failed"
			}
		}
		return c.end(requestID, why), nil
	})
}

// end ends a command that a client carries out. It reports false if it has ended already.
func (c *Commands) end(requestID, failed string) bool {
	run := c.running[requestID]
	if run == nil {
		return false
	}
	delete(c.running, requestID)
	run.done <- failed
	return true
}

// Pass has the new attachment of a client continue what the one before was doing: its handlers
// still run, on the same connection.
func (c *Commands) Pass(from, to Client) {
	for _, run := range c.running {
		if run.owner == from {
			run.owner = to
		}
	}
}

// Left ends what a client that leaves was to carry out or to answer.
func (c *Commands) Left(client Client) {
	for _, id := range slices.Collect(maps.Keys(c.running)) {
		if c.running[id].owner == client {
			c.end(id, "the client that carries the command out has left")
		}
	}
	c.Unwatched()
}

// CarryOut carries out a command of this program, a skill, or a prompt in a file, also if a client has a command with the
// same name. It is for a terminal; for everything else as [Commands.Invoke].
func (c *Commands) CarryOut(ctx context.Context, name, input string) (wire.CommandResult, error) {
	invalid := func(name, why string) error {
		return fault.New(fault.Invalid, "session.commands", c.id, "/%s %s", name, why)
	}
	result, err := slash.Table[wire.CommandResult]{Do: c.builtins(), Other: c.prompted, Rest: func(_ context.Context, b slash.Command, _ string) (wire.CommandResult, error) {
		return nil, invalid(b.Name(), "works only in sidestick chat")
	}}.Run(ctx, name, input)
	if refused := (slash.RefusedError{}); errors.As(err, &refused) {
		err = invalid(refused.Name, "takes no argument")
	}
	return result, err
}

// builtins are what the commands of this program do, by name.
func (c *Commands) builtins() map[string]func(ctx context.Context, input string) (wire.CommandResult, error) {
	listed := lists{c}
	return map[string]func(ctx context.Context, input string) (wire.CommandResult, error){
		"help":      c.help,
		"model":     c.model,
		"mode":      c.mode,
		"plan":      func(ctx context.Context, _ string) (wire.CommandResult, error) { return c.mode(ctx, "plan") },
		"autopilot": c.autopilot,
		"retry": func(ctx context.Context, _ string) (wire.CommandResult, error) {
			return &wire.CommandDone{}, c.session.Retry(ctx)
		},
		"compact":             c.compact,
		"usage":               c.usage,
		"context":             c.window,
		"rename":              c.rename,
		"cwd":                 c.cwd,
		"env":                 listed.env,
		"mcp":                 listed.servers,
		"agents":              listed.agents,
		"skills":              listed.skills,
		"memory":              listed.memory,
		"rules":               c.rules,
		"reset-allowed-tools": c.forget,
		"allow":               c.allow,
		"allow-all":           c.allowAll,
		"add-dir":             c.addFolder,
		"list-dirs":           c.folders,
		"status":              c.status,
		"share":               c.share,
		"plugins":             listed.plugins,
		"sandbox":             c.sandbox,
		"fleet":               c.fleet,
		"effort":              c.effort,
		"tasks":               c.tasks,
		"background":          c.background,
		"every":               c.every,
		"after":               c.after,
	}
}

// prompted answers with the prompt of a skill or a file.
func (c *Commands) prompted(ctx context.Context, name, input string) (wire.CommandResult, error) {
	prompt, ok, err := c.Prompt(ctx, name, input)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "session.commands", c.id, "there is no slash command /%s; session.commands.list lists them", fault.Bounded(name))
	}
	return &prompt, nil
}

// said is the result of a command that is done.
func said(format string, args ...any) wire.CommandResult {
	message := fmt.Sprintf(format, args...)
	return &wire.CommandDone{Message: &message}
}

func (c *Commands) help(ctx context.Context, _ string) (wire.CommandResult, error) {
	list, err := c.List(ctx, wire.CommandFilter{})
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, k := range list {
		hint := ""
		if k.Input != nil {
			hint = " " + k.Input.Hint
		}
		fmt.Fprintf(&text, "/%s%s  %s\n", k.Name, hint, k.Description)
	}
	return &wire.CommandText{Text: text.String()}, nil
}

func (c *Commands) model(ctx context.Context, name string) (wire.CommandResult, error) {
	if name != "" {
		if err := c.session.SwitchModel(ctx, name); err != nil {
			return nil, err
		}
		return said("The model is now %s.", name), nil
	}
	now, err := c.session.Model(ctx)
	if now == "" {
		now = "the first that the provider lists"
	}
	return &wire.CommandText{Text: "The model is " + now + "."}, err
}

func (c *Commands) mode(ctx context.Context, name string) (wire.CommandResult, error) {
	if name == "" {
		return modeChoices(), nil
	}
	mode := wire.Mode(name)
	if err := c.session.SetMode(ctx, mode); err != nil {
		return nil, err
	}
	message := "The session is in " + name + " mode."
	return &wire.CommandDone{Message: &message, Mode: &mode}, nil
}

// autopilot is /mode autopilot, and /mode interactive in a session that is in this mode.
func (c *Commands) autopilot(ctx context.Context, _ string) (wire.CommandResult, error) {
	now, err := c.session.Mode(ctx)
	if err != nil {
		return nil, err
	}
	if now == "autopilot" {
		return c.mode(ctx, "interactive")
	}
	return c.mode(ctx, "autopilot")
}

func modeChoices() wire.CommandResult {
	b, _ := slash.Find("mode")
	choose := &wire.CommandSelect{Command: b.Name(), Title: "The mode of the session"}
	for _, choice := range b.Listed() {
		choose.Options = append(choose.Options, wire.CommandOption{Name: choice.Name, Description: choice.Help})
	}
	return choose
}

func (c *Commands) compact(ctx context.Context, focus string) (wire.CommandResult, error) {
	removed, err := c.session.Summarize(ctx, focus)
	if err != nil {
		return nil, err
	}
	return said("The conversation was summarized: %d tokens fewer.", removed), nil
}
