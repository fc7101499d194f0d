package quarantine

import (
	"bufio"
	"bytes"
	"cmp"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
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

	mu     sync.Mutex // guards the rest; held during a look
	policy *sandbox.Policy
	seen   sandbox.Traces
	roots  []string // the folders that seen is about
	builds map[string]sandbox.Stamp
	// harmless are repositories and links that commands have made and that did not act. No sandbox that runs
	// covers them, so they are judged again at each look.
	harmless map[string]sandbox.Trace
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
	return &Guard{store: s, opts: opts, harmless: map[string]sandbox.Trace{}, accepted: map[string]bool{}, told: map[string]bool{}}
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
	if g.policy != nil && (g.live || g.serving()) {
		g.live = true
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
	if g.policy != nil && g.live {
		found = g.look(*g.policy, inBackground)
	}
	g.live = false
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
			g.move(&found, filepath.Join(at, "HEAD"), why, by)
		}
	}
	g.keep(found.Aside)
	return found
}

// Ends returns where links with protected names lead in a folder: the paths with links resolved, which need not exist.
// Who writes there changes what programs obey.
func (g *Guard) Ends(folder string) (paths []string) {
	now, _ := g.opts.Boxes.Look(sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{folder}, ProtectNames: g.opts.Protected})
	for path, trace := range now {
		if trace.Link == "" || trace.Kind != sandbox.Named {
			continue
		}
		to := trace.Link
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		paths = append(paths, endOf(to))
	}
	slices.Sort(paths)
	return paths
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
	case g.live && g.stop == nil:
		stop := make(chan struct{})
		g.stop = stop
		g.watching.Go(func() { g.watch(stop) })
	case !g.live && g.stop != nil:
		close(g.stop)
		g.stop = nil
	}
}

func (g *Guard) serving() bool { return g.opts.Servers != nil && g.opts.Servers.Busy(false) }

// look compares what there is with what there was, and moves aside what acts, if it is the model's.
func (g *Guard) look(p sandbox.Policy, by string) (found Found) {
	folders := slices.Concat(p.Folders, p.Write)
	g.live = g.live || g.serving()
	now, builds, restore := g.lookInside(p)
	defer restore()
	killed := g.store.orphaned(folders, g.roots)
	defer killed.looked()
	moved := map[string]bool{}
	for _, path := range inOrder(now) {
		seen := g.seen
		suspect := g.live && !(now[path].Kind == sandbox.End && moved[now[path].Link])
		if root := rootOf(folders, path); len(g.roots) == 0 || root != "" && !slices.Contains(g.roots, root) { // the first look there
			seen, suspect = killed.seen[root]
		}
		before, there := seen[path]
		trace := now[path]
		_, again := g.harmless[path]
		if !suspect || there && before == trace && !again || g.accepted[path] || wasUnseen(seen, path) {
			continue
		}
		why := g.judge(p, path, trace, now, by)
		if why == "" {
			if trace.Kind == sandbox.Repository || trace.Kind == sandbox.Way {
				g.harmless[path] = trace
			}
			continue
		}
		delete(g.harmless, path)
		if target := armed(path); g.store.allows(target) || !g.move(&found, target, why, by) {
			continue
		}
		delete(now, path)
		moved[path] = true
		if there && before.Kind != sandbox.End && before.Link != "" && relink(path, before.Link) == nil {
			now[path] = before
		}
	}
	for _, path := range slices.Sorted(maps.Keys(builds)) {
		before, there := g.builds[path]
		if g.live && slices.Contains(g.roots, rootOf(folders, path)) && (!there || before != builds[path]) && !g.accepted[path] {
			found.Builds = append(found.Builds, path)
		}
	}
	g.seen, g.builds, g.roots, g.policy = now, builds, folders, &p
	g.keep(found.Aside)
	return found
}

// wasUnseen reports whether a path is in a folder that the look before could not look into. The sandbox has covered it as
// a whole, so what it holds was there.
func wasUnseen(seen sandbox.Traces, path string) bool {
	for at := filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if t, there := seen[at]; there && t.Kind == sandbox.Unseen {
			return true
		}
	}
	return false
}

// inOrder returns the paths, and those where links lead last: what a link that was moved aside leads to does not act.
func inOrder(all sandbox.Traces) []string {
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(b2i(all[a].Kind == sandbox.End), b2i(all[b].Kind == sandbox.End)), cmp.Compare(a, b))
	})
}

// lookInside looks, also into folders that a command has made so that they cannot be read. restore gives
// them their modes back.
func (g *Guard) lookInside(p sandbox.Policy) (now sandbox.Traces, builds map[string]sandbox.Stamp, restore func()) {
	var undo []func()
	restore = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	for range mostUnreadable {
		now, builds = g.opts.Boxes.Look(p)
		more := false
		for path, trace := range now {
			if _, there := g.seen[path]; g.live && !there && trace.Kind == sandbox.Unseen {
				if f := readable(path); f != nil {
					undo, more = append(undo, f), true
				}
			}
		}
		if !more {
			break
		}
	}
	return now, builds, restore
}

// mostUnreadable bounds the levels of unreadable folders in each other that are looked into. What is deeper is
// moved aside as a whole.
const mostUnreadable = 64

// judge says why something new acts, "" if it does not.
func (g *Guard) judge(p sandbox.Policy, path string, t sandbox.Trace, now sandbox.Traces, by string) string {
	switch t.Kind {
	case sandbox.Named, sandbox.End:
		return "programs start what it names without being told to"
	case sandbox.Unseen:
		return "it is nested too deeply, holds too much, or cannot be read, so nobody can see what is in it"
	case sandbox.Repository:
		return g.opts.Runs(path)
	case sandbox.Way:
		if p.Acts(path) {
			return "it is a link to files from which programs start something"
		}
	case sandbox.Steps:
		return g.unexpected(path, by)
	case sandbox.OfGit:
		git := path[:strings.LastIndex(path, string(filepath.Separator)+".git"+string(filepath.Separator))] + string(filepath.Separator) + ".git"
		_, isNew := g.harmless[git]
		if before, there := g.seen[git]; isNew || !there || before != now[git] {
			return "" // the repository is judged as a whole
		}
		if filepath.Base(path) == "config" {
			return g.opts.Runs(git)
		}
		return "git runs programs, or reads files elsewhere, because of it"
	}
	return ""
}

// mostSteps bounds the list of a rebase that is read, in bytes.
const mostSteps = 1 << 20

// unexpected says why the list of what a rebase does next runs a command that no text of a command has had: a
// list has those that were given to the rebase itself. Source: git-rebase(1).
func (g *Guard) unexpected(path, by string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostSteps {
		return "git would do what it says, and it cannot be read"
	}
	text, err := vfs.OS{}.ReadFile(path)
	if err != nil {
		return "git would do what it says, and it cannot be read"
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, mostSteps+1)
	for lines.Scan() {
		command, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if rest = strings.TrimSpace(rest); command != "x" && command != "exec" || g.told[rest] {
			continue
		}
		if !strings.Contains(by, rest) {
			return "git rebase --continue would run: " + rest
		}
		g.told[rest] = true
	}
	return ""
}

// move moves something aside, and adds it to what was found.
func (g *Guard) move(found *Found, path, why, by string) bool {
	digest := digestOf(path)
	aside, err := moveAside(path)
	if err != nil {
		if _, gone := os.Lstat(path); gone == nil {
			found.Left = append(found.Left, path+": "+err.Error()+"; "+why)
		}
		return false
	}
	found.Aside = append(found.Aside, Item{Path: path, Aside: aside, Why: why, By: by, Session: g.opts.Session, Time: time.Now().UTC(), Digest: digest})
	return true
}

// keep notes in the store what was moved aside.
func (g *Guard) keep(items []Item) {
	if len(items) == 0 {
		return
	}
	if err := g.store.add(items); err != nil && g.opts.Logger != nil {
		g.opts.Logger.Error("what was moved aside is not on the list", "err", err)
	}
}
