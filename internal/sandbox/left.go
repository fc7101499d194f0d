package sandbox

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// mostPrivate bounds the files that [Boxes.Private] returns.
const mostPrivate = 20_000

// Private returns the files in the private folders of the sandbox with a policy, by their names inside, and
// for each a text that changes when the file does. The caches of compilers and of package managers are left out. Of more
// than 20,000 files it returns these. It is empty if the sandbox is not running.
func (b *Boxes) Private(p Policy) map[string]string {
	found := map[string]string{}
	for inside, folder := range b.privateFolders(p) {
		_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error { // what cannot be read has not been written by an ordinary program
			switch {
			case err != nil || path == folder:
				return nil
			case scratch(e.Name()):
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			case len(found) >= mostPrivate:
				return fs.SkipAll
			case e.IsDir():
				return nil
			}
			if info, err := e.Info(); err == nil {
				found[inside+path[len(folder):]] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return found
}

// scratch reports whether a file or folder with that name is one that programs make for themselves and make again.
func scratch(name string) bool {
	return slices.Contains([]string{".cache", ".npm", ".config", ".local", "__pycache__", ".pytest_cache", ".node_repl_history", ".python_history", "node-compile-cache", ".lesshst", ".wget-hsts"}, name) ||
		slices.ContainsFunc([]string{"pytest-of-", "go-build", "v8-compile-cache", "hsperfdata_", "tsx-", "jest_"}, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
