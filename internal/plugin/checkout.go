package plugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Clone copies a git repository into a folder that does not exist; see [Git].
type Clone func(ctx context.Context, address, dir string) error

// ownerRepo is the short form of a repository on GitHub.
var ownerRepo = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
}}

// address returns the https address of the git repository that a source names; "" if it names
// none. The error says which other kinds of sources are refused.
func address(source string) (string, error) {
	if ownerRepo.Get().MatchString(source) {
		return "https://github.com/" + source + ".git", nil
	}
	before, _, isURL := strings.Cut(source, "://")
	switch {
	case !isURL && strings.HasPrefix(source, "git@"):
		return "", errors.New("repositories are fetched with https only, not with ssh")
	case !isURL:
		return "", nil
	case before != "https":
		return "", errors.New("repositories are fetched with https only, not with " + fault.Bounded(before))
	}
	u, err := url.Parse(source)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address must be https://HOST/PATH without a user, a query and a fragment; for a private repository, clone it and give the path of the checkout")
	}
	return u.String(), nil
}

// shown is a source without what may be a password or a token: errors, the screen and logs have it.
func shown(source string) string {
	before, after, isURL := strings.Cut(source, "://")
	if !isURL {
		return source
	}
	after, _, _ = strings.Cut(after, "?")
	after, _, _ = strings.Cut(after, "#")
	return before + "://" + after[strings.LastIndexByte(after, '@')+1:]
}

// entryAddress returns the address in the source of a plugin in a marketplace, which is an object.
func entryAddress(source json.RawMessage) (string, error) {
	var o struct{ Source, Repo, URL, Ref, Path, SHA string }
	if json.Unmarshal(source, &o) != nil {
		return "", errors.New("its source is neither a folder nor an object")
	}
	if o.Ref != "" || o.Path != "" || o.SHA != "" {
		return "", errors.New("its source names a ref, a path or a sha, which are not supported; clone the repository, and install the checkout")
	}
	where := ""
	switch o.Source {
	case "github":
		where = o.Repo
	case "url", "git":
		where = o.URL
	default:
		return "", errors.New("its source is of the kind " + fault.Bounded(o.Source) + ", and only github, url and git are fetched")
	}
	found, err := address(where)
	if err == nil && found == "" {
		err = errors.New("its source names no repository")
	}
	return found, err
}

// checkout returns the folder with the copy of a repository. It makes a copy if there is none,
// or if anew is set. If that fails, an earlier copy stays unchanged.
func (s *Store) checkout(ctx context.Context, address string, anew bool) (string, error) {
	if s.checkouts == "" || s.clone == nil {
		return "", fault.New(fault.Unavailable, "plugins", address, "repositories are not fetched here; clone it, and give the path of the checkout")
	}
	hash := sha256.Sum256([]byte(address))
	dir := filepath.Join(s.checkouts, hex.EncodeToString(hash[:8]))
	s.fetching.Lock()
	defer s.fetching.Unlock()
	if err := s.fs.MkdirAll(s.checkouts, 0o700); err != nil {
		return "", vfs.Failure("plugins", s.checkouts, err)
	}
	end, err := s.alone(ctx, dir)
	if err != nil {
		return "", fault.New(fault.Unavailable, "plugins", address, "another process fetches it: %w", err)
	}
	defer end()
	if _, err := s.fs.Stat(dir); err == nil && !anew {
		return dir, nil
	}
	next, old := dir+".new", dir+".old"
	if err = errors.Join(s.fs.RemoveAll(next), s.fs.RemoveAll(old)); err == nil {
		err = s.clone(ctx, address, next)
	}
	if err != nil {
		return "", errors.Join(fault.New(fault.Unavailable, "plugins", address, "it cannot be fetched: %w", err), s.fs.RemoveAll(next))
	}
	if err = s.replace(dir, next); err != nil {
		return "", errors.Join(fault.New(fault.Unavailable, "plugins", address, "the copy of it is not replaced: %w", err), s.fs.RemoveAll(next))
	}
	if err = s.fs.Rename(dir, old); err == nil || errors.Is(err, fs.ErrNotExist) {
		if err = s.fs.Rename(next, dir); err != nil {
			_ = s.fs.Rename(old, dir) // the copy before stays in use
		}
	}
	if err != nil {
		return "", vfs.Failure("plugins", dir, err)
	}
	_ = s.fs.RemoveAll(old) // the next copy tries again
	return dir, nil
}

// replace reports that the copy in a folder gives way to one with other content.
func (s *Store) replace(dir, next string) error {
	if s.replaced == nil {
		return nil
	}
	if _, err := s.fs.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if same, err := s.same(dir, next, true); same && err == nil {
		return nil
	}
	return s.replaced(dir) // also if it cannot be known
}

// same reports whether two folders have the same files. At the top, what git keeps is left out.
func (s *Store) same(a, b string, top bool) (bool, error) {
	left, err := s.fs.ReadDir(a)
	right, other := s.fs.ReadDir(b)
	if err = errors.Join(err, other); err != nil {
		return false, err
	}
	if top {
		kept := func(e fs.DirEntry) bool { return e.Name() == ".git" }
		left, right = slices.DeleteFunc(left, kept), slices.DeleteFunc(right, kept)
	}
	if len(left) != len(right) {
		return false, nil
	}
	for i, e := range left {
		if e.Name() != right[i].Name() || e.Type() != right[i].Type() {
			return false, nil
		}
		one, two := filepath.Join(a, e.Name()), filepath.Join(b, e.Name())
		equal := s.sameFile
		if e.IsDir() {
			equal = func(a, b string) (bool, error) { return s.same(a, b, false) }
		}
		if same, err := equal(one, two); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// sameFile reports whether two files have the same content, and are programs or not alike.
func (s *Store) sameFile(a, b string) (bool, error) {
	one, err := s.fs.Stat(a)
	two, other := s.fs.Stat(b)
	if err = errors.Join(err, other); err != nil || one.Size() != two.Size() || one.Mode() != two.Mode() || one.Size() > maxCompared {
		return false, err
	}
	left, err := s.fs.ReadFile(a)
	right, other := s.fs.ReadFile(b)
	return bytes.Equal(left, right), errors.Join(err, other)
}

// maxCompared bounds a file that is read to compare it, in bytes. A larger one counts as changed.
const maxCompared = 16 << 20

// alone keeps other processes from making the copy in a folder, and waits for one that does.
func (s *Store) alone(ctx context.Context, dir string) (end func(), err error) {
	for {
		lock, err := vfs.Lock(ctx, s.fs, dir+".lock")
		if err == nil {
			return func() { _ = lock.Close() }, nil // nothing was written to it
		}
		if !errors.Is(err, vfs.ErrClaimed) || ctx.Err() != nil {
			return nil, err
		}
	}
}

// fetch returns the folder of a source: one of this machine, or the copy of a repository, whose
// address it returns, too.
func (s *Store) fetch(ctx context.Context, source, from string, anew bool) (dir, where string, err error) {
	dir, local := s.folder(source, from)
	if local == nil {
		return dir, "", nil
	}
	if where, err = address(source); err != nil {
		return "", "", fault.New(fault.Invalid, "plugins", shown(source), "%w", err)
	}
	if where == "" {
		return "", "", local
	}
	dir, err = s.checkout(ctx, where, anew)
	return dir, where, err
}
