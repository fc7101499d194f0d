package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// done is the result of methods that return only success.
func done(err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return wire.Success{Success: true}, nil
}

func configurePermissions(ctx context.Context, s *session.Session, p wire.PermissionsPatch) (any, error) {
	return done(s.Permissions().Configure(ctx, p))
}

func setApproveAll(ctx context.Context, s *session.Session, p wire.PermissionApproveAll) (any, error) {
	mode := wire.ModeManual
	if p.Enabled {
		mode = wire.ModeAllowAll
	}
	now, err := changePermissionMode(ctx, s, mode)
	return answered(now == mode, err)
}

func setPermissionMode(ctx context.Context, s *session.Session, p wire.PermissionModeSet) (any, error) {
	now, err := changePermissionMode(ctx, s, p.Mode)
	return wire.PermissionModeWas{Mode: now, Success: err == nil && now == p.Mode}, err
}

// changePermissionMode changes the permission mode. In the protocol, a refused mode is no error.
func changePermissionMode(ctx context.Context, s *session.Session, mode wire.PermissionMode) (now wire.PermissionMode, err error) {
	now, err = s.Permissions().SetMode(ctx, mode)
	if now != "" && fault.KindOf(err) == fault.Denied {
		err = nil
	}
	return now, err
}

func getPermissionMode(ctx context.Context, s *session.Session, _ none) (any, error) {
	mode, err := s.Permissions().Mode(ctx)
	return wire.PermissionModeIs{Mode: mode}, err
}

func permissionCapabilities(ctx context.Context, s *session.Session, _ none) (any, error) {
	return s.Permissions().Capabilities(ctx)
}

func resetApprovals(ctx context.Context, s *session.Session, p wire.PermissionReset) (any, error) {
	return done(s.Permissions().Reset(ctx, p.IncludeLocation == nil || *p.IncludeLocation))
}

func pendingPermissions(ctx context.Context, s *session.Session, _ none) (any, error) {
	list, err := s.Permissions().Pending(ctx)
	if err != nil {
		return nil, err
	}
	return encode(list)
}

// offerPermission is a method of our own, see wire/offer.go.
func offerPermission(ctx context.Context, s *session.Session, p wire.PermissionOfferParams) (any, error) {
	if p.RequestID == "" {
		return nil, missing("requestId")
	}
	o, err := s.Permissions().Offer(ctx, p.RequestID)
	if err != nil {
		return nil, err
	}
	return encode(wire.PermissionOffer{
		Rules: permit.ToWire(o.Rules), Folders: o.Folders.All(), Anywhere: o.Folders.Anywhere,
		Place: o.Placed.Place.Name(), Because: o.Placed.Because, Again: o.Again, Input: o.Input,
		LocationKey: o.Location.LocationKey, LocationType: o.Location.LocationType,
	})
}

func setPermissionRequired(ctx context.Context, _ *conn, a *attachment, p wire.PermissionRequired) (any, error) {
	return done(a.client.ShowPermissions(ctx, p.Required))
}

// notifyPromptShown does nothing: it is for hooks that react when the user is asked,
// and there are none.
func notifyPromptShown(ctx context.Context, s *session.Session, p wire.PermissionPromptShown) (any, error) {
	if p.Message == "" {
		return nil, missing("message")
	}
	_, err := s.Permissions().Mode(ctx) // fails if the session has been closed
	return done(err)
}

func modifyRules(ctx context.Context, s *session.Session, p wire.PermissionRulesPatch) (any, error) {
	return done(s.Permissions().Modify(ctx, p))
}

func allowURLs(ctx context.Context, s *session.Session, p wire.URLsUnrestricted) (any, error) {
	return done(s.Permissions().AllowURLs(ctx, p.Enabled))
}

func listFolders(ctx context.Context, s *session.Session, _ none) (any, error) {
	list, err := s.Permissions().Folders(ctx)
	if err != nil {
		return nil, err
	}
	return encode(list)
}

func addFolder(ctx context.Context, s *session.Session, p wire.PermissionPath) (any, error) {
	return done(s.Permissions().AddFolder(ctx, p.Path))
}

func setPrimaryFolder(ctx context.Context, s *session.Session, p wire.PermissionPath) (any, error) {
	return done(s.Permissions().SetPrimaryFolder(ctx, p.Path))
}

func withinFolders(ctx context.Context, s *session.Session, p wire.PermissionPath) (any, error) {
	in, err := s.Permissions().Within(ctx, p.Path, true)
	return wire.PermissionPathAllowed{Allowed: in}, err
}

func withinWorkspace(ctx context.Context, s *session.Session, p wire.PermissionPath) (any, error) {
	in, err := s.Permissions().Within(ctx, p.Path, false)
	return wire.PermissionPathAllowed{Allowed: in}, err
}

func resolveLocation(ctx context.Context, s *session.Session, p wire.PermissionLocationIn) (any, error) {
	l, err := s.Permissions().Location(ctx, p.WorkingDirectory)
	return l, err
}

func applyLocation(ctx context.Context, s *session.Session, p wire.PermissionLocationIn) (any, error) {
	loaded, err := s.Permissions().ApplyLocation(ctx, p.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	return encode(loaded)
}

func addToolApproval(ctx context.Context, s *session.Session, p wire.LocationApprovalParams) (any, error) {
	if p.LocationKey == "" {
		return nil, missing("locationKey")
	}
	return done(s.Permissions().AddLocationRules(ctx, p.LocationKey, wire.LocationApproval(p)))
}

func isTrusted(_ context.Context, c *conn, _ *attachment, p wire.PermissionPath) (any, error) {
	trusted, err := c.home().Sessions.Trust().Has(p.Path)
	return wire.FolderTrusted{Trusted: trusted}, err
}

func addTrusted(_ context.Context, c *conn, _ *attachment, p wire.PermissionPath) (any, error) {
	return done(c.home().Sessions.Trust().Add(p.Path))
}
