package usershell

import (
	"context"
	"fmt"
	"os"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Jobs are the commands of the agents that run in the background, as the user sees and stops them.
type Jobs struct{ u *Shell }

// Jobs returns the commands that run in the background. Any goroutine may call it.
func (u *Shell) Jobs() Jobs { return Jobs{u} }

// List returns the shells whose commands run, by their start. A command that a call still waits for
// is among them, if it is in a shell for several.
func (j Jobs) List(ctx context.Context) (running []shell.Info, err error) {
	shells, err := j.shells(ctx)
	if shells == nil {
		return nil, err
	}
	for _, i := range shells.List() {
		if i.Running {
			running = append(running, i)
		}
	}
	return running, nil
}

// Background moves the commands that calls wait for to the background: the calls return, and the
// commands keep running. It returns these commands.
func (j Jobs) Background(ctx context.Context) ([]shell.Info, error) {
	shells, err := j.shells(ctx)
	if shells == nil {
		return nil, err
	}
	return shells.Background(), nil
}

// Stop kills the command of a shell with everything that it has started. The model learns that the
// shell is gone when it looks at it. [fault.NotFound] if there is no such shell.
func (j Jobs) Stop(ctx context.Context, id string) error {
	shells, err := j.shells(ctx)
	if err != nil {
		return err
	}
	if shells == nil {
		return fault.New(fault.NotFound, "session.jobs", j.u.id, "no shell has the id %s", fault.Bounded(id))
	}
	r, err := shells.Stop(ctx, id)
	if err == nil && r.Stopped {
		j.recordEnd(wire.CommandEnd{ShellID: id, ExitCode: r.Code, Stopped: true})
	}
	return err
}

// Folder returns where the next command of the user or of the main agent starts: in the working
// directory of the session, or where a command before has moved the shell.
func (j Jobs) Folder(ctx context.Context) (string, error) {
	cwd, err := mailbox.Ask(ctx, j.u.session.Do, func() (string, error) { return j.u.session.State().Cwd, nil })
	if err != nil {
		return "", err
	}
	shells, err := j.shells(ctx)
	if shells == nil {
		return cwd, err
	}
	at := shells.StartDirectory(shell.Command{Dir: cwd})
	here, err := j.u.fs.Stat(cwd)
	if there, gone := j.u.fs.Stat(at); err == nil && gone == nil && os.SameFile(here, there) {
		return cwd, nil // the shell names the folder by another link
	}
	return at, nil
}

// Ended records the end of a command in the background that no call has reported. It is called
// on a goroutine of the shells.
func (j Jobs) Ended(i shell.Info) {
	j.recordEnd(wire.CommandEnd{ShellID: i.Shell, ExitCode: i.Code})
}

// recordEnd records the end of a command in the background. A session that closes, or in which another
// process works, does not need it: the next one to open it has no such command.
func (j Jobs) recordEnd(end wire.CommandEnd) {
	info := &wire.SessionInfo{InfoType: wire.InfoCommandEnded, Message: fmt.Sprintf("The command of shell %s has ended with exit code %d.", end.ShellID, end.ExitCode)}
	err := j.u.session.Change(context.Background(), func() error { return j.u.session.Record("", wire.WithJSON(info, wire.FieldEnded, end)) })
	if err != nil {
		j.u.logs.Debug("the end of a command was not recorded", "shell", end.ShellID, "err", err)
	}
}

// shells are those of the tools, nil if none were made.
func (j Jobs) shells(ctx context.Context) (*shell.Shells, error) {
	return mailbox.Ask(ctx, j.u.session.Do, func() (*shell.Shells, error) { return j.u.session.Shells(), nil })
}
