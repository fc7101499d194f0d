package session

import "github.com/sidestick-dev/sidestick/internal/fault"

// TrustedFolders are the folders whose hooks, servers and agents the user lets run, for all
// sessions.
type TrustedFolders struct{ r *Registry }

// Trust returns the trusted folders.
func (r *Registry) Trust() TrustedFolders { return TrustedFolders{r} }

// Has reports whether a folder, or one above it, is trusted.
func (t TrustedFolders) Has(path string) (bool, error) {
	return t.r.grants.Trusted(t.r.paths.RealPath(path, t.r.opts.Cwd))
}

// Add trusts a folder and all below it, for every session.
func (t TrustedFolders) Add(path string) error {
	dir, err := t.real(path)
	if err != nil {
		return err
	}
	return t.r.grants.Trust(dir)
}

// Remove undoes [TrustedFolders.Add]. [fault.NotFound] if that folder was not trusted; a folder
// in a trusted one stays trusted.
func (t TrustedFolders) Remove(path string) error {
	dir, err := t.real(path)
	if err != nil {
		return err
	}
	return t.r.grants.Distrust(dir)
}

// replaced ends the trust in the copy of a repository, and in folders of it, because it gets other content
// than the user has looked at.
func (t TrustedFolders) replaced(path string) error {
	dir, err := t.real(path)
	if err != nil {
		return err
	}
	return t.r.grants.DistrustBelow(dir)
}

func (t TrustedFolders) real(path string) (dir string, err error) {
	if dir = t.r.paths.RealPath(path, t.r.opts.Cwd); dir == "" {
		return "", fault.New(fault.Invalid, "session.permissions.folderTrust", "", "it cannot be known where %q leads", path)
	}
	return dir, nil
}

// List returns the folders, with links resolved, in the order in which the user trusted them.
func (t TrustedFolders) List() ([]string, error) { return t.r.grants.TrustedFolders() }
