package entry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// EndingCommands returns the commands in the background that end when this process closes the session, by
// their start; none if the session does not answer. Detached commands go on.
func EndingCommands(ctx context.Context, s *session.Session) []shell.Info {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingWait)
	defer cancel()
	running, err := s.Shell().Jobs().List(ctx)
	if err != nil { // the session has been closed, and its commands have ended
		return nil
	}
	return slices.DeleteFunc(running, func(i shell.Info) bool { return i.Mode == shell.Detached })
}

// endingWait bounds how long a command that ends waits for a busy session to list its commands.
const endingWait = 2 * time.Second

// EndedText is the warning about a command that ends with the run, or when the user leaves.
func EndedText(i shell.Info, with string) string {
	return "a command was still running and was ended with the " + with + ": " + timeline.OneLine(i.Text, 2*terminal.Columns)
}

// SayEnded warns on stderr of the commands that end because the user leaves the session.
func SayEnded(ctx context.Context, o *cli.Options, s *session.Session) {
	for _, i := range EndingCommands(ctx, s) {
		fmt.Fprintln(o.Sys.Stderr, cli.ForScreen(o.Sys.Stderr, "warning: "+EndedText(i, "session")))
	}
}
