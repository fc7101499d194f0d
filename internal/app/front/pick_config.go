package front

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/configcmd"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/exchange"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// configure shows the settings, or with arguments shows or changes one. about says whose settings they are.
func (d desk) configure(ctx context.Context, about, arg string) (tui.Effect, error) {
	switch arg {
	case "edit":
		path, check, err := configcmd.File(d.Options)
		if err != nil {
			return tui.Effect{}, err
		}
		return tui.Effect{Edit: &tui.EditFile{Path: path, Then: func(context.Context) (string, error) { return check() }}}, nil
	case "":
	default:
		text, err := configcmd.Do(ctx, d.Options, arg)
		return tui.Effect{Text: text}, err
	}
	all, notes, err := configcmd.All(d.Options)
	if err != nil {
		return tui.Effect{}, err
	}
	var settings []page.Setting
	for _, s := range all {
		settings = append(settings, page.Setting(s))
	}
	l := page.Settings(d.keys, about, settings)
	if notes != "" {
		l.Problems = strings.Split(strings.TrimSpace(notes), "\n")
	}
	return tui.Effect{Pick: &tui.Picker{List: l, Do: func(_ context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose {
			return tui.Effect{}, nil
		}
		return tui.Effect{Close: true, Draft: "/config " + o.Item.ID + " "}, nil
	}}}, nil
}

// editFile lets the user edit a file in their editor, which has the terminal meanwhile.
func (d desk) editFile(ctx context.Context, path string) error {
	command, err := exchange.Editor(d.editor)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &fault.Error{Op: "front.editFile", On: path, Kind: fault.Unavailable, Hint: "make its folder, and try again", Err: err}
	}
	if err := d.edits(ctx, append(command, path)); err != nil {
		return fmt.Errorf("the editor %s has failed; %s is as it has left it: %w", command[0], cli.Tilde(path), err)
	}
	return nil
}

// edits runs an editor, which has the terminal until it ends.
func (d desk) edits(ctx context.Context, command []string) error {
	d.editing.Add(1)
	defer time.AfterFunc(time.Second, func() { d.editing.Add(-1) }) // a signal may be handled late
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
