package approval

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Configure replaces the parts of the permissions that the patch contains. A rule that could
// never match is [fault.Invalid], and nothing changes: a client that denies something must
// learn that nothing is denied.
func (p *Permissions) Configure(ctx context.Context, patch wire.PermissionsPatch) error {
	if err := p.checkRules("session.permissions.configure", patched(patch)); err != nil {
		return err
	}
	if what := escalation(patch); what != "" {
		if err := p.refuseBypass(ctx, "session.permissions.configure", what); err != nil {
			return err
		}
	}
	cwd, err := p.cwd(ctx)
	if err != nil {
		return err
	}
	folders := p.files.paths.resolve(patch.Paths, cwd)
	on := patch.ApproveAllToolPermissionRequests
	if on == nil {
		return p.change(ctx, func() { p.policy.configure(patch, folders) })
	}
	return p.record(ctx, func() error {
		p.policy.configure(patch, folders)
		return p.append(p.policy.changeMode(allowAll(*on)))
	})
}

// patched returns the rules that a patch sets.
func patched(patch wire.PermissionsPatch) []wire.PermissionRule {
	var rules []wire.PermissionRule
	if patch.Rules != nil {
		rules = slices.Concat(patch.Rules.Denied, patch.Rules.Approved)
	}
	if patch.URLs != nil {
		rules = append(rules, addressRules(patch.URLs.InitialAllowed)...)
	}
	return rules
}

// addressRules returns rules for addresses.
func addressRules(addresses []string) []wire.PermissionRule {
	var rules []wire.PermissionRule
	for _, a := range addresses {
		rules = append(rules, wire.PermissionRule{Kind: string(permit.URL), Argument: &a})
	}
	return rules
}

// checkRules returns the error for the first rule of a client that could never match.
func (p *Permissions) checkRules(op string, rules []wire.PermissionRule) error {
	if err := permit.CheckWire(rules); err != nil {
		return p.invalid(op, "%w", err)
	}
	return nil
}

func allowAll(on bool) wire.PermissionMode {
	if on {
		return wire.ModeAllowAll
	}
	return wire.ModeManual
}

// append records a change of the policy, unless it is nil.
func (p *Permissions) append(change wire.Data) error {
	if change == nil {
		return nil
	}
	return p.session.Record("", change)
}

// Mode returns the permission mode.
func (p *Permissions) Mode(ctx context.Context) (wire.PermissionMode, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (wire.PermissionMode, error) { return p.policy.mode(), nil })
}

// Capabilities returns which permission modes [Permissions.SetMode] accepts beside manual.
func (p *Permissions) Capabilities(ctx context.Context) (wire.PermissionCapabilities, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (wire.PermissionCapabilities, error) {
		return wire.PermissionCapabilities{Bypass: !p.policy.managed.NoBypass}, nil
	})
}

// SetMode changes the permission mode, and returns the mode that is then in force. If that is
// another one, the error is [fault.Denied] and says why: a client cannot end the mode that the
// program was started with, nor set one that managed settings rule out. After other errors, the
// mode is "". The mode "assisted" asks as manual does, because no model judges requests here.
func (p *Permissions) SetMode(ctx context.Context, mode wire.PermissionMode) (wire.PermissionMode, error) {
	if !slices.Contains([]wire.PermissionMode{wire.ModeManual, wire.ModeAssisted, wire.ModeAllowAll}, mode) {
		return "", p.invalid("session.permissions.setMode", `mode is %q, want "manual", "assisted" or "allow-all"`, mode)
	}
	if mode == wire.ModeAllowAll {
		if err := p.refuseBypass(ctx, "session.permissions.setMode", wire.EscalationAllowAll); err != nil {
			return p.unchanged(ctx, err)
		}
	}
	now, err := change(ctx, p, p.session.Change, func() (wire.PermissionMode, error) {
		if err := p.append(p.policy.changeMode(mode)); err != nil {
			return "", err
		}
		return p.policy.mode(), nil
	})
	if err == nil && mode != wire.ModeAllowAll && now == wire.ModeAllowAll {
		err = &fault.Error{
			Op: "session.permissions.setMode", On: p.id, Kind: fault.Denied, Hint: "start another one without that",
			Err: errors.New("the program was started with everything allowed: " + cmp.Or(p.policy.program.AllBy, "--yolo")),
		}
	}
	return now, err
}

// unchanged returns the mode in force, and why it was not changed.
func (p *Permissions) unchanged(ctx context.Context, why error) (wire.PermissionMode, error) {
	if fault.KindOf(why) != fault.Denied {
		return "", why
	}
	now, err := p.Mode(ctx)
	if err != nil {
		return "", err
	}
	return now, why
}

// EndAllowAll records that the session is no longer in the mode allow-all, which ends with
// the process that it was set in. Call it on the session's goroutine.
func (p *Permissions) EndAllowAll() error {
	if p.policy.recordedMode() != wire.ModeAllowAll {
		return nil
	}
	return p.append(p.policy.changeMode(wire.ModeManual))
}

// Reset removes the approvals for the session and, if withLocation is set, those for the
// location that the session has applied.
func (p *Permissions) Reset(ctx context.Context, withLocation bool) error {
	err := p.session.Change(ctx, func() error {
		if auto := p.policy.autoAllow; auto != nil && *auto {
			p.policy.autoAllow = nil
		}
		return p.revoke(nil)
	})
	p.vouched.flush()
	if err != nil || !withLocation {
		return err
	}
	return p.changeLocation(ctx, "", func(l *location) { l.Rules = nil })
}

// revoke removes all approvals for the session, except for those of left.
func (p *Permissions) revoke(left []permit.Rule) error {
	p.vouched.keep(left)
	return p.append(p.policy.replaceApprovals(left))
}

// Modify adds and removes rules that allow: those of the session, or those stored for the
// location of its working directory. A rule to add that could never match is [fault.Invalid],
// and nothing changes.
func (p *Permissions) Modify(ctx context.Context, patch wire.PermissionRulesPatch) error {
	if err := p.checkRules("session.permissions.modifyRules", patch.Add); err != nil {
		return err
	}
	switch string(patch.Scope) {
	case "session":
		defer p.vouched.flush()
		return p.record(ctx, func() error { return p.revoke(p.policy.modify(patch)) })
	case "location":
		return p.changeLocation(ctx, "", func(l *location) {
			l.add(patch.Add)
			if l.remove(patch.Remove); removesAll(patch) {
				l.Rules = nil
			}
		})
	}
	return p.invalid("session.permissions.modifyRules", `scope is %q, want "session" or "location"`, patch.Scope)
}

// AllowURLs sets whether every address may be fetched without a request.
func (p *Permissions) AllowURLs(ctx context.Context, all bool) error {
	if all {
		if err := p.refuseBypass(ctx, "session.permissions.urls.setUnrestrictedMode", wire.EscalationURLs); err != nil {
			return err
		}
	}
	return p.change(ctx, func() { p.policy.allowURLs(all) })
}
