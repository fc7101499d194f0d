package plugin

import (
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// SetBuiltin replaces the plugins that a host sets for its process by the paths of their
// folders. If one cannot be read, nothing is changed.
func (s *Store) SetBuiltin(paths []string) error {
	if len(paths) > maxPlugins {
		return fault.New(fault.Invalid, "", "", "%d paths, want %d or fewer", len(paths), maxPlugins)
	}
	var list []Plugin
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return fault.New(fault.Invalid, "", "", "%q is not absolute", path)
		}
		p, err := s.load(filepath.Clean(path))
		if err != nil {
			return err
		}
		p.Builtin = true
		list = append(list, p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosted = list
	return nil
}

// SetAdditional replaces the plugins that a host adds to those that are installed. Each needs
// a folder of this machine.
func (s *Store) SetAdditional(list []Plugin) error {
	if len(list) > maxPlugins {
		return fault.New(fault.Invalid, "", "", "%d plugins, want %d or fewer", len(list), maxPlugins)
	}
	for _, p := range list {
		if info, err := s.fs.Stat(p.Dir); err != nil || !info.IsDir() || !filepath.IsAbs(p.Dir) {
			return fault.New(fault.Invalid, "", "", "the plugin %q: its cache_path %q is not a folder of this machine", p.Name, p.Dir)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added = slices.Clone(list)
	return nil
}

// Explicit describes the plugins in folders that a client names for its session; a folder may
// be relative to cwd. The errors are of those that cannot be used.
func (s *Store) Explicit(dirs []string, cwd string) (list []Plugin, errs []error) {
	for _, source := range dirs[:min(len(dirs), maxPlugins)] {
		dir, err := s.folder(source, cwd)
		if err == nil {
			var p Plugin
			if p, err = s.load(dir); err == nil {
				list = append(list, p)
				continue
			}
		}
		errs = append(errs, err)
	}
	return list, errs
}

// Use adds the plugins in folders that the command line names to those of all sessions. Folders
// that cannot be used are left out; see [Store.Explicit].
func (s *Store) Use(dirs []string) {
	list, _ := s.Explicit(dirs, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named = list
}

// Active returns the plugins that sessions use beside those of their clients: those of the command line,
// what hosts have set and, if all is set, what the user has installed. Only plugins that are on are in it.
func (s *Store) Active(all bool) ([]Plugin, error) {
	s.mu.Lock()
	list := slices.Concat(s.named, s.hosted, s.added)
	s.mu.Unlock()
	var err error
	if all {
		var user []Plugin
		user, err = s.List()
		list = append(list, user...)
	}
	return slices.DeleteFunc(list, func(p Plugin) bool { return !p.Enabled }), err
}
