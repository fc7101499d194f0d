package front

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// copied puts an answer into the clipboard: the last one, or the one with a number, which counts from the
// last.
func copied(arg string, answer func(n int) (string, error)) (tui.Effect, error) {
	n, err := strconv.Atoi(cmp.Or(arg, "1"))
	if err != nil {
		return tui.Effect{}, fmt.Errorf("%q is not an answer number; 1 is the last", timeline.OneLine(arg, 40))
	}
	text, err := answer(n)
	return tui.Effect{Copy: text}, err
}

// keptFile is the file in the home folder for what the clipboard does not take.
const keptFile = "copied.md"

// keep puts a text that the terminal does not take for its clipboard into that of tmux, or into a
// file, and says which.
func (d desk) keep(ctx context.Context, text string) (string, error) {
	if c := d.board(); c.CopyInTmux(ctx, text) {
		return "copied, also into the buffer of tmux", nil
	}
	path := filepath.Join(cli.Absolute(d.config.Home.Value), keptFile)
	if err := vfs.WriteFileAtomic(vfs.OS{}, path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("the text could not be written to %s: %w", path, cli.Reason(err))
	}
	return "the clipboard of this terminal cannot be used for this text; it is in " + cli.Tilde(path), nil
}
