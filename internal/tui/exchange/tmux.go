package exchange

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

const (
	// maxTmux bounds the text that tmux is given, in bytes: terminals take about so much from it.
	maxTmux = 74_991
	// tmuxWait bounds the wait for tmux, which answers at once.
	tmuxWait = 3 * time.Second
)

// CopyInTmux gives a text to tmux, if the program runs in it, and reports whether tmux has put it into
// its buffer and sent it to the clipboard of the terminal around it. Programs inside cannot do that
// themselves: since version 2.6, tmux ignores their sequence (OSC 52) unless set-clipboard is "on".
// Versions before 3.2 do not have it.
func (c *Clipboard) CopyInTmux(ctx context.Context, text string) bool {
	if c.Getenv("TMUX") == "" || len(text) > maxTmux {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxWait)
	defer cancel()
	// With "off", versions up to 3.5 send it all the same, and later ones say nothing.
	if set, err := run(ctx, "tmux", []string{"show-options", "-sv", "set-clipboard"}); err != nil || strings.TrimSpace(string(set)) == "off" {
		return false
	}
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.WaitDelay = outputWait
	proctree.KillWhole(cmd)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run() == nil
}
