package front

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/exchange"
)

// connectTime bounds opening a session of a server.
const connectTime = time.Minute

// guest is the program behind the terminal interface on a server: it opens sessions there, and
// carries out commands.
type guest struct {
	desk
	link    *remote.Link
	address string // of the server
	near    bool   // the server is on this machine, so that it has the same files

	leaving sync.WaitGroup // sessions that are being left

	mu    sync.Mutex
	files *complete.Index // of the folder of the session
}

// Connect shows the terminal interface on sessions of the server at an address until the user leaves.
func Connect(ctx context.Context, o *cli.Options, address string, with Options) error {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	keys, err := keysOf(cfg.Terminal.Keys)
	if err != nil {
		return err
	}
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return ErrNoTerminal
	}
	defer tty.Close()
	g := &guest{desk: desk{o, cfg, keys, new(atomic.Int32)}, near: onThisMachine(address), address: address}
	g.link, err = remote.Connect(ctx, remote.Options{Dial: dialer(address), Address: address, Token: string(cfg.ConnectionToken.Value)})
	if err != nil {
		return err
	}
	defer g.link.Close()
	return g.show(ctx, tty, with)
}

// show shows the interface, and leaves the session after it.
func (g *guest) show(ctx context.Context, tty *terminal.TTY, o Options) error {
	resizes, noMore := terminal.Resizes()
	defer noMore()
	beside, stop := context.WithCancel(ctx)
	var passing sync.WaitGroup
	defer passing.Wait()
	defer stop()
	leaving, restore := g.interrupts(beside, &passing)
	defer restore()
	opts := g.options(ctx, tty)
	opts.Leaving, opts.Drafts = leaving, g.drafts(g.address)
	opts.Commands, opts.Resizes, opts.Words, opts.Files = g, resizes, g.words, g.listFiles
	opts.Mentioned = g.mentioned
	opts.Mode = o.Settings.Mode()
	opts.Open = func(ctx context.Context) (tui.Session, error) {
		s, err := g.begin(ctx, o.Settings)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if o.Choose {
		opts.First = func(_ context.Context, s tui.Session) (tui.Effect, error) { return g.pickSession(s.(*attached)), nil }
	}
	if !g.near {
		opts.Pasted = pastedFar
	}
	defer g.leaving.Wait()
	last, err := tui.Run(ctx, opts)
	g.goodbye(context.WithoutCancel(ctx), last)
	if last != nil {
		_ = last.Leave(ctx) // nothing can be done about it
	}
	return err
}

// dialer makes connections to an address.
func dialer(address string) func(ctx context.Context) (io.ReadWriteCloser, error) {
	return func(ctx context.Context) (io.ReadWriteCloser, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}

// onThisMachine reports whether an address is of this machine.
func onThisMachine(address string) bool {
	host, _, _ := net.SplitHostPort(address) // was checked
	ip := net.ParseIP(host)
	return host == "localhost" || host == "" || ip != nil && ip.IsLoopback()
}

// folder is the folder that this program works in, if the server has it, else "".
func (g *guest) folder() string {
	if !g.near {
		return ""
	}
	return workingDirectory()
}

// begin opens the session that the flags name, or a new one.
func (g *guest) begin(ctx context.Context, which *entry.Settings) (*attached, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	id, err := g.chosen(ctx, which)
	if err != nil {
		return nil, err
	}
	if id != "" && which.ID != "" {
		if m, err := g.link.Metadata(ctx, id); err != nil || m == nil {
			if err != nil {
				return nil, err
			}
			return g.create(ctx, id)
		}
	}
	if id == "" {
		return g.create(ctx, "")
	}
	return g.open(ctx, id)
}

func (g *guest) settings() remote.Settings {
	return remote.Settings{Model: g.Flags.Model, Effort: g.Flags.Effort, Folder: g.folder()}
}

func (g *guest) create(ctx context.Context, id string) (*attached, error) {
	s, err := g.link.Create(ctx, id, g.settings())
	if err != nil {
		return nil, err
	}
	return g.attach(s), nil
}

func (g *guest) open(ctx context.Context, id string) (*attached, error) {
	s, err := g.link.Resume(ctx, id, g.settings())
	if err != nil {
		return nil, err
	}
	return g.attach(s), nil
}

// chosen is the id of the session to continue, "" for a new one.
func (g *guest) chosen(ctx context.Context, which *entry.Settings) (string, error) {
	if which.ID != "" {
		return which.ID, wiring.CheckID(which.ID)
	}
	if !which.MustExist() {
		return "", nil
	}
	folder := ""
	if which.Continue {
		folder = g.folder()
	}
	list, err := g.link.List(ctx, folder)
	if err != nil {
		return "", err
	}
	if which.Continue && len(list) == 0 {
		return "", &fault.Error{
			Op: "sessions", On: g.link.Address, Kind: fault.NotFound, Hint: "leave out --continue to start one",
			Err: errors.New("the server has no session of this folder yet"),
		}
	}
	if which.Continue {
		return list[0].SessionID, nil
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, m.SessionID)
	}
	return wiring.OneSession(which.Resume, ids)
}

// words is [tui.Options.Words].
func (g *guest) words(s tui.Session, err error) string {
	if a, ok := s.(*attached); ok && a.Ended() && fault.KindOf(err) == fault.NotFound {
		err = errEnded
	}
	return timeline.Harmless(strings.TrimSpace(cli.Message(err)))
}

// mentioned returns the files of the session's folder that a text names, if they are on this machine.
func (g *guest) mentioned(s tui.Session, text string) (files []composer.Attachment, warning string) {
	dir := s.(*attached).Description().Folder
	if !g.near || dir == "" {
		return nil, ""
	}
	return exchange.Mentioned(text, dir)
}

// listFiles lists the files of the session's folder, if they are on this machine.
func (g *guest) listFiles(ctx context.Context, s tui.Session) (*complete.List, error) {
	if s == nil {
		return nil, errors.New("the session is not open yet")
	}
	dir := s.(*attached).Description().Folder
	if !g.near || dir == "" {
		return nil, errors.New("the files are on the server; write their paths")
	}
	g.mu.Lock()
	if g.files == nil || g.files.Dir != dir {
		g.files = &complete.Index{Dir: dir}
	}
	files := g.files
	g.mu.Unlock()
	return files.Refresh(ctx, time.Now())
}

// maxSent bounds an image that is sent to a server, in bytes.
const maxSent = 10 << 20

// pastedFar are the images that a pasted text names, with their content: a server on another machine
// does not have the files. Other files are on this machine only, and their names stay text.
func pastedFar(text string) (images []composer.Attachment) {
	for _, f := range exchange.Pasted(text, userHome()) {
		info, err := os.Stat(f.Path)
		if err != nil || !f.Image || info.Size() > maxSent {
			return nil
		}
		if f.Data, err = os.ReadFile(f.Path); err != nil {
			return nil
		}
		f.Path = ""
		images = append(images, f)
	}
	return images
}
