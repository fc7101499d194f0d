package front

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// goodbye says how to continue the session that the user leaves, if it has a message.
func (f *front) goodbye(ctx context.Context) {
	if f.now() == nil {
		return
	}
	m, err := f.runtime.Parts.Sessions.Metadata(ctx, f.now().ID())
	if err != nil || m == nil || m.Summary == "" {
		return
	}
	look := terminal.PaintFor(f.Sys.Stderr, f.Sys.Getenv)
	short := f.runtime.Parts.Sessions.Shortener(ctx)(f.now().ID())
	fmt.Fprintln(f.Sys.Stderr, look.Dim("to continue: sidestick --resume "+cli.ShellWord(short)))
}
