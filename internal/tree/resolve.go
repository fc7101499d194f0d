package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds the symbolic links on one path, as Linux does.
const maxLinks = 40

// Resolve returns an absolute clean path with every symbolic link on the way
// followed, also that of the last name. Names that do not exist are kept: the result for
// a dangling link is where it points. A loop of links is an error.
func Resolve(path string) (string, error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	done, todo := top, strings.TrimPrefix(path[len(volume):], string(filepath.Separator))
	for links := 0; todo != ""; {
		name, rest, _ := strings.Cut(todo, string(filepath.Separator))
		next := filepath.Join(done, name) // a ".." out of a link's target goes up here
		info, err := os.Lstat(next)
		switch {
		case err != nil && !Absent(err):
			return "", err
		case err != nil || info.Mode()&fs.ModeSymlink == 0:
			done, todo = next, rest
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many symbolic links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + string(filepath.Separator)
			target = strings.TrimPrefix(target, done)
		}
		todo = strings.TrimPrefix(filepath.Join(target, rest), string(filepath.Separator))
		if todo == "." {
			todo = ""
		}
	}
	return done, nil
}

// Absent reports that there is nothing at a path, which may be because a part of it is
// a file.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
