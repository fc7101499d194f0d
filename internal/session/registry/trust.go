package registry

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/shellword"
)

// TrustedFolders are the folders whose hooks, servers and agents the user lets run, for all
// sessions, with the content that they had when the user trusted them.
type TrustedFolders struct{ r *Registry }

// Trust returns the trusted folders.
func (r *Registry) Trust() TrustedFolders { return TrustedFolders{r} }

// Has reports whether a folder, or one above it, is trusted. What has changed in it since then has no
// effect all the same. A folder that an older version trusted, without a look at its content, is not.
func (t TrustedFolders) Has(path string) (bool, error) {
	return t.r.home.Grants.Trusted(t.r.home.Paths.RealPath(path, t.r.opts.Cwd))
}

// Counts says whether a content of a file counts; see [projectfiles.Counts]. path is absolute.
func (t TrustedFolders) Counts(path, digest string) error {
	at := t.r.home.Paths.RealPath(filepath.Dir(path), t.r.opts.Cwd)
	if at == "" {
		return projectfiles.ErrUntrusted
	}
	err := t.r.home.Grants.Counts(filepath.Join(at, filepath.Base(path)), digest)
	if err == nil || errors.Is(err, projectfiles.ErrUntrusted) {
		return err
	}
	folder := t.r.home.Finder.GitRoot(at)
	if folder == "" {
		folders, _ := t.List() // what cannot be read is the error already
		for _, trusted := range folders {
			if (permit.Folders{Primary: trusted}).Contains(at) && len(trusted) > len(folder) {
				folder = trusted
			}
		}
	}
	return fmt.Errorf("%w; to see what it would do now: sidestick trust --list; to agree: sidestick trust %s", err, shellword.Quote(folder))
}

// Add trusts a folder and all below it, for every session, as they are now.
func (t TrustedFolders) Add(path string) error {
	seen, err := t.Look(path)
	if err != nil {
		return err
	}
	return t.r.home.Grants.Trust(seen.Folder, seen.contents)
}

// FileState is how a file of a trusted folder compares with what the user has agreed to.
type FileState string

const (
	FileSame    FileState = ""
	FileChanged FileState = "changed"
	FileNew     FileState = "new"
	FileGone    FileState = "gone"
)

// TrustedFile is one file of a folder that has a power, or a script that one of them names.
type TrustedFile struct {
	File  string // relative to the folder, with slashes
	State FileState
	// Before is what the user has agreed to, Now what the file is; zero for a file that is new or gone.
	Before, Now projectfiles.Agreed
}

// TrustedFiles are the files of a folder, and whether they count.
type TrustedFiles struct {
	Folder string // resolved
	// Looked is false if the user has not agreed to any content of the folder: it is not trusted, or an
	// older version trusted it.
	Looked bool
	// Files are in the order of the table of package projectfiles, scripts after them, those that are gone last.
	Files []TrustedFile
	// Left says what is left out, and has no power, and why.
	Left []string

	contents map[string]projectfiles.Agreed // by the path of each file
}

// Changed returns the files that have changed, are new or are gone.
func (f TrustedFiles) Changed() []TrustedFile {
	return slices.DeleteFunc(slices.Clone(f.Files), func(one TrustedFile) bool { return one.State == FileSame })
}

// Agree trusts a folder with the content that [TrustedFolders.Look] has returned, and that the user was shown. The
// error is [fault.Conflict] if the folder has another content by now, and then nothing is trusted.
func (t TrustedFolders) Agree(shown TrustedFiles) error {
	now, err := t.Look(shown.Folder)
	if err != nil {
		return err
	}
	same := maps.EqualFunc(shown.contents, now.contents, func(a, b projectfiles.Agreed) bool { return a.Digest == b.Digest })
	if now.Folder != shown.Folder || !same {
		f := fault.New(fault.Conflict, "session.permissions.folderTrust", shown.Folder, "its files have changed since they were shown, so it is not trusted as they are now")
		f.Hint = "look at them again"
		return f
	}
	return t.r.home.Grants.Trust(shown.Folder, shown.contents)
}

// Look says what trusting a folder means, and trusts nothing: the bytes that were read to say what a file does are those
// that its digest is of.
func (t TrustedFolders) Look(path string) (seen TrustedFiles, err error) {
	dir, err := t.real(path)
	if err != nil {
		return seen, err
	}
	known, looked, err := t.r.home.Grants.Contents(dir)
	if err != nil {
		return seen, err
	}
	now := t.r.home.Finder.Agreement(dir)
	seen = TrustedFiles{Folder: dir, Looked: looked, Left: now.Left, contents: now.Files}
	for _, file := range now.Order {
		one := TrustedFile{File: file, Now: now.Files[file], State: FileSame}
		before, ok := known[file]
		switch one.Before = before; {
		case !ok:
			one.State = FileNew
		case before.Digest != one.Now.Digest:
			one.State = FileChanged
		}
		seen.Files = append(seen.Files, one)
	}
	for _, file := range slices.SortedFunc(maps.Keys(known), strings.Compare) {
		if _, there := now.Files[file]; !there {
			seen.Files = append(seen.Files, TrustedFile{File: file, State: FileGone, Before: known[file]})
		}
	}
	return seen, nil
}

// Remove undoes [TrustedFolders.Add]. [fault.NotFound] if that folder was not trusted; a folder
// in a trusted one stays trusted.
func (t TrustedFolders) Remove(path string) error {
	dir, err := t.real(path)
	if err != nil {
		return err
	}
	return t.r.home.Grants.Distrust(dir)
}

// replaced ends the trust in the copy of a repository, and in folders of it, because it gets other content
// than the user has looked at.
func (t TrustedFolders) replaced(path string) error {
	dir, err := t.real(path)
	if err != nil {
		return err
	}
	return t.r.home.Grants.DistrustBelow(dir)
}

func (t TrustedFolders) real(path string) (dir string, err error) {
	if dir = t.r.home.Paths.RealPath(path, t.r.opts.Cwd); dir == "" {
		return "", fault.New(fault.Invalid, "session.permissions.folderTrust", "", "it cannot be known where %q leads", path)
	}
	return dir, nil
}

// List returns the folders, with links resolved, in the order in which the user trusted them.
func (t TrustedFolders) List() ([]string, error) { return t.r.home.Grants.TrustedFolders() }
