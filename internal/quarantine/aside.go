package quarantine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// ending is what the name of something ends with that was moved aside.
const ending = ".untrusted"

// mostNames bounds the names in order that are tried for one file; the next one is random.
const mostNames = 1000

// armed returns what is to be renamed of something that acts: of the folder of a repository its HEAD.
func armed(path string) string {
	if info, err := os.Lstat(path); err == nil && info.IsDir() && strings.EqualFold(filepath.Base(path), ".git") {
		return filepath.Join(path, "HEAD")
	}
	return path
}

// moveAside renames something in its folder, and returns its new path. The folder is opened without following a
// link, so that a command that still runs cannot lead it elsewhere.
func moveAside(path string) (aside string, err error) {
	dir, err := tree.OpenDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrPermission) {
		if undo := readable(filepath.Dir(path)); undo != nil {
			defer undo()
			dir, err = tree.OpenDir(filepath.Dir(path))
		}
	}
	if err != nil {
		return "", vfs.Reason(err)
	}
	defer dir.Close()
	from, another := filepath.Base(path), rand.Text()
	begin := from[:min(len(from), longestName-len("."+another+ending))]
	to := begin + ending
	for i := 2; ; i++ {
		if _, err := dir.Lstat(to); err != nil {
			break
		}
		to = fmt.Sprintf("%s.%d%s", begin, i, ending)
		if i > mostNames { // somebody has taken them; a rename would replace what was moved aside before
			to = begin + "." + another + ending
			break
		}
	}
	return filepath.Join(filepath.Dir(path), to), writably(dir, func() error { return dir.Rename(from, to) })
}

// longestName is how long the name of a file may be on common file systems, in bytes.
const longestName = 255

// writably changes the entries of a folder, also of one whose mode a command has changed so that it cannot be
// changed.
func writably(dir *os.Root, change func() error) error {
	err := change()
	if !errors.Is(err, fs.ErrPermission) {
		return vfs.Reason(err)
	}
	info, wrong := dir.Stat(".")
	if wrong != nil || dir.Chmod(".", info.Mode().Perm()|0o700) != nil {
		return vfs.Reason(err)
	}
	defer func() { _ = dir.Chmod(".", info.Mode().Perm()) }() // the mode that a command has chosen matters less than the change
	return vfs.Reason(change())
}

// readable makes a folder readable whose mode does not let its owner read it, and returns the function that takes
// that back; nil if that is not why it cannot be read.
func readable(path string) (undo func()) {
	dir, err := tree.OpenDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	name := filepath.Base(path)
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o700 == 0o700 || dir.Chmod(name, info.Mode().Perm()|0o700) != nil {
		dir.Close()
		return nil
	}
	return func() {
		defer dir.Close()
		_ = dir.Chmod(name, info.Mode().Perm()) // it may have been moved aside
	}
}

// putBack renames something that was moved aside to its name of before.
func putBack(i Item) error {
	const op = "quarantine"
	dir, err := tree.OpenDir(filepath.Dir(i.Path))
	if err != nil {
		return vfs.Failure(op, filepath.Dir(i.Path), err)
	}
	defer dir.Close()
	if _, err := dir.Lstat(filepath.Base(i.Path)); err == nil {
		return &fault.Error{Op: op, On: i.Path, Kind: fault.Conflict, Err: errors.New("something else has this name by now"), Hint: "move it away first"}
	}
	if err := writably(dir, func() error { return dir.Rename(filepath.Base(i.Aside), filepath.Base(i.Path)) }); err != nil {
		return vfs.Failure(op, i.Aside, err)
	}
	return nil
}

// relink makes a symbolic link again that a command has replaced.
func relink(path, to string) error {
	dir, err := tree.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Symlink(to, filepath.Base(path))
}

// Bounds of a digest. Something larger has none, so that it is never known by its content.
const (
	mostDigested = 64 << 20 // bytes
	mostEntries  = 20_000
)

// gitActing are what a repository acts by, below its folder. HEAD stands for all of it.
var gitActing = []string{
	"config", "config.worktree", "commondir", "hooks", "info/attributes", "modules", "worktrees", "rebase-merge", "rebase-apply", "sequencer",
}

// digestOf returns a digest of a file, a link, or a folder with all that is in it, by names, modes and contents;
// for HEAD of a repository, under this name or aside, of what the repository acts by. It is "" for what is too large or
// cannot be read.
func digestOf(path string) string {
	d := digester{hash: sha256.New(), bytes: mostDigested, entries: mostEntries}
	if err := d.add(path, ""); err != nil {
		return ""
	}
	if base := strings.ToUpper(filepath.Base(path)); base == "HEAD" || strings.HasPrefix(base, "HEAD.") && strings.HasSuffix(base, strings.ToUpper(ending)) {
		for _, name := range gitActing {
			if err := d.add(filepath.Join(filepath.Dir(path), name), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return ""
			}
		}
	}
	return hex.EncodeToString(d.hash.Sum(nil))
}

type digester struct {
	hash           hash.Hash
	bytes, entries int64
	unlinked       bool // a link is an error, because what it leads to can change
}

var (
	errTooLarge = errors.New("it is too large")
	errLink     = errors.New("it has a link")
)

// mostOwn bounds what is remembered of what the user had before the first command, in files with protected names and in
// bytes of each; mostOwnEntries bounds the files in each.
const (
	mostOwn        = 500
	mostOwnBytes   = 1 << 20
	mostOwnEntries = 100
)

// ownDigest is digestOf for a file or a folder without links that is not large; "" for everything else.
func ownDigest(path string) string {
	d := digester{hash: sha256.New(), bytes: mostOwnBytes, entries: mostOwnEntries, unlinked: true}
	if d.add(path, "") != nil {
		return ""
	}
	return hex.EncodeToString(d.hash.Sum(nil))
}

func (d *digester) add(path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if d.entries--; d.entries < 0 {
		return errTooLarge
	}
	fmt.Fprintf(d.hash, "%q %v %d\n", name, info.Mode(), info.Size()*b2i(info.Mode().IsRegular()))
	switch {
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries { // in order of their names
			if err := d.add(filepath.Join(path, e.Name()), name+"/"+e.Name()); err != nil {
				return err
			}
		}
		return nil
	case info.Mode()&fs.ModeSymlink != 0 && d.unlinked:
		return errLink
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		fmt.Fprintf(d.hash, "%q\n", to)
		return err
	case !info.Mode().IsRegular():
		return nil // a pipe or a socket, which has no content of its own
	}
	if d.bytes -= info.Size(); d.bytes < 0 {
		return errTooLarge
	}
	data, err := vfs.OS{}.ReadFile(path) // which does not wait, should it have become a pipe
	d.hash.Write(data)
	return err
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// below returns the path of a file relative to a folder that it is in, "" for the folder itself.
func below(folder, path string) (relative string, in bool) {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	if !ok || rest != "" && rest[0] != filepath.Separator {
		return "", false
	}
	return strings.TrimPrefix(rest, string(filepath.Separator)), true
}

// rootOf returns the innermost of some folders that holds a path, "" if none does.
func rootOf(folders []string, path string) (root string) {
	for _, f := range slices.Clone(folders) {
		if _, in := below(f, path); in && len(f) > len(root) {
			root = f
		}
	}
	return root
}
