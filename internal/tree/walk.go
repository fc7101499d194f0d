package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-pkgs/gitignore"
)

const (
	// MaxWalked bounds the files and folders that one search looks at.
	MaxWalked = 200_000
	// MaxDepth bounds how deep it descends into folders, each of which is an open file.
	MaxDepth = 100
	// maxIgnoreFile bounds a .gitignore, in bytes; the rest is not read.
	maxIgnoreFile = 256 << 10
)

// Tree is a folder that is searched. Everything that it yields is below it, because it
// follows no links.
type Tree struct {
	root    *os.Root
	ignored *gitignore.Matcher
	prefix  string // of the folder in its repository, with a slash at the end, or empty
	walked  int
	depth   int
	// Full says that not all was visited, because MaxWalked or MaxDepth was reached.
	Full bool
}

// Open opens a resolved folder. The .gitignore files of the folders above it
// count too, up to the one that contains .git. The user's global ignore file and
// .git/info/exclude do not, so that a search finds the same on every machine.
func Open(real string) (*Tree, error) {
	root, err := OpenDir(real)
	if err != nil {
		return nil, err
	}
	t := &Tree{root: root, ignored: &gitignore.Matcher{}}
	top, ok := repository(real)
	if !ok || top == real {
		return t, nil
	}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return t, nil // cannot happen: top is above
	}
	t.prefix = filepath.ToSlash(rel) + "/"
	dir := "."
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if above, err := OpenDir(filepath.Join(top, filepath.FromSlash(dir))); err == nil {
			t.ignore(above, strings.TrimPrefix(dir, "."))
			above.Close()
		}
		dir = path.Join(dir, name)
	}
	if t.ignored.MatchPath(strings.TrimSuffix(t.prefix, "/"), true) {
		t.ignored = &gitignore.Matcher{} // who names an ignored folder wants what is in it
	}
	return t, nil
}

// repository returns the nearest folder at or above real that holds .git.
func repository(real string) (string, bool) {
	for dir := real; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// ignore reads the .gitignore of an open folder; rel is the folder's path in the
// repository.
func (t *Tree) ignore(dir *os.Root, rel string) {
	f, _, err := OpenIn(dir, ".gitignore")
	if err != nil {
		return
	}
	defer f.Close()
	if rules, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile)); err == nil {
		t.ignored.AddPatterns(rules, rel)
	}
}

// Each calls f for each file that is not ignored, in the order of the paths,
// which have slashes and begin below the tree. f returns false to stop. .git is
// left out, other hidden files are not. dir is the open folder that name is in,
// for the call only. Folders that cannot be read are left out, as if empty.
func (t *Tree) Each(ctx context.Context, f func(dir *os.Root, rel string, e fs.DirEntry) bool) {
	t.walk(ctx, t.root, "", f)
}

func (t *Tree) walk(ctx context.Context, dir *os.Root, rel string, f func(*os.Root, string, fs.DirEntry) bool) bool {
	t.ignore(dir, strings.TrimSuffix(t.prefix+rel, "/"))
	for _, e := range entries(dir) {
		if ctx.Err() != nil {
			return false
		}
		if t.walked++; t.walked > MaxWalked {
			t.Full = true
			return false
		}
		at := rel + e.Name()
		switch {
		case e.Name() == ".git" || t.ignored.MatchPath(t.prefix+at, e.IsDir()):
		case !e.IsDir():
			if !f(dir, at, e) {
				return false
			}
		default:
			if !t.enter(ctx, dir, e.Name(), at+"/", f) {
				return false
			}
		}
	}
	return true
}

func (t *Tree) enter(ctx context.Context, dir *os.Root, name, rel string, f func(*os.Root, string, fs.DirEntry) bool) bool {
	if t.depth == MaxDepth {
		t.Full = true
		return true
	}
	sub, err := Step(dir, name)
	if err != nil {
		return true
	}
	defer sub.Close()
	t.depth++
	defer func() { t.depth-- }()
	return t.walk(ctx, sub, rel, f)
}

// entries lists a folder in the order of whole paths: a folder counts with the
// slash after it.
func entries(dir *os.Root) []fs.DirEntry {
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	list, err := f.ReadDir(MaxWalked + 1)
	if err != nil && !errors.Is(err, io.EOF) && len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(slashed(a), slashed(b)) })
	return list
}

func slashed(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// Close closes the folder.
func (t *Tree) Close() { t.root.Close() }
