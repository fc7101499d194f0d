package known

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

//go:embed models.json
var published []byte

// index has the models of models.json by "PROVIDER:NAME", and by name alone.
var index = lazy.Value[map[string]*Model]{Make: func() map[string]*Model {
	models, err := parse(published)
	if err != nil {
		panic("models.json: " + err.Error()) // a test reads it
	}
	all := make(map[string]*Model, 3*len(models))
	for i := range models {
		m := &models[i]
		for _, name := range append([]string{m.ID}, m.Aliases...) {
			all[m.Provider+":"+name] = m
			if all[name] == nil {
				all[name] = m
			}
		}
	}
	return all
}}

// Catalogue finds models, in the user's file first. The file is read again when it has changed.
// Safe for concurrent use.
type Catalogue struct {
	fs   vfs.FS
	path string

	mu      sync.Mutex // guards the rest
	changed time.Time
	size    int64
	user    []Model
	err     error
}

// Path returns the user's file in the home of the program, "" if there is no home.
func Path(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "models.json")
}

// New returns a catalogue with the user's file at path, which need not exist; "" means no file. It
// reads nothing. fsys nil is the operating system.
func New(fsys vfs.FS, path string) *Catalogue {
	if fsys == nil {
		fsys = vfs.OS{}
	}
	return &Catalogue{fs: fsys, path: path}
}

// File is the path of the user's file, "" for none.
func (c *Catalogue) File() string { return c.path }

// Found is what is known about a model: User is from the user's file, Published from models.json,
// of the provider that was asked for if Exact is set and else of any. Published has no prices then.
// Both are zero if nothing is known.
type Found struct {
	User, Published Model
	Exact           bool
}

// Model returns what is known, from the user's file first.
func (f Found) Model() Model { return f.User.over(f.Published) }

// Find looks a model up by the name that its provider has for it; provider "" is not known. Names
// with a date or a version of Bedrock behind them are found by what is before it. An error is
// [fault.Invalid] and about the user's file.
func (c *Catalogue) Find(provider, id string) (Found, error) {
	user, err := c.own()
	if err != nil {
		return Found{}, err
	}
	var found Found
	if i := slices.IndexFunc(user, func(m Model) bool { return m.Provider == provider && m.is(id) }); i >= 0 {
		found.User = user[i]
	} else if i := slices.IndexFunc(user, func(m Model) bool { return m.Provider == "" && m.is(id) }); i >= 0 {
		found.User = user[i]
	}
	found.User.Request = requestOf(user, provider, found.User.Request)
	for _, name := range names(id) {
		if m := index.Get()[provider+":"+name]; m != nil && provider != "" {
			found.Published, found.Exact = *m, true
			return found, nil
		}
	}
	for _, name := range names(id) {
		if m := index.Get()[name]; m != nil {
			found.Published = *m
			found.Published.Provider, found.Published.Prices = provider, nil
			return found, nil
		}
	}
	return found, nil
}

func (m *Model) is(id string) bool { return m.ID == id || slices.Contains(m.Aliases, id) }

// ending are endings of names that do not change a model's limits and price: dates, and
// versions of Bedrock. prefix are the regions and the vendor before names of Bedrock.
var (
	ending = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`(-20\d\d-?[01]\d-?[0-3]\d)?(-v\d+(:\d+)?)?$`)
	}}
	prefix = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^((us|eu|apac|jp|au|global)\.)?(anthropic\.)?`)
	}}
)

// names are the names under which a model may be listed, the best one first.
func names(id string) []string {
	all := []string{id}
	short := ending.Get().ReplaceAllString(id, "")
	for _, name := range []string{short, prefix.Get().ReplaceAllString(id, ""), prefix.Get().ReplaceAllString(short, "")} {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Check returns what is wrong with the user's file, nil if nothing, and how many models it has.
func (c *Catalogue) Check() (int, error) {
	user, err := c.own()
	return len(user), err
}

// own returns the models of the user's file.
func (c *Catalogue) own() ([]Model, error) {
	if c == nil || c.path == "" {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := c.fs.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		c.changed, c.user, c.err = time.Time{}, nil, nil
		return nil, nil
	}
	if err == nil && info.ModTime().Equal(c.changed) && info.Size() == c.size && !c.changed.IsZero() {
		return c.user, c.err
	}
	var data []byte
	if err == nil {
		c.changed, c.size = info.ModTime(), info.Size()
		data, err = c.fs.ReadFile(c.path)
	}
	if err == nil {
		c.user, err = parse(data)
	}
	if c.err = nil; err != nil {
		var outer *fs.PathError // its text repeats the path
		if errors.As(err, &outer) {
			err = outer.Err
		}
		c.user, c.err = nil, &fault.Error{
			Op: "models", Kind: fault.Invalid, Err: fmt.Errorf("%s: %w", c.path, err), Hint: "correct the file, or move it away",
		}
	}
	return c.user, c.err
}
