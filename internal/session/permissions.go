package session

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ConfigurePermissions replaces those parts of the session's permissions that the patch
// has; the rest stays. Questions that are then decided are answered.
func (s *Session) ConfigurePermissions(ctx context.Context, p wire.PermissionsPatch) error {
	const from = "session.permissions.configure"
	return s.do(ctx, func() error {
		if p.Rules != nil {
			s.policy.rules.Allow = permit.FromWire(p.Rules.Approved, from)
			s.policy.rules.Deny = permit.FromWire(p.Rules.Denied, from)
		}
		if p.ApproveAllReadPermissionRequests != nil {
			s.policy.rules.ReadsInside = *p.ApproveAllReadPermissionRequests
		}
		if u := p.URLs; u != nil {
			s.policy.rules.Allow = slices.DeleteFunc(slices.Clone(s.policy.rules.Allow), func(r permit.Rule) bool { return r.Kind == permit.URL })
			for _, a := range u.InitialAllowed {
				s.policy.rules.Allow = append(s.policy.rules.Allow, permit.FromWire([]wire.PermissionRule{{Kind: "url", Argument: &a}}, from)...)
			}
			s.policy.rules.AnyURL = u.Unrestricted != nil && *u.Unrestricted
		}
		if p.Paths != nil {
			s.replacePlaces(*p.Paths)
		}
		if p.ApproveAllToolPermissionRequests != nil {
			if err := s.changePermitMode(allowAll(*p.ApproveAllToolPermissionRequests)); err != nil {
				return err
			}
		}
		s.reconsider()
		return nil
	})
}

// replacePlaces takes over which folders are allowed.
func (s *Session) replacePlaces(p wire.PermissionPlaces) {
	if p.WorkspacePath != nil {
		s.policy.primary = s.reg.leads(*p.WorkspacePath, s.state.Cwd)
	}
	s.policy.folders = s.reg.folders(p.AdditionalDirectories, s.state.Cwd)
	if p.IncludeTempDirectory == nil || *p.IncludeTempDirectory {
		s.policy.folders = append(s.policy.folders, s.reg.folders([]string{os.TempDir()}, "/")...)
	}
	s.policy.anywhere = p.Unrestricted != nil && *p.Unrestricted
}

func allowAll(on bool) wire.PermissionMode {
	if on {
		return wire.ModeAllowAll
	}
	return wire.ModeManual
}

// PermissionMode is how permission requests are answered.
func (s *Session) PermissionMode(ctx context.Context) (mode wire.PermissionMode, err error) {
	err = s.do(ctx, func() error { mode = s.permitMode(); return nil })
	return mode, err
}

func (s *Session) permitMode() wire.PermissionMode {
	switch {
	case s.reg.opts.Rules.All:
		return wire.ModeAllowAll
	case s.state.PermissionMode == "":
		return wire.ModeManual
	}
	return s.state.PermissionMode
}

// SetPermissionMode changes how permission requests are answered and returns the mode
// that is then in force: what the program was started with cannot be taken back by a
// client. Assisted asks as manual does: no model judges requests here.
func (s *Session) SetPermissionMode(ctx context.Context, mode wire.PermissionMode) (now wire.PermissionMode, err error) {
	if !slices.Contains([]wire.PermissionMode{wire.ModeManual, wire.ModeAssisted, wire.ModeAllowAll}, mode) {
		return "", fault.New(fault.Invalid, "session.permissions.setMode", s.id, `mode is %q, want "manual", "assisted" or "allow-all"`, mode)
	}
	err = s.do(ctx, func() error {
		if err := s.changePermitMode(mode); err != nil {
			return err
		}
		s.reconsider()
		now = s.permitMode()
		return nil
	})
	return now, err
}

// changeMode records a mode that is new.
func (s *Session) changePermitMode(mode wire.PermissionMode) error {
	before := s.state.PermissionMode
	if before == "" {
		before = wire.ModeManual
	}
	if before == mode {
		return nil
	}
	return s.record(wire.PermissionsChanged(before, mode, nil))
}

// ResetApprovals forgets what was approved for the session, and, unless it is told
// not to, for the location that the session has applied.
func (s *Session) ResetApprovals(ctx context.Context, here bool) error {
	err := s.do(ctx, func() error { return s.keepApprovals(nil) })
	if err != nil || !here {
		return err
	}
	return s.changeLocation(ctx, "", func(l *location) { l.Rules = nil })
}

// keepApprovals replaces what is approved for the session, if that is a change.
func (s *Session) keepApprovals(rules []permit.Rule) error {
	if slices.EqualFunc(rules, s.state.Approved, permit.Rule.Same) {
		return nil
	}
	left := permit.ToWire(rules)
	mode := s.state.PermissionMode
	if mode == "" {
		mode = wire.ModeManual
	}
	return s.record(wire.PermissionsChanged(mode, mode, &left))
}

// PendingPermissions are the requests that nobody has answered, in the order in which
// they were made.
func (s *Session) PendingPermissions(ctx context.Context) (list wire.PendingPermissions, err error) {
	err = s.do(ctx, func() error {
		open := s.state.Permissions()
		ids := slices.Collect(maps.Keys(open))
		slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(open[a].Seq, open[b].Seq) })
		for _, id := range ids {
			data := wire.Raw(open[id].Data)
			prompt := data.Get("promptRequest")
			if prompt == nil { // the log of a runtime that does not say
				prompt = data.Get("permissionRequest")
			}
			list.Items = append(list.Items, wire.PendingPermission{RequestID: id, Request: json.RawMessage(slices.Clone(prompt))})
		}
		return nil
	})
	return list, err
}

// ShowPermissions says whether a client answers permission requests, beside what its
// configuration says.
func (c *Client) ShowPermissions(ctx context.Context, shows bool) error {
	return c.s.do(ctx, func() error { c.shows = shows; return nil })
}

// ModifyRules adds rules that allow, or takes some away: those of the session, or those
// of the location that it works in, which are kept.
func (s *Session) ModifyRules(ctx context.Context, p wire.PermissionRulesPatch) error {
	all := p.RemoveAll != nil && *p.RemoveAll
	switch string(p.Scope) {
	case "session":
		return s.do(ctx, func() error {
			rules := slices.Clone(s.policy.rules.Allow)
			for _, r := range permit.FromWire(p.Add, "session.permissions.modifyRules") {
				if !slices.ContainsFunc(rules, r.Same) {
					rules = append(rules, r)
				}
			}
			gone := func(r permit.Rule) bool { return all || slices.ContainsFunc(permit.FromWire(p.Remove, ""), r.Same) }
			s.policy.rules.Allow = slices.DeleteFunc(rules, gone)
			err := s.keepApprovals(slices.DeleteFunc(slices.Clone(s.state.Approved), gone))
			s.reconsider()
			return err
		})
	case "location":
		return s.changeLocation(ctx, "", func(l *location) {
			l.add(p.Add)
			if l.remove(p.Remove); all {
				l.Rules = nil
			}
		})
	}
	return fault.New(fault.Invalid, "session.permissions.modifyRules", s.id, `scope is %q, want "session" or "location"`, p.Scope)
}

// AllowURLs says whether every address may be fetched without asking.
func (s *Session) AllowURLs(ctx context.Context, all bool) error {
	return s.do(ctx, func() error {
		s.policy.rules.AnyURL = all
		s.reconsider()
		return nil
	})
}
