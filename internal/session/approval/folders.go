package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Folders returns the folders that the session may work in, the primary one first.
func (p *Permissions) Folders(ctx context.Context) (wire.PermissionFolders, error) {
	return query(ctx, p, func(d disk) (wire.PermissionFolders, error) {
		allowed := p.policy.allFolders(d)
		return wire.PermissionFolders{Primary: allowed.Primary, Directories: allowed.All()}, nil
	})
}

// UseFolders replaces the further folders of the session. They must be resolved; see
// [Paths.Folders]. Call it on the session's goroutine.
func (p *Permissions) UseFolders(resolved []string) { p.policy.useFolders(resolved) }

// AddFolder allows one more folder.
func (p *Permissions) AddFolder(ctx context.Context, path string) error {
	dir, err := p.folder(ctx, "session.permissions.paths.add", path)
	if err != nil {
		return err
	}
	return p.change(ctx, func() { p.policy.addFolder(dir) })
}

// SetPrimaryFolder sets the folder that relative paths in rules refer to. The working
// directory stays unchanged.
func (p *Permissions) SetPrimaryFolder(ctx context.Context, path string) error {
	dir, err := p.folder(ctx, "session.permissions.paths.updatePrimary", path)
	if err != nil {
		return err
	}
	return p.change(ctx, func() { p.policy.setPrimary(dir) })
}

// folder resolves a path that must be a folder, on the caller's goroutine.
func (p *Permissions) folder(ctx context.Context, op, path string) (string, error) {
	cwd, err := p.cwd(ctx)
	if err != nil {
		return "", err
	}
	return p.files.paths.folder(op, p.id, path, cwd)
}

// Within reports whether a path is in the primary folder or, if any is set, in any allowed
// folder. Links are resolved first.
func (p *Permissions) Within(ctx context.Context, path string, any bool) (in bool, err error) {
	cwd, err := p.cwd(ctx)
	if err != nil {
		return false, err
	}
	real := p.files.paths.RealPath(path, cwd)
	return query(ctx, p, func(d disk) (bool, error) {
		allowed := p.policy.allFolders(d)
		if !any {
			allowed = permit.Folders{Primary: allowed.Primary}
		}
		return allowed.Contains(real), nil
	})
}
