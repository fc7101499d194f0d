package quarantine

import (
	"bufio"
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// look compares what there is with what there was, and moves aside what acts, if it is the model's.
func (g *Guard) look(p sandbox.Policy, by string) (found Found) {
	for _, folder := range g.served {
		if rootOf(slices.Concat(p.Folders, p.Write), folder) == "" {
			p.Write = append(slices.Clone(p.Write), folder)
		}
	}
	folders := slices.Concat(p.Folders, p.Write)
	g.live = g.live || g.serving()
	now, builds, restore := g.lookInside(p)
	defer restore()
	killed := g.store.orphaned(folders, g.roots)
	defer killed.looked()
	moved := map[string]bool{}
	g.remember(now, folders, killed)
	for _, path := range inOrder(now) {
		seen := g.seen
		suspect := (g.live || g.stuck[path]) && !(now[path].Kind == sandbox.End && moved[now[path].Link])
		if root := rootOf(folders, path); len(g.roots) == 0 || root != "" && !slices.Contains(g.roots, root) { // the first look there
			seen, suspect = killed.seen[root]
		}
		before, there := seen[path]
		trace := now[path]
		_, again := g.harmless[path]
		if !suspect || there && before == trace && !again || g.accepted[path] || wasUnseen(seen, path) || g.isOwn(path, trace) {
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
		target := armed(path)
		if g.store.allows(target) {
			continue
		}
		delete(now, path)
		if !g.move(&found, path, target, why, by) {
			continue
		}
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

// remember notes what has a protected name in folders that nobody has looked at before, while no command runs and where
// none was killed.
func (g *Guard) remember(now sandbox.Traces, folders []string, killed orphans) {
	for path, trace := range now {
		root := rootOf(folders, path)
		if killed.seen[root] == nil && trace.Kind == sandbox.Named && !g.live && root != "" && !slices.Contains(g.roots, root) && len(g.own) < mostOwn {
			if digest := ownDigest(path); digest != "" {
				g.own[path] = digest
			}
		}
	}
}

// isOwn reports whether something is as the user had it before the first command: the user's git can have removed it
// and made it again, by a change of branches and back.
func (g *Guard) isOwn(path string, t sandbox.Trace) bool {
	return t.Kind == sandbox.Named && g.own[path] != "" && ownDigest(path) == g.own[path]
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
// them their modes back. It does not look into folders whose content the system makes, whoever has named them: in /proc
// are the folders of every process, and what changes there is not the model's.
func (g *Guard) lookInside(p sandbox.Policy) (now sandbox.Traces, builds map[string]sandbox.Stamp, restore func()) {
	var undo []func()
	restore = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	p.Folders, p.Write = slices.DeleteFunc(slices.Clone(p.Folders), permit.OfKernel), slices.DeleteFunc(slices.Clone(p.Write), permit.OfKernel)
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

// mostUnreadable bounds how many unreadable folders inside each other a look opens. The next one is moved aside as a
// whole.
const mostUnreadable = 64

// judge says why something new acts, "" if it does not.
func (g *Guard) judge(p sandbox.Policy, path string, t sandbox.Trace, now sandbox.Traces, by string) string {
	switch t.Kind {
	case sandbox.Named, sandbox.End:
		return "programs start what it names without being told to"
	case sandbox.Unseen:
		return "it is nested too deeply, holds too much, or cannot be read, so nobody can see what is in it"
	case sandbox.Astray:
		return "it is a link to folders of the sandbox, or of processes, in which nobody looks"
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

// move renames target, the part of a path that acts, and adds it to what was found. If the rename fails, the user is told
// once, and each later look tries again.
func (g *Guard) move(found *Found, path, target, why, by string) bool {
	digest := digestOf(target)
	aside, err := g.aside(target)
	if err != nil {
		if _, gone := os.Lstat(target); gone == nil && !g.stuck[path] {
			g.stuck[path] = true
			found.Left = append(found.Left, target+": "+err.Error()+"; "+why)
		}
		return false
	}
	delete(g.stuck, path)
	found.Aside = append(found.Aside, Item{Path: target, Aside: aside, Why: why, By: by, Session: g.opts.Session, Time: time.Now().UTC(), Digest: digest})
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
