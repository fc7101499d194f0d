package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Configure replaces the parts of the permissions that the patch contains.
func (p *Permissions) Configure(ctx context.Context, patch wire.PermissionsPatch) error {
	cwd, err := p.cwd(ctx)
	if err != nil {
		return err
	}
	setFolders := p.folderPatch(patch.Paths, cwd)
	run := p.change
	if patch.ApproveAllToolPermissionRequests != nil {
		run = p.record
	}
	return run(ctx, func() error {
		p.policy.rules = patchRules(p.policy.rules, patch)
		setFolders()
		if on := patch.ApproveAllToolPermissionRequests; on != nil {
			return p.changeMode(allowAll(*on))
		}
		return nil
	})
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
		for _, a := range u.InitialAllowed {
			r.Allow = append(r.Allow, permit.FromWire([]wire.PermissionRule{{Kind: "url", Argument: &a}}, from)...)
		}
		r.AnyURL = u.Unrestricted != nil && *u.Unrestricted
	}
	return r
}

// folderPatch resolves the folders of a patch on the caller's goroutine, and returns a
// function that sets them on the session's goroutine.
func (p *Permissions) folderPatch(patch *wire.PermissionPathsConfig, cwd string) (set func()) {
	if patch == nil {
		return func() {}
	}
	folders := p.opts.Paths.Folders(patch.AdditionalDirectories, cwd)
	if patch.IncludeTempDirectory == nil || *patch.IncludeTempDirectory {
		folders = append(folders, p.opts.Paths.Folders([]string{os.TempDir()}, "/")...)
	}
	primary := ""
	if patch.WorkspacePath != nil {
		primary = p.opts.Paths.RealPath(*patch.WorkspacePath, cwd)
	}
	return func() {
		if patch.WorkspacePath != nil {
			p.policy.primary = primary
		}
		p.policy.folders = folders
		p.policy.anywhere = patch.Unrestricted != nil && *patch.Unrestricted
	}
}

func allowAll(on bool) wire.PermissionMode {
	if on {
		return wire.ModeAllowAll
	}
	return wire.ModeManual
}

// Mode returns the permission mode.
func (p *Permissions) Mode(ctx context.Context) (wire.PermissionMode, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (wire.PermissionMode, error) { return p.mode(), nil })
}

func (p *Permissions) mode() wire.PermissionMode {
	if p.opts.Rules.All {
		return wire.ModeAllowAll
	}
	return p.recordedMode()
}

// recordedMode returns the mode in the log.
func (p *Permissions) recordedMode() wire.PermissionMode {
	return cmp.Or(p.session.State().PermissionMode, wire.ModeManual)
}

// SetMode changes the permission mode, and returns the mode that is then in force: a client
// cannot end the mode that the program was started with. The mode "assisted" asks as manual
// does, because no model judges requests here.
func (p *Permissions) SetMode(ctx context.Context, mode wire.PermissionMode) (wire.PermissionMode, error) {
	if !slices.Contains([]wire.PermissionMode{wire.ModeManual, wire.ModeAssisted, wire.ModeAllowAll}, mode) {
		return "", p.invalid("session.permissions.setMode", `mode is %q, want "manual", "assisted" or "allow-all"`, mode)
	}
	return change(ctx, p, p.session.Change, func() (wire.PermissionMode, error) {
		if err := p.changeMode(mode); err != nil {
			return "", err
		}
		return p.mode(), nil
	})
}

// changeMode records a mode if it differs from the current one.
func (p *Permissions) changeMode(mode wire.PermissionMode) error {
	before := p.recordedMode()
	if before == mode {
		return nil
	}
	return p.session.Record("", wire.PermissionsChanged(before, mode, nil))
}

// EndAllowAll records that the session is no longer in the mode allow-all, which ends with
// the process that it was set in. Call it on the session's goroutine.
func (p *Permissions) EndAllowAll() error {
	if p.session.State().PermissionMode != wire.ModeAllowAll {
		return nil
	}
	return p.changeMode(wire.ModeManual)
}

// Reset removes the approvals for the session and, if withLocation is set, those for the
// location that the session has applied.
func (p *Permissions) Reset(ctx context.Context, withLocation bool) error {
	err := p.session.Change(ctx, func() error { return p.replaceApprovals(nil) })
	if err != nil || !withLocation {
		return err
	}
	return p.changeLocation(ctx, "", func(l *location) { l.Rules = nil })
}

// replaceApprovals replaces the approvals for the session, if they differ.
func (p *Permissions) replaceApprovals(rules []permit.Rule) error {
	if slices.EqualFunc(rules, p.session.State().Approved, permit.Rule.Same) {
		return nil
	}
	left := permit.ToWire(rules)
	mode := p.recordedMode()
	return p.session.Record("", wire.PermissionsChanged(mode, mode, &left))
}

// Pending returns the open permission requests of all threads, the oldest first.
func (p *Permissions) Pending(ctx context.Context) (wire.PendingPermissions, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (list wire.PendingPermissions, _ error) {
		open := p.session.State().Permissions()
		ids := slices.Collect(maps.Keys(open))
		slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(open[a].Seq, open[b].Seq) })
		for _, id := range ids {
			data := wire.Raw(open[id].Data)
			prompt := data.Get("promptRequest")
			if prompt == nil { // the log is from another runtime
				prompt = data.Get("permissionRequest")
			}
			list.Items = append(list.Items, wire.PendingPermission{RequestID: id, Request: json.RawMessage(slices.Clone(prompt))})
		}
		return list, nil
	})
}

// Modify adds and removes rules that allow: those of the session, or those stored for the
// location of its working directory.
func (p *Permissions) Modify(ctx context.Context, patch wire.PermissionRulesPatch) error {
	all := patch.RemoveAll != nil && *patch.RemoveAll
	switch string(patch.Scope) {
	case "session":
		remove := permit.FromWire(patch.Remove, "")
		removed := func(r permit.Rule) bool { return all || slices.ContainsFunc(remove, r.Same) }
		return p.record(ctx, func() error {
			rules := slices.Clone(p.policy.rules.Allow)
			for _, r := range permit.FromWire(patch.Add, "session.permissions.modifyRules") {
				if !slices.ContainsFunc(rules, r.Same) {
					rules = append(rules, r)
				}
			}
			p.policy.rules.Allow = slices.DeleteFunc(rules, removed)
			return p.replaceApprovals(slices.DeleteFunc(slices.Clone(p.session.State().Approved), removed))
		})
	case "location":
		return p.changeLocation(ctx, "", func(l *location) {
			l.add(patch.Add)
			if l.remove(patch.Remove); all {
				l.Rules = nil
			}
		})
	}
	return p.invalid("session.permissions.modifyRules", `scope is %q, want "session" or "location"`, patch.Scope)
}

// AllowURLs sets whether every address may be fetched without a request.
func (p *Permissions) AllowURLs(ctx context.Context, all bool) error {
	return p.change(ctx, func() error { p.policy.rules.AnyURL = all; return nil })
}
