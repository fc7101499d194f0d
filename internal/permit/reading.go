package permit

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// systemFolders are folders of the system that every sandbox shows, to be read.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc"}

// settingsFolders are those of them in which services and users have settings, some of them with
// passwords and keys that no list knows. Programs read what they need there, but a call that names
// something in them asks. /usr/home has home folders on some systems.
var settingsFolders = []string{"/etc", "/usr/local/etc", "/opt", "/usr/home"}

// ReadsUnasked reports whether the user need not be asked about reading a path outside the allowed
// folders. It is the only place that decides this, for commands and for file tools alike: a rule
// names the path, or it is in a folder of the system and not in one of settingsFolders. It counts where
// the path leads. below means that what is below the path is read as well.
//
// It holds only where a sandbox for reading works, and if [Rules.ReadOnly] is set: then a command
// can read the path by other ways, too.
func (r Rules) ReadsUnasked(p Path, below bool) bool {
	if _, named := r.naming(Read, p); named {
		return true
	}
	if r.State != "" && (within(r.State, p.Real) || below && within(p.Real, r.State)) {
		return false
	}
	return inSystem(p.Real) && !slices.ContainsFunc(settingsFolders, func(dir string) bool {
		return mayMatch(strings.ToLower(p.Real), elementsOf(dir), below) // the path of a command may hold patterns
	})
}

// inSystem reports whether a path is in one of the folders of the system.
func inSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return within(dir, path) })
}

// asksByName returns the first path of a command in the folders of the system that
// [Rules.ReadsUnasked] asks about, unless the settings of the sandbox show it.
func (r Rules) asksByName(s Sandboxing, c Command) (Path, bool) {
	asks := func(p Path, below bool) bool {
		shown := slices.ContainsFunc(s.Shown, func(dir string) bool { return within(dir, p.Real) })
		return inSystem(p.Real) && !shown && !r.Folders.Contains(p.Real) && !r.ReadsUnasked(p, below)
	}
	for _, p := range c.Paths {
		if asks(p, false) {
			return p, true
		}
	}
	for _, program := range c.Programs {
		for _, p := range program.Below {
			if asks(p, true) {
				return p, true
			}
		}
	}
	return Path{}, false
}

// readsOutside decides about a file tool that reads outside the allowed folders.
func (r Rules) readsOutside(s Sandboxing, q Request, p Placed) Placed {
	below := fact.Of(q.Tool).Does != fact.Read // a search goes through the folder
	if p.Verdict == Ask && !p.Doubt && len(p.Outside) > 0 && r.ReadOnly && s.On && s.ReadOnly && r.ReadsUnasked(q.Path, below) {
		p.Decision = Decision{Verdict: Allow, Why: "it only reads, and only in the folders of the system"}
	}
	return p
}
