package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// UseSandbox replaces the settings of the session's sandbox.
func (p *Permissions) UseSandbox(ctx context.Context, s SandboxSettings) error {
	p.files.sandboxed.Store(s.On) // before the change reads which sandboxes work
	return p.change(ctx, func() { p.ConfigureSandbox(s) })
}

// ConfigureSandbox is [Permissions.UseSandbox] for a client that attaches. Call it on the
// session's goroutine.
func (p *Permissions) ConfigureSandbox(s SandboxSettings) {
	p.policy.useSandbox(s)
	p.files.sandboxed.Store(s.On)
}

// Sandbox returns the switches of the session's sandbox, and which sandboxes work.
func (p *Permissions) Sandbox(ctx context.Context) (permit.Sandboxing, error) {
	return query(ctx, p, func(d disk) (permit.Sandboxing, error) { return p.policy.sandboxing(d), nil })
}

// SwitchSandbox switches the sandbox of the session on or off for the user at the terminal,
// and keeps its other settings. The error is [fault.Invalid] if it has to stay on.
func (p *Permissions) SwitchSandbox(ctx context.Context, on bool) error {
	why, err := mailbox.Ask(ctx, p.session.Do, func() (string, error) { return p.policy.sandbox.staysOn(theUser), nil })
	switch {
	case err != nil:
		return err
	case !on && why != "":
		return fault.New(fault.Invalid, "sandbox", "", "%s", why)
	}
	p.files.sandboxed.Store(on) // before the change reads which sandboxes work
	return p.change(ctx, func() { p.policy.switchSandbox(on) })
}

// AllowInSandbox sets whether every command that is not known to change anything outside the
// sandbox is allowed without asking. That holds until the session leaves memory, or until
// [Permissions.Reset].
func (p *Permissions) AllowInSandbox(ctx context.Context, on bool) error {
	return p.change(ctx, func() { p.policy.autoAllow = &on })
}

// Foreseen is what would be decided about a command.
type Foreseen struct {
	permit.Placed
	// Sandbox is the policy of the sandbox in which it would run; nil: outside of any.
	Sandbox *sandbox.Policy
}

// Foresee returns what would be decided about a command, which is not run.
func (p *Permissions) Foresee(ctx context.Context, c permit.Command) (Foreseen, error) {
	return query(ctx, p, func(d disk) (Foreseen, error) {
		_, r := p.policy.decide(d, &permit.Request{Kind: permit.Shell, Tool: fact.Bash, Command: c})
		return Foreseen{r.Placed, r.sandbox}, nil
	})
}

// DisableSandbox switches the sandbox off for this session, and allows the command that asks
// to run outside of it. It reports false, and changes nothing, if no such request is open, or
// if no client can switch the sandbox off.
func (p *Permissions) DisableSandbox(ctx context.Context, requestID string) (ok bool, err error) {
	found, err := mailbox.Ask(ctx, p.session.Do, func() (bool, error) {
		r := p.requests.find(requestID)
		if r == nil || p.policy.sandbox.staysOn(aClient) != "" || !wire.Raw(r.asked.Data).Get("permissionRequest").Get("requestSandboxBypass").True() {
			return false, nil
		}
		p.policy.switchSandbox(false)
		return true, nil
	})
	if !found || err != nil {
		return false, err
	}
	return p.Answer(ctx, requestID, permit.Answer{Outcome: permit.Approved})
}
