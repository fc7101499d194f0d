// Package settings finds, reads and changes the settings files: the user's own, config.jsonc in the
// folder for configuration, and that of a project, .sidestick/config.jsonc. Package config says what
// can be in them, and what a project may set.
package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Place is where the settings files of a process are.
type Place struct {
	FS vfs.FS
	// User is the path of the user's file; "" if the user has no home directory.
	User string
	// Cwd is the working directory, absolute; "" if there is none.
	Cwd string
}

// maxFile bounds a file, in bytes.
const maxFile = 1 << 20

// UserPath returns the path of the user's settings file: sidestick/config.jsonc below
// $XDG_CONFIG_HOME, if that is an absolute path, else below ~/.config, also on macOS; on Windows
// below %APPDATA%. "" if nothing says where that is.
func UserPath(getenv func(string) string, goos, userHome string) string {
	folder := strings.TrimSpace(getenv("XDG_CONFIG_HOME"))
	if goos == "windows" && folder == "" {
		folder = strings.TrimSpace(getenv("APPDATA"))
	}
	switch {
	case filepath.IsAbs(folder):
	case userHome == "":
		return ""
	default:
		folder = filepath.Join(userHome, ".config")
	}
	return filepath.Join(folder, "sidestick", "config.jsonc")
}

// inProject is the path of the file of a project below its folder.
const inProject = projectfiles.SettingsFile

// ProjectFolder returns the folder of the project whose settings count: the nearest one with a
// settings file, from the working directory up to the root of the git repository. Without such a
// file it is the root of the repository. Outside of a repository it is the working directory. ""
// if there is no working directory. found reports whether there is a file.
func (p Place) ProjectFolder() (folder string, found bool) {
	for dir := p.Cwd; dir != ""; {
		if p.hasFile(dir) && (dir == p.Cwd || p.repository(dir) != "") {
			return dir, filepath.Join(dir, inProject) != p.User
		}
		parent := filepath.Dir(dir)
		if p.hasGit(dir) {
			return dir, false
		}
		if parent == dir {
			break
		}
		dir = parent
	}
	return p.Cwd, false
}

// repository returns the root of the git repository that a folder is in, "" if it is in none.
func (p Place) repository(dir string) string {
	for {
		if p.hasGit(dir) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func (p Place) hasGit(dir string) bool { return p.has(dir, projectfiles.GitFolder) }

func (p Place) hasFile(dir string) bool { return p.has(dir, inProject) }

// has reports whether there is a file in a folder that counts: above the working directory, one
// that is [vfs.Strange] does not.
func (p Place) has(dir, name string) bool {
	path := filepath.Join(dir, name)
	_, err := p.FS.Stat(path)
	return err == nil && !vfs.Strange(p.FS, p.Cwd, dir, path)
}

// Strange returns the settings file above the working directory that would count if another user of
// this machine did not own it; "" if there is none.
func (p Place) Strange() string {
	for dir := p.Cwd; dir != ""; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, inProject)
		if _, err := p.FS.Stat(path); err == nil {
			if p.has(dir, inProject) {
				return ""
			}
			return path
		}
		if p.hasGit(dir) || filepath.Dir(dir) == dir {
			return ""
		}
	}
	return ""
}

// ProjectPath returns the path of the project's file, also if there is none; "" without a working
// directory.
func (p Place) ProjectPath() string {
	folder, _ := p.ProjectFolder()
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, inProject)
}

// Read reads the settings files, that of the project first. A file that does not exist is left out.
// counts says which files of projects the user has agreed to.
//
// A file that is broken is err, also that of a project that is not trusted: what it denies would be allowed
// without it. With anyway set, for a command that only shows what there is, such a file is left out, and
// broken says what is wrong with it.
func (p Place) Read(counts projectfiles.Counts, anyway bool) (files []config.File, broken []error, err error) {
	if folder, found := p.ProjectFolder(); found {
		f, err := p.project(folder, counts)
		switch {
		case err == nil:
			files = append(files, f)
		case !anyway:
			return nil, nil, err
		default:
			broken = append(broken, err)
		}
	}
	f, err := p.ReadUser()
	switch {
	case errors.Is(err, fs.ErrNotExist) || p.User == "":
		return files, broken, nil
	case err == nil:
		return append(files, f), broken, nil
	case anyway:
		return files, append(broken, err), nil
	}
	return nil, nil, err
}

// project reads the file of a project.
func (p Place) project(folder string, counts projectfiles.Counts) (config.File, error) {
	path := filepath.Join(folder, inProject)
	text, err := p.readProject(folder)
	if err != nil {
		return config.File{}, failure(path, err)
	}
	f, err := config.ParseFile(path, text)
	if wrong := new(fault.Error); errors.As(err, &wrong) && wrong.Hint == config.EditHint {
		wrong.Hint += " --project"
	}
	f.Project = true
	refused := counts(path, projectfiles.Digest(text))
	if f.Trusted = refused == nil; refused != nil && !errors.Is(refused, projectfiles.ErrUntrusted) {
		f.Changed = refused.Error()
	}
	return f, err
}

// ReadUser reads the user's file. The error is [fs.ErrNotExist] if there is none.
func (p Place) ReadUser() (config.File, error) {
	if p.User == "" {
		return config.File{}, fs.ErrNotExist
	}
	text, err := p.readUser()
	if err != nil {
		return config.File{}, failure(p.User, err)
	}
	return config.ParseFile(p.User, text)
}

// readUser returns the text of the user's file, if nobody else can change it: it can grant
// permissions, and name programs.
func (p Place) readUser() ([]byte, error) {
	f, err := p.FS.OpenFile(p.User, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 && runtime.GOOS != "windows" { // which has no such modes
		return nil, denied(p.User, "chmod go-w "+p.User, "other users of this machine can change it (its mode is %04o)", mode)
	}
	if vfs.Foreign(info) {
		return nil, denied(p.User, "chown it to yourself, if you trust what it says", "it belongs to another user of this machine")
	}
	return readAll(f, info)
}

// readProject returns the text of the file of a project. Links that lead out of its folder are not
// followed: the text of another file could show up in an error.
func (p Place) readProject(folder string) ([]byte, error) {
	root, err := p.FS.Root(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	f, err := root.OpenFile(inProject, os.O_RDONLY, 0)
	if _, outside := p.FS.Stat(filepath.Join(folder, inProject)); err != nil && outside == nil && !errors.Is(err, vfs.ErrNotRegular) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EISDIR) {
		return nil, errors.New("it is a link that leads out of the project")
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readAll(f, info)
}

func readAll(f io.Reader, info fs.FileInfo) ([]byte, error) {
	if info.Size() > maxFile {
		return nil, fmt.Errorf("it has %d bytes, more than %d", info.Size(), maxFile)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return text, err
}

const op = "settings"

func denied(path, hint, format string, args ...any) error {
	err := fault.New(fault.Invalid, op, path, format, args...)
	err.Hint = hint
	return err
}

// failure returns an error of reading a file as a fault that names it. It is [fault.Invalid],
// because the user can correct it, and [fs.ErrNotExist] if there is no file.
func failure(path string, err error) error {
	if known := new(fault.Error); errors.As(err, &known) {
		return err
	}
	return &fault.Error{Op: op, On: path, Kind: fault.Invalid, Err: fmt.Errorf("the settings cannot be read: %w", vfs.Reason(err)), Hint: "correct it, or move it away"}
}
