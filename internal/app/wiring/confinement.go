package wiring

import (
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
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
	for _, text := range cfg.SandboxExclude.Value {
		rule, err := permit.ParseRule(text)
		if err == nil && rule.Kind != permit.Shell {
			err = fault.New(fault.Invalid, "rule", text, "only commands can be excluded from the sandbox, as in shell(docker:*)")
		}
		if err != nil {
			return approval.Sandbox{}, fault.New(fault.Invalid, "sandbox", cfg.SandboxExclude.From, "%q: %s", text, fault.Message(err))
		}
		rule.From = cfg.SandboxExclude.From
		s.Excluded = append(s.Excluded, rule)
	}
	return approval.Sandbox{Settings: approval.SandboxSettings{Sandboxing: s}}, nil
}

// works finds out which sandboxes work on this machine.
func works(host *sandbox.Host) approval.Works {
	s := host.Support()
	w := approval.Works{
		ReadOnly: s.Has(sandbox.ReadOnly), Workspace: s.Has(sandbox.WorkspaceWrite), Why: s.Why(sandbox.WorkspaceWrite),
	}
	if s.Weaker() {
		w.Weaker = w.Why
	}
	if w.Why != "" {
		w.Why = "no sandbox works here: " + w.Why
	}
	return w
}
