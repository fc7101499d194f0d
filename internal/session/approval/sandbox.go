package approval

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Sandbox says how the commands of sessions are confined. With the zero value they are not.
type Sandbox struct {
	// Works finds out which sandboxes work on this machine. The first call may take
	// seconds. It is not called while no session has its sandbox on. nil: none works.
	Works func() Works
	// Settings are what a session begins with.
	Settings SandboxSettings
}

// Works says which sandboxes work on a machine.
type Works struct {
	ReadOnly, Workspace bool
	// Unread is that of [permit.Sandboxing].
	Unread bool
	// Backend is what confines commands: "namespaces", "landlock", or "none".
	Backend string
	// Platform is that of this machine: "linux", "macos", "windows" or "other"; "" for "other".
	Platform string
	// Why is why one of them does not work, with the next step; empty if both do. Weaker is
	// set if those that work hide less than they could: how, and the next step.
	Why, Weaker string
}

// SandboxSettings are the settings of one session.
type SandboxSettings struct {
	// Sandboxing has the switches. Its ReadOnly and Workspace are not used; its Why is used
	// if the sandbox is off.
	permit.Sandboxing
	// Read, Write and Deny are files and folders beside the allowed folders, resolved, as in
	// [sandbox.Policy].
	Read, Write, Deny []string
	// Denies are the rules that keep other tools and the text of commands from Deny.
	Denies []permit.Rule
	// KeepDir keeps commands from writing in the primary folder, NoTools keeps the user's
	// toolchains out.
	KeepDir, NoTools bool
	// FreeServers starts MCP servers outside of any sandbox.
	FreeServers bool
	// Locked means that no client can switch the sandbox off. The user at the terminal can,
	// unless Required is set; see staysOn.
	Locked bool
	// Network is where commands may connect to; nil: to the hosts that rules allow.
	Network *sandbox.Network
}

// switcher is one of those that can ask to switch the sandbox off.
type switcher uint8

const (
	aClient switcher = iota // a program that is connected
	theUser                 // at the terminal, who has started this program
)

// staysOn returns why by cannot switch the sandbox off, "" if by can. It is the only place
// that decides this.
func (s SandboxSettings) staysOn(by switcher) string {
	switch {
	case by == aClient && s.Locked:
		return "the server requires the sandbox (--sandbox or --sandbox-required)"
	case by == theUser && s.Required:
		return "commands must run in the sandbox (--sandbox-required); start another chat without that flag"
	}
	return ""
}

// switchSandbox switches the sandbox on, or off until it is switched on or replaced.
func (p *policy) switchSandbox(on bool) {
	p.disabled = !on
	if on {
		p.sandbox.On = true
	}
	p.warned, p.decided = false, false
}

// sandboxing returns the switches of the session, and which sandboxes work.
func (p *policy) sandboxing(d disk) permit.Sandboxing {
	s := p.sandbox.Sandboxing
	if p.autoAllow != nil {
		s.AutoAllow = *p.autoAllow
	}
	if p.disabled {
		s.On, s.Required, s.Why = false, false, "you have switched the sandbox off for this session"
	}
	if !s.On {
		return s
	}
	s.Unread = d.works.Unread
	s.ReadOnly, s.Workspace, s.Why = d.works.ReadOnly, d.works.Workspace, d.works.Why
	if slices.Contains(p.allFolders(d).All(), "/") {
		s.ReadOnly, s.Workspace, s.Why = false, false, "no sandbox can confine commands to the folder /"
	}
	return s
}

// confine returns the policy of the sandbox in which a command runs, nil if it runs outside.
func (p *policy) confine(r *ruling) *sandbox.Policy {
	if r.Place == permit.Outside {
		return nil
	}
	s := p.sandbox
	to := &sandbox.Policy{
		Mode: sandbox.ReadOnly, Folders: r.rules.Folders.Reachable(), Read: s.Read, NoTools: s.NoTools,
	}
	denied, _ := r.rules.DeniedFiles(permit.Read)
	to.Deny = slices.Concat(s.Deny, denied)
	if r.Place == permit.InReadOnly {
		to.Unread = r.Tries
		return to
	}
	to.Mode, to.Git, to.Write = sandbox.WorkspaceWrite, r.Place == permit.InWorkspaceGit, s.Write
	to.Protect, _ = r.rules.DeniedFiles(permit.Write)
	to.Protect = append(to.Protect, r.rules.BroughtInside()...)
	to.ProtectNames = r.rules.SandboxProtected()
	if s.KeepDir {
		to.Git, to.Protect = false, append(to.Protect, r.rules.Folders.Primary)
	}
	allow, deny := r.rules.Addresses()
	switch {
	case s.Network != nil:
		to.Network = *s.Network
		to.Network.DenyURLs = slices.Concat(to.Network.DenyURLs, deny)
	case len(allow) > 0:
		to.Network = sandbox.Network{AllowURLs: allow, DenyURLs: deny}
	}
	return to
}

// warning returns what the user should know about the sandbox before the first command runs,
// nil if there is nothing, or if it was returned before.
func (p *policy) warning(d disk) wire.Data {
	s := p.sandboxing(d)
	text := ""
	switch {
	case p.warned || !s.On || (p.mode() == wire.ModeAllowAll && !s.Explicit && !s.Required):
		return nil
	case !s.ReadOnly && s.Required:
		text = "No command can run: commands must run in a sandbox, and " + s.Why + "."
	case !s.ReadOnly:
		text = "Commands do not run in a sandbox, so also those that only read need approval: " + s.Why + ". `sidestick doctor` says more."
	case d.works.Weaker != "":
		text = "The sandbox is weaker than it could be: " + d.works.Weaker + ". `sidestick doctor` says more."
	default:
		return nil
	}
	p.warned = true
	action := wire.ReviewSandbox
	return &wire.SessionWarning{WarningType: "sandbox", Message: text, Remediation: &action}
}

// forHooks returns the policy of the sandbox in which hooks of the repository run.
func (p *policy) forHooks(d disk) (*sandbox.Policy, error) {
	return p.forPrograms(d, "hooks of the repository")
}

// forServers returns the policy of the sandbox in which MCP servers run.
func (p *policy) forServers(d disk) (*sandbox.Policy, error) {
	if p.sandbox.FreeServers {
		return nil, nil
	}
	return p.forPrograms(d, "MCP servers")
}

// forPrograms returns the policy of the sandbox in which programs run that are not commands of
// the model, nil if they run outside because the sandbox is off. [fault.Unavailable] if it is on and nothing can
// confine them: they do not run then, because nobody is asked about each of them. what names them.
func (p *policy) forPrograms(d disk, what string) (*sandbox.Policy, error) {
	q := permit.Request{Kind: permit.Shell}
	s, r := p.sandboxing(d), &ruling{rules: p.inForce(d, &q)}
	switch {
	case !s.On:
		return nil, nil
	case s.NoWrites && s.ReadOnly:
		r.Place = permit.InReadOnly
	case !s.NoWrites && s.Workspace:
		r.Place = permit.InWorkspace
	default:
		err := fault.New(fault.Unavailable, "sandbox", "", "%s must run in a sandbox, and %s", what, s.Why)
		if !s.Required {
			err.Hint = "to start without a sandbox: --no-sandbox"
		}
		return nil, err
	}
	return p.confine(r), nil
}

// Confines reports whether the sandbox of the session is on.
func (p *Permissions) Confines() bool { return p.files.sandboxed.Load() }

// HookPolicy returns the policy of the sandbox in which hooks of the repository run; nil:
// outside, because the sandbox is off. It works until the session has closed. [fault.Unavailable] if it is on and none
// can confine them.
func (p *Permissions) HookPolicy(ctx context.Context) (*sandbox.Policy, error) {
	if !p.Confines() {
		return nil, nil
	}
	return withDisk(ctx, p.files, p.session.Post, everything, p.policy.forHooks)
}

// ServerPolicy is HookPolicy for MCP servers that are programs.
func (p *Permissions) ServerPolicy(ctx context.Context) (*sandbox.Policy, error) {
	if !p.Confines() {
		return nil, nil
	}
	return withDisk(ctx, p.files, p.session.Post, everything, p.policy.forServers)
}

// keepInside remembers that the user did not allow a command to run outside.
func (p *policy) keepInside(text string) {
	if p.refusedOutside == nil {
		p.refusedOutside = map[string]bool{}
	}
	p.refusedOutside[text] = true
}

// decision returns the event that records how well the sandbox works, before the first command
// runs; nil if it was returned before, or if the sandbox is off.
func (p *policy) decision(d disk) wire.Data {
	s := p.sandboxing(d)
	if p.decided || !s.On {
		return nil
	}
	p.decided = true
	e := wire.SandboxDecision{
		Platform: cmp.Or(d.works.Platform, "other"), Mode: string(sandbox.WorkspaceWrite), Mechanism: cmp.Or(d.works.Backend, "none"), TookEffect: s.Workspace,
	}
	if s.NoWrites {
		e.Mode, e.TookEffect = string(sandbox.ReadOnly), s.ReadOnly
	}
	if !e.TookEffect {
		e.Reason = s.Why
	}
	return e.Event()
}

// useSandbox replaces the settings of the session. Commands that the user has allowed in the
// sandbox stay allowed; that the user has switched this off ends, because s may allow them.
func (p *policy) useSandbox(s SandboxSettings) {
	p.sandbox, p.disabled, p.warned, p.decided = s, false, false, false
	if p.autoAllow != nil && !*p.autoAllow {
		p.autoAllow = nil
	}
}
