package wiring

import (
	"runtime"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// confinement is how the commands of sessions are confined. byDefault says whether they are
// if no setting says so; what works is left out. A client can change the settings of its session.
func confinement(cfg config.Config, byDefault bool) (approval.Sandbox, error) {
	mode := cfg.Sandbox.Value
	explicit := mode == "read-only" || mode == "workspace-write"
	s := permit.Sandboxing{
		On: explicit || mode == "on" || mode == "" && byDefault, Explicit: explicit, NoWrites: mode == "read-only",
		AutoAllow: cfg.SandboxAutoAllow.Value, AllowBypass: true, Required: cfg.SandboxRequired.Value,
	}
	if !s.On {
		s.Why = "the sandbox is off (" + cfg.Sandbox.From + ")"
	}
	var err error
	if s.Excluded, err = permit.ExcludedRules(cfg.SandboxExclude.Value, cfg.SandboxExclude.From); err != nil {
		return approval.Sandbox{}, err
	}
	return approval.Sandbox{Settings: approval.SandboxSettings{
		Sandboxing: s, Locked: explicit || s.Required,
		FreeServers: mode == "" && byDefault && !s.Required, // the user has configured them, unlike the commands of the model
	}}, nil
}

// works finds out which sandboxes work on this machine. With askFirst none holds commands that nobody has read.
func works(host *sandbox.Host, askFirst bool) approval.Works {
	s := host.Support()
	w := approval.Works{
		Backend: backend(s), Platform: platform(), ReadOnly: s.Has(sandbox.ReadOnly), Workspace: s.Has(sandbox.WorkspaceWrite), Why: s.Why(sandbox.WorkspaceWrite),
	}
	w.Unread = s.HoldsUnread() && !askFirst
	switch {
	case s.Weaker():
		w.Weaker, w.Why = w.Why, "no sandbox works here for commands that write: "+w.Why
	case w.Why != "":
		w.Why = "no sandbox works here: " + w.Why
	}
	return w
}

// backend names what confines commands, as the event sandbox.decision does.
func backend(s *sandbox.Support) string {
	switch {
	case s.Weaker():
		return "landlock"
	case s.Has(sandbox.WorkspaceWrite):
		return "namespaces"
	}
	return "none"
}

// platform names the system of this machine, as the event sandbox.decision does.
func platform() string {
	switch runtime.GOOS {
	case "linux", "windows":
		return runtime.GOOS
	case "darwin":
		return "macos"
	}
	return "other"
}

// hostSupport returns what works on this machine, as clients read it.
func hostSupport(s *sandbox.Support) wire.HostSupport {
	to := wire.HostSupport{Supported: s.Has(sandbox.WorkspaceWrite), Reason: s.Why(sandbox.WorkspaceWrite), Capabilities: []wire.HostCapability{}}
	for _, part := range s.Parts {
		c := wire.HostCapability{Name: part.Name, Supported: part.Works}
		switch version, ok := strings.CutPrefix(part.Detail, "version "); {
		case !part.Works:
			c.Reason = part.Detail
			if part.Next != "" {
				c.Reason += " (" + part.Next + ")"
			}
		case ok:
			c.Name += " " + version
		}
		to.Capabilities = append(to.Capabilities, c)
	}
	network := wire.HostCapability{Name: "proxy", Supported: to.Supported, Reason: to.Reason}
	if s.Weaker() {
		network.Reason = "commands that can be confined only to reading have no network"
	}
	to.Capabilities = append(to.Capabilities, network)
	return to
}
