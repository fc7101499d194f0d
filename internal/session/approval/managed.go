package approval

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Manage replaces the policy that clients have injected. Call it on the session's goroutine,
// or before that starts.
func (p *Permissions) Manage(m permit.Managed) { p.policy.managed = m }

// Managed returns the policy that clients have injected. Call it as Manage.
func (p *Permissions) Managed() permit.Managed { return p.policy.managed }

// settingBypass is the field of a managed policy that keeps everything from being allowed at
// once.
const settingBypass = "permissions.disableBypassPermissionsMode"

// refuseBypass returns an error if the managed policy forbids allowing everything at once, and
// reports the attempt to all clients.
func (p *Permissions) refuseBypass(ctx context.Context, op string, what wire.Escalation) error {
	return p.session.Do(ctx, func() error {
		if !p.policy.managed.NoBypass {
			return nil
		}
		const why = "the managed settings of the session do not allow it"
		p.session.Emit("", &wire.ManagedEnforced{
			Action: wire.BypassBlocked, Escalation: &what, Setting: settingBypass, FailClosed: p.policy.managed.FailClosed,
			Message: "Permissions were not bypassed: " + why + ".",
		})
		return &fault.Error{Op: op, On: p.id, Kind: fault.Denied, Err: errors.New(why + " (" + settingBypass + ")")}
	})
}

// escalation returns what a patch would allow at once, "" if nothing.
func escalation(patch wire.PermissionsPatch) wire.Escalation {
	switch on := patch.ApproveAllToolPermissionRequests; {
	case on != nil && *on:
		return wire.EscalationApproveAll
	case patch.Paths != nil && patch.Paths.Unrestricted != nil && *patch.Paths.Unrestricted:
		return wire.EscalationPaths
	case patch.URLs != nil && patch.URLs.Unrestricted != nil && *patch.URLs.Unrestricted:
		return wire.EscalationURLs
	}
	return ""
}
