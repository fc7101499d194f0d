package permit

import (
	"path"
	"slices"
	"strings"
)

// Tried begins the reason of a request for a command that was tried before the question and was refused something.
const Tried = "it was tried in the sandbox that only reads"

// tried lets a command run in the sandbox for reading instead of asking about it, if nothing is known
// of it that this sandbox would refuse, and says of a command that comes back from there why it
// asks again. p is the decision without that.
func (r Rules) tried(s Sandboxing, q Request, p Placed) Placed {
	switch {
	case q.Again != "" && s.NoWrites:
		return s.rerunOutside(Request{Bypass: q.Again})
	case q.Again != "" && p.Verdict != Deny: // the rules may have changed, but nothing runs twice without a yes
		p.Verdict, p.Why, p.Rule = Ask, q.Again, Rule{}
	case q.Again == "" && r.tries(s, q, p):
		return Placed{
			Decision: Decision{Verdict: Allow, Why: "it runs in the sandbox that only reads, because nothing that it does is known to need more"},
			Place:    InReadOnly, Tries: true,
		}
	}
	return p
}

// tries reports whether a command that the user would be asked about runs in the sandbox for reading first.
func (r Rules) tries(s Sandboxing, q Request, p Placed) bool {
	c := q.Command
	switch {
	case !s.Unread || !s.ReadOnly || !r.ReadOnly || q.NoTry: // no such sandbox, or a session in which every command asks
		return false
	case p.Verdict != Ask || p.Doubt: // a deny rule or the policy of the host may be meant
		return false
	case r.doubtsOutside(q): // also about what a sandbox enforces
		return false
	case len(c.Programs) == 0 || c.Detached || c.Stays || c.Suspect:
		return false
	case r.leavesTrial(s, c) || c.Redirects:
		return false
	}
	return !slices.ContainsFunc(slices.Concat(c.Programs, c.Besides), func(p Program) bool {
		return needsOf(p) != "" || writes(p) || machineWide(p)
	})
}

// doubtsOutside reports whether a deny rule may match a request, if no sandbox enforced it.
func (r Rules) doubtsOutside(q Request) bool {
	r.Sandboxed = false
	return r.Decide(q).Doubt
}

// leavesTrial reports whether a command names something about which the user is asked before anything
// runs: a path outside the allowed folders, a protected file, an address.
func (r Rules) leavesTrial(s Sandboxing, c Command) bool {
	if _, asks := r.asksByName(s, c); asks || len(c.URLs) > 0 {
		return true
	}
	shown := func(p Path) bool {
		return inSystem(p.Real) || slices.ContainsFunc(s.Shown, func(dir string) bool { return within(dir, p.Real) })
	}
	return slices.ContainsFunc(r.outsidePaths(c), func(p Path) bool { return !shown(p) }) || slices.ContainsFunc(slices.Concat(c.Paths, c.Words), r.runsPrograms)
}

// writes reports whether a program is known to write, so that the sandbox for reading would only refuse it.
func writes(p Program) bool {
	if len(p.Words) == 0 {
		return false
	}
	name, words := path.Base(p.Words[0]), p.Words[1:]
	if strings.HasPrefix(name, "git") {
		return !p.ReadOnly && !slices.ContainsFunc(strings.Fields(gitReaders), func(sub string) bool { return p.Name == "git "+sub })
	}
	for n := min(len(words), 3); n >= 0; n-- {
		use, known := writers.Get()[strings.Join(append([]string{name}, words[:n]...), " ")]
		if known && use.of(words[n:]) {
			return true
		}
	}
	return false
}

// gitReaders are git commands that change nothing in a repository, also where their arguments are not known.
const gitReaders = "annotate blame cat-file check-ignore count-objects describe diff diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status var version whatchanged"

// use is when a program of the table [writers] writes: always, or with one of some options, or unless one
// of some options is given.
type use struct{ with, without []string }

func (u use) of(words []string) bool {
	has := func(options []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(options, func(o string) bool {
				name, _, _ := strings.Cut(w, "=")
				short := len(o) == 2 && o[0] == '-' && len(w) > 1 && w[0] == '-' && w[1] != '-'
				return name == o || short && strings.Contains(w, o[1:])
			})
		})
	}
	switch {
	case len(u.with) > 0:
		return has(u.with)
	case len(u.without) > 0:
		return !has(u.without)
	}
	return true
}

// machineWide reports whether a program looks at processes or at connections, or acts on them. Those of the other
// sandboxes do not exist in the sandbox for reading, so its answer would look right and be wrong.
func machineWide(p Program) bool {
	if len(p.Words) == 0 {
		return false
	}
	return slices.Contains(strings.Fields(`ps pgrep pkill pidof kill killall killall5 skill top htop lsof fuser ss netstat pstree jobs fg bg wait disown xkill renice taskset prlimit`), path.Base(p.Words[0]))
}
