package approval

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Contents is what the user agrees to in a folder, by the path of each file, relative to the folder
// and with slashes.
type Contents = map[string]projectfiles.Agreed

// Trusted reports whether a resolved folder, or one that contains it, is trusted. A folder that was
// trusted without a look at its content is not.
func (g *Grants) Trusted(dir string) (bool, error) {
	b, err := g.read()
	return slices.ContainsFunc(b.containing(dir), func(trusted string) bool { return b.Contents[trusted] != nil }), err
}

// containing returns the trusted folders that contain a path.
func (b grantsFile) containing(path string) []string {
	return slices.DeleteFunc(slices.Clone(b.Trusted), func(trusted string) bool { return !within(trusted, path) })
}

func within(folder, path string) bool { return permit.Folders{Primary: folder}.Contains(path) }

// Counts says whether a content of a file has its powers; see [projectfiles.Counts]. The links of the
// folder that the file lies in are resolved in path. The error does not say what to do.
func (g *Grants) Counts(path, digest string) error {
	b, err := g.read()
	if err != nil {
		return err
	}
	folders, looked, known := b.containing(path), false, false
	if len(folders) == 0 {
		return projectfiles.ErrUntrusted
	}
	for _, dir := range folders {
		looked = looked || b.Contents[dir] != nil
		if agreed, ok := b.Contents[dir][below(dir, path)]; ok {
			if known = true; agreed.Digest == digest {
				return nil
			}
		}
	}
	switch {
	case !looked:
		return errors.New("an older version trusted the folder without a look at its content, so it has no effect until you trust the folder again")
	case known:
		return errors.New("it has changed since you trusted the folder, so it has no effect")
	}
	return errors.New("it was not there when you trusted the folder, so it has no effect")
}

// below returns a path relative to a folder that contains it, with slashes.
func below(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// Contents returns what the user has agreed to in a resolved folder, by trusting it, one that contains it
// or one in it. looked is false if all that contain it were trusted without a look at their content.
func (g *Grants) Contents(dir string) (contents Contents, looked bool, err error) {
	b, err := g.read()
	contents = Contents{}
	for _, trusted := range b.Trusted {
		looked = looked || b.Contents[trusted] != nil && within(trusted, dir)
		for file, agreed := range b.Contents[trusted] {
			if path := filepath.Join(trusted, filepath.FromSlash(file)); within(dir, path) {
				contents[below(dir, path)] = agreed
			}
		}
	}
	return contents, looked, err
}

// Trust trusts a resolved folder and all folders below it, in every session, with the content that it
// has. What the user had agreed to in it before, also by trusting another folder, holds no longer.
func (g *Grants) Trust(dir string, contents Contents) error {
	return g.change(func(b *grantsFile) {
		if !slices.Contains(b.Trusted, dir) {
			b.Trusted = append(b.Trusted, dir)
		}
		if b.Contents == nil {
			b.Contents = map[string]Contents{}
		}
		b.Contents[dir] = Contents{}
		for trusted, files := range b.Contents {
			maps.DeleteFunc(files, func(file string, _ projectfiles.Agreed) bool {
				return within(dir, filepath.Join(trusted, filepath.FromSlash(file)))
			})
			for file, agreed := range contents {
				if path := filepath.Join(dir, filepath.FromSlash(file)); within(dir, trusted) && within(trusted, path) {
					files[below(trusted, path)] = agreed
				}
			}
		}
	})
}

// Distrust undoes [Grants.Trust]. [fault.NotFound] if the folder is not in the list.
func (g *Grants) Distrust(dir string) error {
	b, err := g.read()
	if err == nil && !slices.Contains(b.Trusted, dir) {
		return fault.New(fault.NotFound, "permissions", dir, "this folder was not trusted itself")
	}
	return errors.Join(err, g.change(func(b *grantsFile) { b.distrust(func(d string) bool { return d == dir }) }))
}

// DistrustBelow undoes [Grants.Trust] for a resolved folder and for all folders below it. Folders that
// were not trusted are no error. A folder in another trusted one stays trusted.
func (g *Grants) DistrustBelow(dir string) error {
	gone := func(trusted string) bool { return within(dir, trusted) }
	b, err := g.read()
	if err != nil || !slices.ContainsFunc(b.Trusted, gone) {
		return err
	}
	return g.change(func(b *grantsFile) { b.distrust(gone) })
}

func (b *grantsFile) distrust(gone func(dir string) bool) {
	b.Trusted = slices.DeleteFunc(b.Trusted, gone)
	maps.DeleteFunc(b.Contents, func(dir string, _ Contents) bool { return gone(dir) })
}

// TrustedFolders returns the folders that are trusted, in the order in which they were added.
func (g *Grants) TrustedFolders() ([]string, error) {
	b, err := g.read()
	return b.Trusted, err
}
