package front

import (
	"context"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/tui"
)

// goodbye says which commands end with the session that the user leaves, and, if it has a message, how to
// continue it. s is nil if none was shown.
func (f *front) goodbye(ctx context.Context, s tui.Session) {
	if s == nil {
		return
	}
	entry.SayEnded(ctx, f.Options, s.(*embedded).Client.Session())
	m, err := f.runtime.Parts.Sessions.Metadata(ctx, s.ID())
	if err != nil || m == nil || m.Summary == "" {
		return
	}
	f.toContinue("sidestick --resume " + cli.ShellWord(f.runtime.Parts.Sessions.Shortener(ctx)(s.ID())))
}

// goodbye is that of a server.
func (g *guest) goodbye(ctx context.Context, s tui.Session) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, goodbyeTime)
	defer cancel()
	again := "sidestick chat --connect " + cli.ShellWord(g.link.Address) + " --resume "
	list, err := g.link.List(ctx, "")
	if err != nil { // the connection is lost
		g.toContinue(again + cli.ShellWord(s.ID()))
		return
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, m.SessionID)
	}
	i := slices.Index(ids, s.ID())
	if i < 0 || list[i].Summary == "" {
		return
	}
	g.toContinue(again + cli.ShellWord(listing.Shortener(ids)(s.ID())))
}

// goodbyeTime is how long a user who leaves waits for a server that does not answer.
const goodbyeTime = 2 * time.Second

// toContinue prints the command that continues a session.
func (d desk) toContinue(command string) {
	look := terminal.PaintFor(d.Sys.Stderr, d.Sys.Getenv)
	_ = cli.Print(d.Sys.Stderr, look.Dim("to continue: "+command)+"\n")
}
