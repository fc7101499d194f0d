package sandbox

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits of a look at the allowed folders. What a limit leaves unseen is covered as a whole: it
// cannot be written. Source: a repository of 100,000 files has some 10,000 folders and is at most
// 20 levels deep, and its node_modules can have ten times as many; reading a million entries takes about
// two seconds, once in a session.
const (
	protectedDepth   = 1000             // no path is deeper that a program opens by its name: 4,096 bytes
	protectedEntries = 2_000_000        // in all allowed folders
	protectedTime    = 20 * time.Second // of one look
)

// memory is what the looks at the allowed folders of a session have seen. A later look reads only
// the folders whose entries have changed since. The zero value has seen nothing.
// Safe for concurrent use.
type memory struct {
	mu    sync.Mutex // guards the rest; held during a look
	names string     // the protected names of the latest look
	seen  map[string]*folder
	local map[uint64]bool // by device, see keepsTimes; guarded by devices
	watch *watcher        // of the folders in seen; nil: there is none
	rooms []string        // the private folders of sandboxes, which commands can write and nobody looks into
	// limits of a look; 0: those above. Tests change them.
	depth, entries int

	devices sync.Mutex
}

// folder is a folder as it was when it was read the last time.
type folder struct {
	path    string
	state   stamp
	sure    bool // a change of its entries since would show in the state
	known   bool // the first look has seen it
	watched bool // a change of its entries makes it changed; guarded by the watcher during a read
	changed bool
	check   bool // another folder may have its path by now
	err     error
	more    bool // it has more entries than may be read
	modules bool // it is node_modules, or in one
	git     bool // it has what git looks for in the folder of a repository: HEAD, objects and refs
	entries int
	found   []string  // the protected names in it, and .git
	inside  []string  // the protected names in it, in node_modules
	links   []link    // with protected names
	astray  []link    // others, that lead to the private folders of sandboxes, or that each process follows elsewhere
	builds  []string  // what builds, tests and agents obey
	below   []*folder // in order of their names
}

// link is a symbolic link that has a protected name, or the beginning of one.
type link struct{ path, to string }

// sight is what a look has seen.
type sight struct {
	inModules []string // what has a protected name in node_modules, where no sandbox covers it
	found     []string // files and folders with protected names, and .git of nested repositories
	bare      []string // folders that git takes for the folder of a repository, without that name
	links     []link
	astray    []link
	builds    []string // files that builds, tests and agents obey
	unseen    []string // folders that a limit, or an error, has kept it from looking into
}

// stamp is the state of a folder: another one, or one with other entries, has another stamp.
type stamp struct {
	device, inode uint64
	changed       int64 // when, in nanoseconds since 1970; programs cannot set it
}

// unsure is how long after its last change a folder is read again at each look, because a further
// change may have the same time. Source: the coarsest clocks of local file systems, ext3 and
// ext4 with small inodes, have one second.
const unsure = 2 * time.Second

// look looks for the protected names in the allowed folders, and for repositories of git.
// It looks at the tops of the folders first. Where a limit is reached, what the first look has seen
// comes before what is new.
func (m *memory) look(p Policy) sight {
	m.mu.Lock()
	defer m.mu.Unlock()
	if names := strings.Join(p.ProtectNames, "\x00"); m.seen == nil || names != m.names {
		m.watch.close()
		m.names, m.seen, m.local, m.watch = names, map[string]*folder{}, map[uint64]bool{}, newWatcher()
	}
	s := search{memory: m, whole: m.watch.drain(), names: p.patterns(), left: cmp.Or(m.entries, protectedEntries), start: time.Now()}
	for _, root := range p.allowed() {
		top := m.seen[root]
		s.root, s.first = root, top == nil
		if s.first {
			top = &folder{path: root, known: true}
			m.seen[root] = top
		}
		s.walk(top, cmp.Or(m.depth, protectedDepth))
	}
	return s.sight
}

// search is one look.
type search struct {
	memory *memory
	names  patterns
	root   string
	first  bool // nobody has looked at the root before
	left   int  // entries
	whole  bool // the watcher knows of every change
	start  time.Time
	sight
}

// atOnce is how many folders are read before the limits are compared again.
const atOnce = 2048

// walk looks at a folder and what is below it, level by level: first at what the first look has
// seen, then at what is new.
func (s *search) walk(top *folder, depth int) {
	others := make([][]*folder, depth+1) // the new folders, by the levels that are left below them
	level := []*folder{top}
	for left := depth; left > 0; left-- {
		level, others[left-1] = s.step(level, left, top)
	}
	s.leave(level)
	level = nil
	for left := depth; left >= 0; left-- {
		known, more := s.step(append(level, others[left]...), left, top)
		level = append(known, more...)
	}
}

// step looks into the folders of a level, and returns the folders in them, of which others are new.
// left is how many levels may be looked at.
func (s *search) step(level []*folder, left int, top *folder) (known, others []*folder) {
	if left == 0 {
		s.leave(level)
		return nil, nil
	}
	for part := range slices.Chunk(level, atOnce) {
		// What the first look has seen, a later look sees as well, however slow the machine has become.
		if s.left < 0 || (s.first || !part[0].known) && time.Since(s.start) > protectedTime {
			s.leave(part)
			continue
		}
		s.read(part)
		for _, f := range part {
			switch {
			case errors.Is(f.err, fs.ErrNotExist), errors.Is(f.err, syscall.ENOTDIR), errors.Is(f.err, syscall.ELOOP):
				continue // it is gone, or is no folder
			case f.err != nil, f.more:
				s.leave([]*folder{f}) // the others are looked at all the same
				continue
			}
			if s.left -= f.entries; s.left < 0 && f != top { // the top is read whole
				s.leave([]*folder{f})
				continue
			}
			s.found = append(s.found, f.found...)
			s.inModules = append(s.inModules, f.inside...)
			s.links = append(s.links, f.links...)
			s.astray = append(s.astray, f.astray...)
			s.builds = append(s.builds, f.builds...)
			if f.git {
				s.bare = append(s.bare, f.path)
			}
			for _, b := range f.below {
				if b.known {
					known = append(known, b)
				} else {
					others = append(others, b)
				}
			}
		}
	}
	return known, others
}

// leave notes folders that are not looked into.
func (s *search) leave(level []*folder) {
	for _, f := range level {
		s.unseen = append(s.unseen, f.path)
	}
}

// read reads those of some folders that may have changed, with all processors.
func (s *search) read(part []*folder) {
	now, most := time.Now(), max(s.left, 0)
	if part[0].path == s.root {
		most = math.MaxInt
	}
	workers := min(runtime.GOMAXPROCS(0), 1+len(part)/64)
	var all sync.WaitGroup
	for i := range workers {
		mine := part[i*len(part)/workers : (i+1)*len(part)/workers]
		work := func() {
			for _, f := range mine {
				if s.stale(f) {
					s.reread(f, now, most)
				}
			}
		}
		if i == workers-1 {
			work()
		} else {
			all.Go(work)
		}
	}
	all.Wait()
}

// stale reports whether a folder has to be read again.
func (s *search) stale(f *folder) bool {
	watched := f.watched && s.whole
	switch {
	case watched && f.changed:
		return true
	case watched && !f.check && f.path != s.root: // what is above the root is not watched
		return false
	}
	f.check = false
	state, ok := stampOf(f.path)
	return !ok || state != f.state || !watched && !f.sure
}

// reread reads a folder, at most so many entries and one more. now is before that.
func (s *search) reread(f *folder, now time.Time, most int) {
	before := map[string]*folder{}
	for _, b := range f.below {
		b.check = true
		before[b.path] = b
	}
	*f = folder{path: f.path, known: f.known, modules: f.modules}
	opened, state, err := openFolder(f.path)
	if err != nil {
		f.err = err
		return
	}
	defer opened.Close()
	f.state = state
	watched := s.memory.keeps(state.device, f.path) && s.memory.watch.add(f, opened)
	var git gitShape
	for f.err == nil {
		var entries []fs.DirEntry
		entries, f.err = opened.ReadDir(4096)
		for _, e := range entries {
			if f.entries++; f.entries > most {
				f.more = true
				return
			}
			git.note(e.Name())
			s.entry(f, e, before)
		}
	}
	if errors.Is(f.err, io.EOF) {
		f.err = nil
	}
	f.git = git.whole()
	slices.Sort(f.found)
	slices.SortFunc(f.below, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	f.sure = f.err == nil && state.changed < now.Add(-unsure).UnixNano() && s.memory.keeps(state.device, f.path)
	f.watched = watched && f.err == nil
}

// entry notes an entry of a folder.
func (s *search) entry(f *folder, e fs.DirEntry, before map[string]*folder) {
	name := e.Name()
	isLink := e.Type()&fs.ModeSymlink != 0
	git := strings.EqualFold(name, ".git") && (f.path != s.root || !e.IsDir()) // the one at the top is mounted as such; see repository
	match := s.names.mayMatch(name, isLink) && s.names.match(strings.TrimPrefix(filepath.Join(f.path, name)[len(s.root):], "/"), isLink)
	switch {
	case isLink && (git || match):
		path := filepath.Join(f.path, name)
		to, err := os.Readlink(path)
		if err == nil { // otherwise it has just been removed
			f.links = append(f.links, link{path, to})
		}
	case isLink: // its end is protected or not by itself, unless nobody looks there
		path := filepath.Join(f.path, name)
		if to, err := os.Readlink(path); err == nil && s.memory.leadsAstray(path, to) {
			f.astray = append(f.astray, link{path, to})
		}
	case match && f.modules && !git:
		f.inside = append(f.inside, filepath.Join(f.path, name))
	case git, match:
		f.found = append(f.found, filepath.Join(f.path, name))
	case !f.modules && buildNames.Get()[strings.ToLower(name)] && !e.IsDir():
		f.builds = append(f.builds, filepath.Join(f.path, name))
	case e.IsDir() && !strings.EqualFold(name, ".git"):
		path := filepath.Join(f.path, name)
		b := before[path]
		if b == nil {
			b = &folder{path: path, known: s.first, modules: f.modules || name == "node_modules"}
		}
		f.below = append(f.below, b)
	}
}

// leadsAstray reports whether a link leads to the private folders of sandboxes, to a folder that they are in, or to the
// folders of processes. What a command writes there is not looked at, and the link gives it another place.
func (m *memory) leadsAstray(path, to string) bool {
	if ofProcess(path, to) {
		return true
	}
	if len(m.rooms) == 0 || !filepath.IsAbs(to) && !strings.Contains(to, "..") && !strings.Contains(to, "/") {
		return false // a neighbour, which is judged by itself
	}
	end := realEnd(path)
	return slices.ContainsFunc(m.rooms, func(room string) bool { return within(room, end) || within(end, room) })
}

// ofProcess reports whether a link leads to the folder of a process in /proc. Source: proc(5).
func ofProcess(path, to string) bool {
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	rest, in := strings.CutPrefix(filepath.Clean(to), "/proc/")
	process, _, _ := strings.Cut(rest, "/")
	return in && (process == "self" || process == "thread-self" || strings.Trim(process, "0123456789") == "")
}

// gitShape is which of the names that git looks for in a folder have been seen. Source: setup.c of git 2.50,
// is_git_directory.
type gitShape struct{ head, objects, refs, common bool }

func (g *gitShape) note(name string) {
	switch {
	case len(name) > len("commondir"):
	case strings.EqualFold(name, "HEAD"):
		g.head = true
	case strings.EqualFold(name, "objects"):
		g.objects = true
	case strings.EqualFold(name, "refs"):
		g.refs = true
	case strings.EqualFold(name, "commondir"):
		g.common = true
	}
}

func (g *gitShape) whole() bool { return g.head && (g.objects && g.refs || g.common) }

// close ends what the looks need beside memory. A further look works, and asks each folder for its state.
func (m *memory) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watch.close()
	m.watch, m.seen = nil, nil
}

// keeps reports whether the file system of a device shows each change of a folder in its times.
func (m *memory) keeps(device uint64, path string) bool {
	m.devices.Lock()
	defer m.devices.Unlock()
	keeps, known := m.local[device]
	if !known {
		keeps = keepsTimes(path)
		m.local[device] = keeps
	}
	return keeps
}
