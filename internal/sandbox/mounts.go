package sandbox

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// access is what a sandbox may do with a file or folder and everything below it.
type access uint8

const (
	hidden   access = iota // it looks empty
	readable               // read and run
	writable               // also change
)

// mount gives access to a path. The longest path that holds a file decides about it.
type mount struct {
	path   string // in the sandbox
	from   string // on the machine; empty: the same path
	access access
	// pinned means that it cannot be moved away, which would let commands put something else
	// in its place: it is a mount of its own also in a folder with the same access.
	pinned bool
	// own means that it is visible although the folder that holds it is hidden.
	own bool
	// sealed means that no file of the machine below it gets more access.
	sealed bool
	// pin means that it is mounted only because it is pinned: it gets the access of the mount
	// that holds it.
	pin bool
}

// source is the path on the machine.
func (m mount) source() string { return cmp.Or(m.from, m.path) }

// inOrder sorts mounts so that a folder comes before what is in it, and removes those that
// change nothing. Of two mounts at one path the stricter one counts, but a private folder
// replaces what the machine has there.
func inOrder(mounts []mount) []mount {
	slices.SortStableFunc(mounts, func(a, b mount) int {
		return cmp.Or(cmp.Compare(a.path, b.path), -cmp.Compare(a.from, b.from), cmp.Compare(a.access, b.access), cmp.Compare(a.rank(), b.rank()))
	})
	var kept []mount
	for _, m := range mounts {
		above, ok := holder(kept, m.path)
		m = m.below(above)
		switch {
		case !ok && m.access == hidden:
			continue // it is not visible anyway
		case ok && above.access == hidden && m.from == "" && !m.own:
			continue // a protected file in a hidden folder would become visible
		}
		if ok && m.from == "" && (above.path == m.path || above.access == m.access && above.from == "" && !m.pinned) {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// rank orders mounts at one path that have the same access: the first one decides.
func (m mount) rank() int {
	switch {
	case m.sealed:
		return 0
	case m.pin:
		return 2
	}
	return 1
}

// below returns the mount with the access that it can have below the one that holds it.
func (m mount) below(above mount) mount {
	if m.pin || above.sealed && m.from == "" && !m.own && m.access > above.access {
		m.access = above.access
	}
	m.sealed = m.sealed || above.sealed
	return m
}

// holder returns the mount that decides about a path.
func holder(mounts []mount, path string) (mount, bool) {
	found, ok := mount{}, false
	for _, m := range mounts {
		if within(m.path, path) && (!ok || len(m.path) >= len(found.path)) {
			found, ok = m, true
		}
	}
	return found, ok
}

// within reports whether path is folder or below it. Both are absolute and clean.
func within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// bwrapArgs returns the arguments of bwrap for mounts in order, up to the program to run.
// links are symbolic links at the root, such as /bin. Every option exists in version 0.8.0.
func bwrapArgs(mounts []mount, links map[string]string, isFolder func(string) bool) []string {
	args := []string{
		"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--cap-drop", "ALL", "--dev", "/dev",
		// Root may write the settings of the kernel without any capability, and one of them
		// names a program that the kernel runs. Read-only, so is the memory of bwrap itself,
		// which has no filter of system calls.
		"--proc", "/proc", "--remount-ro", "/proc",
	}
	for _, from := range slices.Sorted(maps.Keys(links)) {
		args = append(args, "--symlink", links[from], from)
	}
	var sealed []string // at the end, because mounts below them need a place
	for _, m := range mounts {
		switch {
		case m.access == writable:
			args = append(args, "--bind", m.source(), m.path)
		case m.access == readable:
			args = append(args, "--ro-bind", m.source(), m.path)
		case isFolder(m.path):
			args = append(args, "--tmpfs", m.path)
			sealed = append(sealed, "--remount-ro", m.path)
		default:
			args = append(args, "--ro-bind", "/dev/null", m.path) // opening it is refused: the mount has no devices
		}
	}
	return slices.Concat(args, sealed, []string{"--remount-ro", "/", "--chdir", "/"})
}

// clean returns the absolute, clean, distinct paths of a list, in order.
func clean(paths []string) []string {
	var all []string
	for _, p := range paths {
		if filepath.IsAbs(p) {
			all = append(all, filepath.Clean(p))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
