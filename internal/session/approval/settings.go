package approval

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// configure replaces the parts of the policy that the patch contains, apart from the
// permission mode. folders are those of the patch, resolved; nil if it contains none.
func (p *policy) configure(patch wire.PermissionsPatch, folders *resolvedFolders) {
	p.client = patchRules(p.client, patch)
	if folders == nil {
		return
	}
	if folders.primary != nil {
		p.primary = *folders.primary
	}
	p.further, p.anywhere = folders.further, folders.anywhere
}

// patchRules returns rules with the parts replaced that the patch contains.
func patchRules(r permit.Rules, patch wire.PermissionsPatch) permit.Rules {
	const from = "session.permissions.configure"
	if patch.Rules != nil {
		r.Allow = permit.FromWire(patch.Rules.Approved, from)
		r.Deny = permit.FromWire(patch.Rules.Denied, from)
	}
	if patch.ApproveAllReadPermissionRequests != nil {
		r.ReadsInside = *patch.ApproveAllReadPermissionRequests
	}
	if u := patch.URLs; u != nil {
		r.Allow = slices.DeleteFunc(slices.Clone(r.Allow), func(r permit.Rule) bool { return r.Kind == permit.URL })
		r.Allow = append(r.Allow, permit.FromWire(addressRules(u.InitialAllowed), from)...)
		r.AnyURL = u.Unrestricted != nil && *u.Unrestricted
	}
	return r
}

// modify adds and removes rules of clients. It returns the approvals for the session that are
// left.
func (p *policy) modify(patch wire.PermissionRulesPatch) (left []permit.Rule) {
	remove, all := permit.FromWire(patch.Remove, ""), removesAll(patch)
	removed := func(r permit.Rule) bool { return all || slices.ContainsFunc(remove, r.Same) }
	rules := with(p.client.Allow, permit.FromWire(patch.Add, "session.permissions.modifyRules"))
	p.client.Allow = slices.DeleteFunc(rules, removed)
	return slices.DeleteFunc(slices.Clone(p.approvals()), removed)
}

func removesAll(patch wire.PermissionRulesPatch) bool {
	return patch.RemoveAll != nil && *patch.RemoveAll
}

// with returns a copy of rules with those of more that are not there yet.
func with(rules, more []permit.Rule) []permit.Rule {
	rules = slices.Clone(rules)
	for _, r := range more {
		if !slices.ContainsFunc(rules, r.Same) {
			rules = append(rules, r)
		}
	}
	return rules
}

// allowURLs sets whether every address may be fetched without a request.
func (p *policy) allowURLs(all bool) { p.client.AnyURL = all }

// replaceApprovals returns the event that replaces the approvals for the session, nil if
// they are the same.
func (p *policy) replaceApprovals(rules []permit.Rule) wire.Data {
	if slices.EqualFunc(rules, p.recorded.Approved, permit.Rule.Same) {
		return nil
	}
	left, mode := permit.ToWire(rules), p.recordedMode()
	return wire.PermissionsChanged(mode, mode, &left)
}

// mode returns the permission mode in force.
func (p *policy) mode() wire.PermissionMode {
	switch mode := p.recordedMode(); {
	case p.managed.NoBypass && (p.program.All || mode == wire.ModeAllowAll):
		return wire.ModeManual
	case p.program.All:
		return wire.ModeAllowAll
	case mode == wire.ModeAllowAll && !p.allowAll:
		return wire.ModeManual
	default:
		return mode
	}
}

// recordedMode returns the mode in the log.
func (p *policy) recordedMode() wire.PermissionMode {
	return cmp.Or(p.recorded.PermissionMode, wire.ModeManual)
}

// changeMode changes the mode, and returns the event that changes it in the log, nil if it is
// the same there.
func (p *policy) changeMode(mode wire.PermissionMode) wire.Data {
	p.allowAll = mode == wire.ModeAllowAll
	before := p.recordedMode()
	if before == mode {
		return nil
	}
	return wire.PermissionsChanged(before, mode, nil)
}

// useFolders replaces the further folders, which must be resolved.
func (p *policy) useFolders(resolved []string) { p.further = resolved }

// addFolder allows one more folder, which must be resolved.
func (p *policy) addFolder(resolved string) {
	if !slices.Contains(p.further, resolved) {
		p.further = append(slices.Clip(p.further), resolved)
	}
}

// setPrimary sets the primary folder, which must be resolved.
func (p *policy) setPrimary(resolved string) { p.primary = resolved }

// applyLocation puts the approvals that are stored for a location in force, and ends those
// for another location. It reports whether another location, or none, was in force.
func (p *policy) applyLocation(key string, stored location) (changed bool) {
	changed = p.location != key
	p.location, p.approved, p.seen = key, stored.permits(), stored.Tools
	for _, dir := range stored.Folders {
		p.addFolder(dir)
	}
	return changed
}

// addLocationRules adds approvals for the location in force.
func (p *policy) addLocationRules(rules []permit.Rule) { p.approved = with(p.approved, rules) }

// setLocationRules replaces the approvals for the location in force.
func (p *policy) setLocationRules(rules []permit.Rule) { p.approved = rules }
