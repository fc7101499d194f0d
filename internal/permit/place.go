package permit

import (
	"net/netip"
	"slices"
	"strings"
)

// Place is where a command runs.
type Place uint8

const (
	Outside        Place = iota // with all rights of the user; zero, also for requests that are no commands
	InReadOnly                  // in a sandbox that allows reading the allowed folders
	InWorkspace                 // in one that also allows writing in them, but not to .git
	InWorkspaceGit              // in one that also allows writing to .git
)

// String returns the place as the permission prompt shows it.
func (p Place) String() string {
	return [...]string{"OUTSIDE", "read-only", "workspace-write", "workspace-write"}[p]
}

// places are the names of the places for programs, in the order of their values.
var places = [...]string{"outside", "read-only", "workspace", "workspace-git"}

// Name returns the name of the place for programs.
func (p Place) Name() string { return places[p] }

// PlaceNamed is the place with that name; Outside if there is none.
func PlaceNamed(name string) Place { return Place(max(slices.Index(places[:], name), 0)) }

// Sandboxing says which sandboxes work on this machine, and how the session uses them. With
// the zero value there is no sandbox.
type Sandboxing struct {
	// On means that commands run in sandboxes. ReadOnly and Workspace say which of them work
	// here. They have no meaning without On.
	On, ReadOnly, Workspace bool
	// Unread means that the sandbox for reading also holds commands that nobody has read: they
	// are tried there before the user is asked ([Placed.Tries]).
	Unread bool
	// Why is why there is no sandbox, or none for writing, in words for the user.
	Why string
	// Explicit means that commands stay in the sandbox even if everything is allowed
	// ([Rules.All]).
	Explicit bool
	// NoWrites makes the sandbox for reading the only one: nothing may write unless the user
	// allows it to run outside.
	NoWrites bool
	// AutoAllow allows, without asking, the commands that are not known to change anything
	// outside the sandbox.
	AutoAllow bool
	// AllowBypass means that the user can be asked to let a command run outside.
	AllowBypass bool
	// Required denies the commands for which no sandbox works here.
	Required bool
	// Excluded are rules for commands that run outside if an allow rule covers them.
	Excluded []Rule
	// Shown are files and folders that commands in the sandbox can reach in addition to the
	// allowed folders. Hosts are rules for the addresses that they can connect to in addition
	// to those of [Rules].
	Shown []string
	Hosts Rules
}

// Placed is a decision about a request, and where a command runs.
type Placed struct {
	Decision
	// Place is where the command runs if it is allowed. Because is why that is outside, in
	// words for the user. It is empty if the command runs inside, or if everything is allowed
	// and no sandbox was asked for.
	Place   Place
	Because string
	// AsksOutside means that a sandbox works here, and that the command asks to run outside.
	AsksOutside bool
	// NoSandbox means that the user is asked only because no sandbox works here, or it is off.
	NoSandbox bool
	// MustStayInside means that it is denied only because commands have to stay in the sandbox.
	MustStayInside bool
	// AutoAllowable means that the user is asked only because [Sandboxing.AutoAllow] is not set.
	AutoAllowable bool
	// Tries means that nobody knows what the command does, and that it runs in the sandbox for reading
	// for that reason, without a question. The user is asked about a second run if the sandbox
	// has refused something.
	Tries bool
}

// Limit returns the rules that hold with these sandboxes: commands that only read need no
// approval only where a sandbox keeps them from doing more.
func (s Sandboxing) Limit(r Rules) Rules {
	r.ReadOnly = r.ReadOnly && s.On && s.ReadOnly
	return r
}

// DecideIn is [Rules.Decide] for a session with sandboxes. It also decides where a command
// runs. It asks about commands that the rules allow only in a sandbox, if there is none.
func (r Rules) DecideIn(s Sandboxing, q Request) Placed {
	if s.On && r.enforceable() {
		confined := r
		confined.Sandboxed = true
		if p := confined.decideIn(s, q); p.Place != Outside {
			return p
		}
	}
	return r.decideIn(s, q)
}

func (r Rules) decideIn(s Sandboxing, q Request) Placed {
	limited := s.Limit(r)
	p := Placed{Decision: limited.Decide(q)}
	switch {
	case q.Kind == Read:
		return limited.readsOutside(s, q, p)
	case q.Kind != Shell || p.Verdict == Deny || q.Command.Input:
		return p
	case q.Bypass != "":
		return s.rerunOutside(q)
	}
	if p.Verdict == Ask && !p.Doubt && r.ReadOnly && r.Decide(q).Verdict == Allow {
		p.Why, p.NoSandbox = s.unsafeToRead(), true
	}
	if !s.On {
		p.Because = s.Why
		return p
	}
	return limited.tried(s, q, limited.place(s, q, p))
}

// rerunOutside decides about a command that has failed in the sandbox and would run a second time,
// outside: only the user can allow that.
func (s Sandboxing) rerunOutside(q Request) Placed {
	if !s.AllowBypass {
		return Placed{MustStayInside: true, Decision: Decision{Verdict: Deny, Why: "denied because commands may not leave the sandbox"}}
	}
	return Placed{Decision: Decision{Why: q.Bypass, Doubt: true}, Because: q.Bypass, AsksOutside: true}
}

// why is why there is no sandbox for a command.
func (s Sandboxing) why() string {
	if s.Why == "" {
		return "there is no sandbox"
	}
	return s.Why
}

// UnsafeToRead begins the reason to ask about a command that would need no approval in a
// sandbox. Why there is none follows.
const UnsafeToRead = "commands that only read need no approval in a sandbox, but "

func (s Sandboxing) unsafeToRead() string { return UnsafeToRead + s.why() }

// place decides where a command runs that is not denied, in a session whose sandbox is on.
func (r Rules) place(s Sandboxing, q Request, p Placed) Placed {
	everything := r.All && p.Verdict == Allow
	works := s.Workspace
	if s.NoWrites {
		works = s.ReadOnly
	}
	switch {
	case everything && !s.Explicit && !s.Required:
		return p
	case (p.Verdict == Ask || r.allows(q)) && s.excludes(q.Command, r):
		p.Because = r.excluded(q.Command)
		return p
	case q.Command.Detached && (works || !r.allows(q)):
		return s.detached(p)
	case s.ReadOnly && !q.Command.Detached && r.onlyReads(q.Command):
		p.Place = InReadOnly
		if _, asks := r.asksByName(s, q.Command); r.ReadOnly && p.Verdict == Ask && !p.Doubt && !asks {
			p.Decision = Decision{Verdict: Allow, Why: "it only reads, and only in the allowed folders and in those of the system"}
		}
		return p
	case !works:
		return r.bare(s, q, p)
	case p.Verdict == Allow:
		if why := q.Command.needsFromOutside(); why != "" && !everything && s.AllowBypass {
			p.Decision, p.Because, p.AsksOutside = ask(why), why, true
			return p
		}
		p.Place = s.writes(r.gitPlace(q.Command, everything))
		return p
	}
	return r.asked(s, q.Command, p)
}

// allows reports whether the rules allow a request without those for commands that only read.
func (r Rules) allows(q Request) bool {
	r.ReadOnly = false
	return r.Decide(q).Verdict == Allow
}

// writes returns the place of a command that may write.
func (s Sandboxing) writes(p Place) Place {
	if s.NoWrites {
		return InReadOnly
	}
	return p
}

// MustBeInside is why a command is denied for which no sandbox works, as the reason of the decision says it.
const MustBeInside = "commands must run in a sandbox here"

// bare decides about a command for which no sandbox works here.
func (r Rules) bare(s Sandboxing, q Request, p Placed) Placed {
	p.Because = s.why()
	switch {
	case s.Required:
		p.MustStayInside, p.Decision = true, Decision{Verdict: Deny, Why: "denied because " + MustBeInside + ", and " + s.why()}
	case p.Verdict == Allow && r.All:
		p.Decision, p.NoSandbox = ask("everything is allowed in the sandbox, but "+s.why()), true
	case p.Verdict == Allow && !r.allows(q):
		p.Decision, p.NoSandbox = ask(s.unsafeToRead()), true
	}
	return p
}

// detached decides about a command that outlives the session. The model chooses that, so a
// rule for the command does not let it leave the sandbox.
func (s Sandboxing) detached(p Placed) Placed {
	const why = "it is to outlive the session, and so cannot run in the sandbox"
	p.Because, p.AsksOutside = why, true
	switch {
	case !s.AllowBypass:
		p.MustStayInside, p.Decision = true, Decision{Verdict: Deny, Why: "denied because " + why}
	case p.Verdict == Allow:
		p.Decision = ask(why)
	}
	return p
}

// asked decides where a command runs that the user is asked about, and whether the question
// is needed.
func (r Rules) asked(s Sandboxing, c Command, p Placed) Placed {
	if leaves := r.leaves(s, c); leaves != "" {
		if s.AllowBypass {
			p.Because, p.AsksOutside = leaves, true
		} else {
			p.Place = s.writes(r.gitPlace(c, true))
		}
		return p
	}
	p.Place = s.writes(r.gitPlace(c, true))
	if p.Doubt {
		return p
	}
	if named, asks := r.asksByName(s, c); asks {
		p.Why = outside(named)
		return p
	}
	if p.Place == InWorkspaceGit && !r.commits(c) {
		if s.AutoAllow { // otherwise, the decision has the reason
			p.Why = "it may change .git in a way that cannot be taken back"
		}
		return p
	}
	if s.AutoAllow {
		p.Decision = Decision{Verdict: Allow, Why: "it runs in the sandbox, and no effect outside is known"}
		return p
	}
	p.AutoAllowable = true
	return p
}

// onlyReads reports whether a clear command only reads, and only in the allowed folders and in
// those of the system, which a sandbox shows without their secrets.
func (r Rules) onlyReads(c Command) bool {
	elsewhere := func(p Path) bool { return !inSystem(p.Real) }
	return c.Unclear == "" && len(c.Programs) > 0 && !c.Redirects && !slices.ContainsFunc(r.outsidePaths(c), elsewhere) &&
		!slices.ContainsFunc(c.Programs, func(p Program) bool { return !p.ReadOnly })
}

// excludes reports whether the rules that exclude commands from the sandbox name every
// program of a command. Programs that only read count, too, because they would also run
// outside; cd is the only one that needs no rule.
func (s Sandboxing) excludes(c Command, r Rules) bool {
	if len(s.Excluded) == 0 || c.Unclear != "" || len(c.Programs) == 0 {
		return false
	}
	r.Allow = s.Excluded
	for _, p := range c.Programs {
		rule, ok := r.runs(p)
		if p.Name != "cd" && (!ok || rule.Argument != "" && r.otherProgram(c, p)) {
			return false
		}
	}
	return true
}

// excluded is why a command runs outside that rules exclude from the sandbox, in words for the
// user. A protected file comes first, because it is the reason to ask.
func (r Rules) excluded(c Command) string {
	const why = "a rule excludes it from the sandbox"
	if i := slices.IndexFunc(c.Paths, r.runsPrograms); i >= 0 {
		return protected(c.Paths[i]) + "; " + why
	}
	return why
}

// protected is the reason to ask about a file from which programs start something.
func protected(p Path) string {
	return p.Name + " can make programs run by themselves, and is protected"
}

// leaves returns the effect of a command that the sandbox for it would refuse, in words for
// the user; "" if none is known.
func (r Rules) leaves(s Sandboxing, c Command) string {
	for _, p := range c.Paths {
		switch {
		case !slices.ContainsFunc(slices.Concat(r.Folders.Reachable(), s.Shown, systemFolders, privateFolders), func(dir string) bool { return within(dir, p.Real) }):
			return outside(p)
		case r.runsPrograms(p):
			return protected(p)
		}
	}
	for _, u := range c.URLs {
		if r.address(u).Verdict != Allow && s.Hosts.address(u).Verdict != Allow && !isLoopback(u) {
			return "it names " + u
		}
	}
	if why := c.needsFromOutside(); why != "" {
		return why
	}
	for _, p := range c.Programs {
		if needsOf(p) == network && len(c.URLs) == 0 && len(s.Hosts.Allow) == 0 {
			return p.Name + " needs the network"
		}
	}
	if s.NoWrites && (c.Redirects || r.gitPlace(c, true) == InWorkspaceGit) {
		return "it writes, and the sandbox is read-only"
	}
	return ""
}

// needsFromOutside returns what a command needs that no rule gives to a sandbox, in words for the user; ""
// if nothing is known.
func (c Command) needsFromOutside() string {
	for _, p := range slices.Concat(c.Programs, c.Besides) {
		if needs := needsOf(p); needs != "" && needs != network {
			return p.Name + " needs " + needs
		}
	}
	return ""
}

// isLoopback reports whether an address is one of the machine itself. In a sandbox, that is
// the sandbox, where the servers of the session run.
func isLoopback(address string) bool {
	all := endpointsOf(address)
	return len(all) > 0 && !slices.ContainsFunc(all, func(e endpoint) bool {
		ip, err := netip.ParseAddr(e.host)
		return e.scheme != "http" && e.scheme != "https" || e.host != "localhost" && (err != nil || !ip.IsLoopback())
	})
}

// gitPlace returns [InWorkspaceGit] if git commands of a command write. Unless the command is
// trusted, because the user sees it or allows everything, the other programs must be ones that
// only read: in that sandbox they may write to .git, too.
func (r Rules) gitPlace(c Command, trusted bool) Place {
	git := false
	for _, p := range c.Programs {
		switch words := strings.Fields(p.Name); {
		case len(words) == 0:
		case words[0] == "git":
			git = git || !p.ReadOnly
		case !trusted && !p.ReadOnly:
			return InWorkspace
		}
	}
	if git {
		return InWorkspaceGit
	}
	return InWorkspace
}

// commits reports whether a command changes repositories only in ways that can be taken back,
// and whether everything that it runs is known and may write to .git.
func (r Rules) commits(c Command) bool {
	return !c.Hidden && r.gitPlace(c, false) == InWorkspaceGit && !slices.ContainsFunc(c.Programs, func(p Program) bool {
		return strings.HasPrefix(p.Name, "git ") && !p.ReadOnly && discards(p)
	})
}

// Reachable returns the folders that commands in a sandbox can reach, besides those of the
// system. If every folder is allowed, these are the folders that hold files of users.
func (f Folders) Reachable() []string {
	all := f.All()
	if f.Anywhere {
		all = append(all, "/home", "/root", "/srv", "/mnt", "/media", "/opt")
	}
	return all
}
