package session

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Folders are the folders that the session may work in, the primary one first.
func (s *Session) Folders(ctx context.Context) (list wire.PermissionFolders, err error) {
	err = s.do(ctx, func() error {
		places := s.allPlaces()
		list = wire.PermissionFolders{Primary: places.Primary, Directories: places.Folders()}
		return nil
	})
	return list, err
}

// AddFolder allows one folder more.
func (s *Session) AddFolder(ctx context.Context, path string) error {
	return s.do(ctx, func() error {
		dir, err := s.folder("session.permissions.paths.add", path)
		if err == nil && !slices.Contains(s.policy.folders, dir) {
			s.policy.folders = append(slices.Clip(s.policy.folders), dir)
			s.reconsider()
		}
		return err
	})
}

// SetPrimaryFolder makes a folder the one where relative rules begin. The working
// directory stays what it is.
func (s *Session) SetPrimaryFolder(ctx context.Context, path string) error {
	return s.do(ctx, func() error {
		dir, err := s.folder("session.permissions.paths.updatePrimary", path)
		if err == nil {
			s.policy.primary = dir
			s.reconsider()
		}
		return err
	})
}

// folder resolves a path that has to be a folder.
func (s *Session) folder(op, path string) (string, error) {
	dir := s.reg.leads(path, s.state.Cwd)
	if dir == "" {
		return "", fault.New(fault.Invalid, op, s.id, "it cannot be known where %q leads", path)
	}
	info, err := s.reg.opts.FS.Stat(dir)
	if err != nil {
		return "", fault.New(fault.NotFound, op, s.id, "%w", err)
	}
	if !info.IsDir() {
		return "", fault.New(fault.Invalid, op, s.id, "%s is no folder", dir)
	}
	return dir, nil
}

// Within reports whether a path lies in the primary folder, or, if any is set, in any
// that is allowed. A path is judged by where it leads.
func (s *Session) Within(ctx context.Context, path string, any bool) (in bool, err error) {
	err = s.do(ctx, func() error {
		places := s.allPlaces()
		if !any {
			places = permit.Places{Primary: places.Primary}
		}
		in = places.Contains(s.reg.leads(path, s.state.Cwd))
		return nil
	})
	return in, err
}

// Trusted reports whether a folder, or one above it, is trusted.
func (r *Registry) Trusted(path string) (bool, error) {
	real := r.leads(path, r.opts.Cwd)
	b, err := r.grants.read()
	return slices.ContainsFunc(b.Trusted, func(dir string) bool { return permit.Places{Primary: dir}.Contains(real) }), err
}

// Trust trusts a folder and all below it, for every session.
func (r *Registry) Trust(path string) error {
	real := r.leads(path, r.opts.Cwd)
	if real == "" {
		return fault.New(fault.Invalid, "session.permissions.folderTrust.addTrusted", "", "it cannot be known where %q leads", path)
	}
	return r.grants.change(func(b *book) {
		if !slices.Contains(b.Trusted, real) {
			b.Trusted = append(b.Trusted, real)
		}
	})
}
