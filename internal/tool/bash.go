package tool

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var bashDefinition = described{name: fact.Bash}

// bash runs a command.
type bash struct{ *console }

type bashArgs struct {
	Command     string     `json:"command"`
	Description string     `json:"description"`
	Mode        shell.Mode `json:"mode"`
	InitialWait *float64   `json:"initial_wait"`
	ShellID     string     `json:"shellId"`
	Detach      bool       `json:"detach"`
}

const (
	syncWait  = 30 * time.Second
	asyncWait = time.Second
	leastWait = time.Second
)

// command is what the arguments ask for.
func (a bashArgs) command(dir string) shell.Command {
	c := shell.Command{Text: a.Command, Dir: dir, Shell: a.ShellID, Mode: shell.Sync}
	wait := syncWait
	switch {
	case a.Detach:
		c.Mode, wait = shell.Detached, asyncWait
	case a.Mode == shell.Async:
		c.Mode, wait = shell.Async, asyncWait
	}
	c.Wait = seconds(a.InitialWait, wait, leastWait)
	return c
}

func (bash) Definition() Definition { return bashDefinition.Get() }

func (b bash) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[bashArgs](c)
	if bad != nil {
		return nil, bad
	}
	cmd := args.command(b.w.Cwd())
	would := b.reading(&cmd, b.shells.StartDirectory(cmd))
	return &permit.Request{Kind: permit.Shell, Tool: c.Name, Intention: args.Description, Command: would, NoTry: b.staysUntried(cmd)}, nil
}

// reading is what a command would do in a directory. It also decides where the command
// runs: a shell that an earlier command has altered may have a function with the name of
// any program, so a command that only reads runs in a shell of its own, and the effects
// of any other command count as unclear.
func (k *console) reading(c *shell.Command, dir string) permit.Command {
	would := k.understand(c.Text, dir)
	would.Text, would.Dir, would.Detached = c.Text, dir, c.Mode == shell.Detached
	c.Start, c.AltersShell = dir, would.AltersShell
	altered := k.shells.Altered(*c)
	switch {
	case would.Unclear != "":
	case altered == "":
		c.RequireUnaltered = true
	case c.Mode == shell.Sync && effects.IndependentOfShell(would):
		c.FreshShell = true
	default:
		would.Unclear = "an earlier command may have changed what programs are in this shell: " + altered
	}
	return would
}

func (b bash) Run(ctx context.Context, c Call) Result {
	args, bad := decode[bashArgs](c)
	if bad != nil {
		return *bad
	}
	if c.Permitted == nil {
		return failure("there is no permission for this command")
	}
	allowed := c.Permitted.Command
	cmd := args.command(b.w.Cwd())
	if allowed.Text != args.Command || !reflect.DeepEqual(b.reading(&cmd, allowed.Dir), allowed) {
		return failure("The command would do something else by now than when permission was asked for; nothing was run. Call bash again.")
	}
	cmd.OnOutput = func(text string) { b.w.Partial(c, text) }
	cmd.Sandbox = c.Sandbox // not before: what the command would do does not depend on it
	if c.Tries {
		cmd.FreshShell, cmd.RequireUnaltered = true, false // what nobody has read changes no shell that others use
	}
	done, err := b.writesGit(ctx, &cmd)
	if err != nil {
		return refusal(err)
	}
	defer done()
	watch := b.watch(cmd.Sandbox)
	watch.reads = !slices.ContainsFunc(allowed.Programs, func(p permit.Program) bool { return !p.ReadOnly }) && !allowed.Hidden
	r, err := b.shells.Run(ctx, cmd)
	if err != nil {
		return watch.look(refusal(err), cmd)
	}
	res := started(r, cmd)
	if c.Sandbox != nil && c.Sandbox.Git && !cmd.Sandbox.Git {
		res.Text = closing(res.Text, "<it cannot write to .git, because it may go on in the background; run git commands with mode sync>").Text
	}
	if r.Running && cmd.Sandbox != nil && cmd.Sandbox.Unread {
		b.remember(r.Shell, watch, cmd)
	}
	if r.Running && cmd.Mode != shell.Detached { // which ends with the process, and the next one has to know
		left := wire.CommandLeft{ShellID: r.Shell, Command: shortened(cmd.Text)}
		info := &wire.SessionInfo{InfoType: wire.InfoCommandLeft, Message: "The command of shell " + r.Shell + " goes on in the background."}
		res.After = append(res.After, wire.WithJSON(info, wire.FieldLeft, left))
	}
	return watch.result(res, r, cmd)
}

// writesGit prepares a command whose sandbox lets it write to .git. No process of such a command may be left when
// [watch.look] looks at what it has made there: the user's next git command could run programs that were
// named in between. So it is waited for as long as for any command, and one that is to go on in the
// background has a .git that it cannot write. One runs at a time, because the look of one would find
// what another is making. The caller calls done after the look.
func (k *console) writesGit(ctx context.Context, c *shell.Command) (done func(), err error) {
	switch {
	case c.Sandbox == nil || !c.Sandbox.Git:
		return func() {}, nil
	case c.Mode != shell.Sync:
		reads := *c.Sandbox
		reads.Git = false
		c.Sandbox = &reads
		return func() {}, nil
	}
	c.Wait = maxWait
	select {
	case k.git <- struct{}{}:
		return func() { <-k.git }, nil
	case <-ctx.Done():
		return nil, &fault.Error{Op: "tool.bash", Kind: fault.Canceled, Err: context.Cause(ctx)}
	}
}

// started is the result of a command once [shell.Shells.Run] has returned.
func started(r shell.Report, c shell.Command) Result {
	switch {
	case r.Stopped && c.Sandbox != nil && c.Sandbox.Git:
		return closing(r.Output, fmt.Sprintf("<ended after %.0f minutes: a command that may write to .git does not go on in the background>", c.Wait.Minutes()))
	case !r.Running:
		return news(r)
	case r.Parted:
		return parted(r)
	case c.Mode == shell.Detached:
		return closing(r.Output, fmt.Sprintf("<running on its own, shellId: %s, process group: %d, output: %s; stop_bash ends it>", r.Shell, r.PID, r.File))
	case c.Mode == shell.Async:
		return closing(r.Output, fmt.Sprintf("<running, shellId: %s; read_bash shows more, write_bash types, stop_bash ends it>", r.Shell))
	}
	return closing(r.Output, fmt.Sprintf("<still running after %.0f seconds, shellId: %s; it goes on. read_bash waits for more, stop_bash ends it>", c.Wait.Seconds(), r.Shell))
}

// parted is the result of a call that waited for a command until the user moved it to the background.
func parted(r shell.Report) Result {
	return closing(r.Output, fmt.Sprintf("<still running, shellId: %s; the user has moved it to the background, so go on without waiting for it. read_bash shows more, stop_bash ends it>", r.Shell))
}

// over adds to the result of a call that has read from a shell that its command has ended, if it has.
func over(res Result, r shell.Report) Result {
	if !r.Running {
		info := &wire.SessionInfo{InfoType: wire.InfoCommandEnded, Message: fmt.Sprintf("The command of shell %s has ended with exit code %d.", r.Shell, r.Code)}
		res.After = append(res.After, wire.WithJSON(info, wire.FieldEnded, wire.CommandEnd{ShellID: r.Shell, ExitCode: r.Code}))
	}
	return res
}

// news is the result of reading from a shell.
func news(r shell.Report) Result {
	switch {
	case r.Parted:
		return parted(r)
	case r.Stopped:
		return closing(r.Output, fmt.Sprintf("<stopped, shellId: %s>", r.Shell))
	case !r.Running:
		return exited(r)
	case r.Output == "":
		return closing("", fmt.Sprintf("<no new output, still running, shellId: %s>", r.Shell))
	}
	return closing(r.Output, fmt.Sprintf("<still running, shellId: %s>", r.Shell))
}
