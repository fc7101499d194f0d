package approval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Paths resolves the paths that clients send. All its methods may read the disk.
type Paths struct {
	FS vfs.FS
	// Resolve returns an absolute path with its links resolved, "" if that fails.
	Resolve func(path string) string
	// GitRoot returns the nearest folder at or above dir that is a git repository, "" if
	// there is none.
	GitRoot func(dir string) string
}

// RealPath returns the path without symbolic links that a client's path stands for, "" if
// that cannot be known. Relative paths begin at cwd.
func (p Paths) RealPath(name, cwd string) string {
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return ""
	case !filepath.IsAbs(name):
		name = filepath.Join(cwd, name)
	}
	if !filepath.IsAbs(name) {
		return ""
	}
	return p.Resolve(filepath.Clean(name))
}

// Folders resolves folders of a client, each once. Those that cannot be resolved are left
// out.
func (p Paths) Folders(names []string, cwd string) []string {
	dirs := []string{}
	for _, name := range names {
		if dir := p.RealPath(name, cwd); dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// resolvedFolders are the folders of a [wire.PermissionPathsConfig], resolved.
type resolvedFolders struct {
	primary  *string // nil: the primary folder stays
	further  []string
	anywhere bool
}

// resolve resolves the folders that a client configures; nil if it configures none.
func (p Paths) resolve(c *wire.PermissionPathsConfig, cwd string) *resolvedFolders {
	if c == nil {
		return nil
	}
	r := &resolvedFolders{further: p.Folders(c.AdditionalDirectories, cwd), anywhere: c.Unrestricted != nil && *c.Unrestricted}
	if c.IncludeTempDirectory == nil || *c.IncludeTempDirectory {
		r.further = append(r.further, p.Folders([]string{os.TempDir()}, "/")...)
	}
	if c.WorkspacePath != nil {
		r.primary = new(p.RealPath(*c.WorkspacePath, cwd))
	}
	return r
}

// folder resolves a path that must be a folder.
func (p Paths) folder(op, id, path, cwd string) (string, error) {
	dir := p.RealPath(path, cwd)
	if dir == "" {
		return "", fault.New(fault.Invalid, op, id, "it cannot be known where %q leads", path)
	}
	info, err := p.FS.Stat(dir)
	if err != nil {
		return "", fault.New(fault.NotFound, op, id, "%w", err)
	}
	if !info.IsDir() {
		return "", fault.New(fault.Invalid, op, id, "%s is not a folder", dir)
	}
	if permit.OfKernel(dir) {
		return "", fault.New(fault.Invalid, op, id, "%s cannot be a folder to work in: %s", dir, permit.KernelFolder)
	}
	return dir, nil
}

// location returns the key under which approvals for a folder are stored: the root of its
// git repository, otherwise the folder itself. An empty dir means cwd; [fault.NotFound] if
// that is empty, too.
func (p Paths) location(dir, cwd string) (wire.PermissionLocation, error) {
	if dir == "" {
		dir = cwd
	}
	if dir == "" {
		return wire.PermissionLocation{}, fault.New(fault.NotFound, "session.permissions.locations", "", "the session has no working directory")
	}
	real := p.RealPath(dir, cwd)
	if real == "" {
		return wire.PermissionLocation{}, fault.New(fault.Invalid, "session.permissions.locations", "", "it cannot be known where %q leads", dir)
	}
	if root := p.GitRoot(real); root != "" {
		return wire.PermissionLocation{LocationKey: filepath.Clean(root), LocationType: "repo"}, nil
	}
	return wire.PermissionLocation{LocationKey: real, LocationType: "dir"}, nil
}
