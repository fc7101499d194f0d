package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Plugin is one plugin.
type Plugin struct {
	Name        string
	Marketplace string // "": it was installed from its own folder
	Version     string // at the time of its installation or last update
	Dir         string // absolute
	Enabled     bool
	Builtin     bool // a host has set it for its process
}

// Spec is the plugin's full name.
func (p *Plugin) Spec() string {
	if p.Marketplace == "" {
		return p.Name
	}
	return p.Name + "@" + p.Marketplace
}

// Store keeps which plugins are installed: plugins.json in the user's folder, which several
// processes share, or memory if there is no such folder. It is safe for concurrent use.
type Store struct {
	fs   vfs.FS
	path string // "": in memory
	cwd  string // relative folders are relative to it

	checkouts string // the folder of copies of repositories; "": there are none
	clone     Clone
	replaced  func(dir string) error // see OnReplace; nil: nobody needs to know
	fetching  sync.Mutex             // held while a copy is made

	mu     sync.Mutex // guards the rest; held while the file is changed
	memory file
	hosted []Plugin // that hosts have set with SetBuiltin
	added  []Plugin // that hosts have set with SetAdditional
	named  []Plugin // of the command line
}

// file is the content of plugins.json.
type file struct {
	Version      int           `json:"version"` // 1
	Marketplaces []marketplace `json:"marketplaces"`
	Plugins      []installed   `json:"plugins"`
}

type marketplace struct {
	Name string `json:"name"`
	Path string `json:"path"`          // absolute
	URL  string `json:"url,omitempty"` // of the repository that Path is a copy of
}

type installed struct {
	Name        string `json:"name"`
	Marketplace string `json:"marketplace,omitempty"`
	Version     string `json:"version,omitempty"`
	Path        string `json:"path"`          // absolute
	URL         string `json:"url,omitempty"` // of the repository that Path is a copy of
	Enabled     bool   `json:"enabled"`
}

func (i installed) plugin() Plugin {
	return Plugin{Name: i.Name, Marketplace: i.Marketplace, Version: i.Version, Dir: i.Path, Enabled: i.Enabled}
}

// NewStore returns the store in the user's folder home; "": in memory. It reads nothing yet.
// cwd is the folder that relative sources are relative to, if the caller names none.
func NewStore(fsys vfs.FS, home, cwd string) *Store {
	s := &Store{fs: fsys, cwd: cwd}
	if home != "" {
		s.path, s.checkouts = filepath.Join(home, "plugins.json"), filepath.Join(home, "plugins")
	}
	return s
}

// CloneWith has repositories copied into the folder "plugins" of the user's folder. Without it
// they are refused. Call it before the store is used.
func (s *Store) CloneWith(c Clone) { s.clone = c }

// OnReplace has f called before the copy of a repository in a folder is replaced by one with other
// content. If f fails, the earlier copy stays. Call it before the store is used.
func (s *Store) OnReplace(f func(dir string) error) { s.replaced = f }

// read returns the list. [fault.Invalid] if the file is damaged.
func (s *Store) read() (file, error) {
	if s.path == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.memory.clone(), nil
	}
	data, err := s.fs.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{Version: 1}, nil
	}
	if err != nil {
		return file{}, vfs.Failure("plugins", s.path, err)
	}
	return s.parse(data)
}

func (s *Store) parse(data []byte) (f file, err error) {
	if data == nil {
		return file{Version: 1}, nil
	}
	if err = fault.DecodeObject(data, &f); err == nil && f.Version > 1 {
		err = errors.New("a newer version of this program has written it")
	}
	if err != nil {
		return f, &fault.Error{Op: "plugins", On: s.path, Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it and install the plugins again"}
	}
	f.Version = 1
	return f, nil
}

// change changes the list. If f fails, nothing is changed.
func (s *Store) change(ctx context.Context, f func(list *file) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		next := s.memory.clone()
		if err := f(&next); err != nil {
			return err
		}
		s.memory = next
		return nil
	}
	err := vfs.Change(ctx, s.fs, s.path, func(now []byte) ([]byte, error) {
		list, err := s.parse(now)
		if err != nil {
			return nil, err
		}
		if err := f(&list); err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(list, "", "  ")
		return append(data, '\n'), err
	})
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("plugins", s.path, err)
}

func (f file) clone() file {
	f.Marketplaces = append([]marketplace(nil), f.Marketplaces...)
	f.Plugins = append([]installed(nil), f.Plugins...)
	return f
}

// folder returns a folder of this machine that a client names as a source.
func (s *Store) folder(source, from string) (string, error) {
	dir := source
	if !filepath.IsAbs(dir) {
		if from == "" {
			from = s.cwd
		}
		dir = filepath.Join(from, filepath.FromSlash(dir))
	}
	info, err := s.fs.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return filepath.Clean(dir), nil
	case err == nil:
		return "", fault.New(fault.Invalid, "", "", "%s is not a folder", dir)
	case errors.Is(err, fs.ErrNotExist):
		return "", &fault.Error{
			Kind: fault.NotFound, Err: errors.New(source + " is not a folder of this machine"),
			Hint: "give the path of a folder; plugins.install and plugins.marketplaces.add also take OWNER/REPO of a repository on GitHub, and https addresses",
		}
	}
	return "", vfs.Failure("plugins", dir, err)
}
