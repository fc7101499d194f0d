package quarantine

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Options configure a [Guard].
type Options struct {
	Session string // its id
	// Boxes are those of the session's commands, and Servers those of its MCP servers; nil: there are none.
	Boxes, Servers *sandbox.Boxes
	// Protected are the names of [sandbox.Policy.ProtectNames], for looks before a command has run.
	Protected []string
	// Runs says why a repository of git makes programs run, "" if it does not. path is a .git, or HEAD in a
	// folder that git takes for the folder of a repository.
	Runs   func(path string) string
	Logger *slog.Logger
}

// Guard looks at what the commands of one session make. It is safe for concurrent use.
type Guard struct {
	store *Store
	opts  Options
	aside func(path string) (string, error) // moveAside; tests let it fail

	mu     sync.Mutex // guards the rest; held during a look
	policy *sandbox.Policy
	seen   sandbox.Traces
	roots  []string // the folders that seen is about
	builds map[string]sandbox.Stamp
	// harmless are repositories and links that commands have made and that did not act. No sandbox that runs
	// covers them, so they are judged again at each look.
	harmless map[string]sandbox.Trace
	stuck    map[string]bool // what acts and could not be moved aside, by its path; it is tried again at each look
	// own are digests of what had a protected name at the first look, before any command: with this content it is
	// the user's, also if the user's git removes it and makes it again while a command runs.
	own      map[string]string
	served   []string        // the folders in which a server or a hook may have written, beside those of a look
	told     map[string]bool // commands of rebases that a command had in its text
	accepted map[string]bool // paths that the user has approved, and the folders on the way to them
	running  int             // commands that may write
	live     bool            // something of the model's may have written since the latest look
	crash    crashFile
	found    func(Found)    // of OnFound; nil: nobody asks
	stop     chan struct{}  // ends the watching goroutine; nil: there is none
	watching sync.WaitGroup // that goroutine
}

// Guard returns the guard of a session.
func (s *Store) Guard(opts Options) *Guard {
	return &Guard{store: s, opts: opts, aside: moveAside, harmless: map[string]sandbox.Trace{}, own: map[string]string{}, stuck: map[string]bool{}, accepted: map[string]bool{}, told: map[string]bool{}}
}

// Found is what a look has found.
type Found struct {
	Aside []Item
	// Left could not be moved aside, each with the reason.
	Left []string
	// Builds are files that builds, tests and agents obey, and that were changed or made. They stay.
	Builds []string
}

// Any reports whether there is anything to tell the user.
func (f Found) Any() bool { return len(f.Aside)+len(f.Left)+len(f.Builds) > 0 }

func (f *Found) join(more Found) {
	f.Aside = append(f.Aside, more.Aside...)
	f.Left = append(f.Left, more.Left...)
	f.Builds = append(f.Builds, more.Builds...)
}

// Begin looks before a command that may write in the folders of a policy. The caller calls end once when the
// command has ended or goes on in the background; by is the command, in words for the user. What the
// look before has found is in the result, too: something in the background has made it.
func (g *Guard) Begin(p sandbox.Policy) (end func(by string) Found) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.look(p, inBackground)
	g.running++
	g.live = true
	g.crash.note(g.store, p, g.seen)
	return func(by string) Found {
		g.mu.Lock()
		defer g.mu.Unlock()
		after := g.look(p, by)
		g.running--
		g.settle()
		before.join(after)
		return before
	}
}

// Serve looks before something starts that may write in the folders of a policy, and whose end nobody tells the guard: a
// server, or a hook. From then on the guard looks while it runs.
func (g *Guard) Serve(p sandbox.Policy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, folder := range p.Write {
		if !slices.Contains(g.served, folder) {
			g.served = append(g.served, folder)
		}
	}
	found, tell := g.look(p, inBackground), g.found
	g.live = true
	g.crash.note(g.store, p, g.seen)
	g.begin()
	if tell != nil && found.Any() {
		g.watching.Go(func() { tell(found) }) // the caller may be the one who is told
	}
}

// Recover looks in the folders of sessions whose process was killed while a command ran, or that could not move something
// aside, whatever the folder of this session is. What this session has seen stays as it is: its commands need not be
// able to write in those folders.
func (g *Guard) Recover() (found Found) {
	folders := g.store.left()
	if len(folders) == 0 {
		return found
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	other := g.store.Guard(g.opts)
	found = other.look(sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: folders, ProtectNames: g.opts.Protected}, "a session whose process was killed")
	other.leaveStuck()
	return found
}

// leaveStuck has the next session try again to move aside what this one could not move.
func (g *Guard) leaveStuck() {
	if len(g.stuck) > 0 {
		g.crash.note(g.store, *g.policy, g.seen)
		g.crash.leave()
	}
}

// inBackground is what has made something that appeared while no command was waited for.
const inBackground = "a command or a server in the background"

// Outside is [Guard.Begin] for a command that the user has approved to run outside of the sandbox: what it makes is
// the user's choice.
func (g *Guard) Outside() (end func() Found) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.policy == nil {
		return func() Found { return Found{} }
	}
	before := g.look(*g.policy, inBackground)
	return func() Found {
		g.mu.Lock()
		defer g.mu.Unlock()
		live := g.live
		g.live = false
		g.look(*g.policy, "")
		g.live = live
		return before
	}
}

// Look looks while no command is waited for: at the end of a command in the background and of a run. It
// looks only if something may have been made.
func (g *Guard) Look() (found Found) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.policy != nil && (g.live || len(g.stuck) > 0 || g.serving()) {
		g.live = g.live || g.serving()
		found.join(g.look(*g.policy, inBackground))
		g.settle()
	}
	return found
}

// OnFound sets the function that gets what is found while no command is waited for and nobody calls
// [Guard.Look]. It is called on a goroutine of the guard, and before Close returns.
func (g *Guard) OnFound(found func(Found)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.found = found
}

// Close looks for the last time, when everything in the sandboxes has ended, and waits for the goroutine of the guard.
func (g *Guard) Close() {
	g.mu.Lock()
	found := Found{}
	if g.policy != nil && (g.live || len(g.stuck) > 0) {
		found = g.look(*g.policy, inBackground)
	}
	g.live = false
	g.leaveStuck()
	g.crash.remove(g.store)
	if g.stop != nil {
		close(g.stop)
		g.stop = nil
	}
	tell := g.found
	g.mu.Unlock()
	g.watching.Wait()
	g.opts.Boxes.EndLooks()
	if g.opts.Servers != nil {
		g.opts.Servers.EndLooks()
	}
	if tell != nil && found.Any() {
		tell(found)
	}
}

// watchEvery is how often the guard looks while something goes on in the background: soon enough that the
// user has hardly taken the next step, and seldom enough that a look of ten milliseconds costs nothing.
const watchEvery = 5 * time.Second

// watch looks while something of the model's goes on and no command is waited for.
func (g *Guard) watch(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(watchEvery):
		}
		g.mu.Lock()
		tell, found := g.found, Found{}
		if g.running == 0 && g.stop == stop {
			found = g.look(*g.policy, inBackground)
			g.settle()
		}
		g.mu.Unlock()
		if tell != nil && found.Any() {
			tell(found)
		}
	}
}

// Written looks after a file tool has written a file, in the allowed folder that holds it: the folders on the way
// to it could be a repository of git now. The path itself is what the user, or a rule, has approved.
func (g *Guard) Written(path string, folders []string, by string) (found Found) {
	g.mu.Lock()
	defer g.mu.Unlock()
	root := rootOf(folders, path)
	if root == "" {
		return found
	}
	g.accepted[path] = true
	for at := path; at != root; {
		at = filepath.Dir(at)
		g.accepted[at] = true
		if relative, _ := below(root, at); strings.Contains("/"+strings.ToLower(relative)+"/", "/.git/") {
			continue // the question was about the file of git
		}
		if why := g.judgeBare(at); why != "" && !g.store.allows(filepath.Join(at, "HEAD")) {
			g.move(&found, filepath.Join(at, "HEAD"), filepath.Join(at, "HEAD"), why, by)
		}
	}
	g.keep(found.Aside)
	return found
}

// Places returns where links with protected names lead in a folder, and the folders in it that hold a repository of
// git. Ends have links resolved, and need not exist: who writes there changes what programs obey.
func (g *Guard) Places(folder string) (ends, repositories []string) {
	now, _ := g.opts.Boxes.Look(sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{folder}, ProtectNames: g.opts.Protected})
	for path, trace := range now {
		switch {
		case trace.Kind == sandbox.Repository && trace.Link == "":
			repositories = append(repositories, filepath.Dir(path))
		case trace.Kind == sandbox.Named && trace.Link != "":
			to := trace.Link
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			ends = append(ends, endOf(to))
		}
	}
	slices.Sort(ends)
	slices.Sort(repositories)
	return ends, repositories
}

// endOf follows the links in a path, of which the end may be missing.
func endOf(path string) string {
	rest := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil || at == filepath.Dir(at) {
			return filepath.Join(real, rest)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// judgeBare says why a folder that git takes for a repository makes programs run; "" if it is none.
func (g *Guard) judgeBare(folder string) string {
	for _, names := range [][]string{{"HEAD", "objects", "refs"}, {"HEAD", "commondir"}} {
		missing := func(name string) bool { _, err := os.Lstat(filepath.Join(folder, name)); return err != nil }
		if !slices.ContainsFunc(names, missing) {
			return g.opts.Runs(filepath.Join(folder, "HEAD"))
		}
	}
	return ""
}

// settle finds out whether something of the model's goes on.
func (g *Guard) settle() {
	g.live = g.running > 0 || g.opts.Boxes.Busy(true) || g.serving()
	switch {
	case g.live:
		g.begin()
	case g.stop != nil:
		close(g.stop)
		g.stop = nil
	}
}

// begin has the guard look in the background, if it does not yet.
func (g *Guard) begin() {
	if g.stop == nil {
		stop := make(chan struct{})
		g.stop = stop
		g.watching.Go(func() { g.watch(stop) })
	}
}

func (g *Guard) serving() bool { return g.opts.Servers != nil && g.opts.Servers.Busy(false) }
