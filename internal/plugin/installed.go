package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// maxPlugins bounds the plugins of a user.
const maxPlugins = 500

// List returns the installed plugins, in the order of their installation.
func (s *Store) List() ([]Plugin, error) {
	f, err := s.read()
	list := make([]Plugin, len(f.Plugins))
	for i, p := range f.Plugins {
		list[i] = p.plugin()
	}
	return list, err
}

// DirectID is the stable name of the source of a plugin that has no marketplace, else "".
func (p *Plugin) DirectID() string {
	if p.Marketplace != "" || p.Builtin {
		return ""
	}
	hash := sha256.Sum256([]byte(p.Dir))
	return hex.EncodeToString(hash[:8])
}

// Skills returns how many skills a plugin has now.
func (s *Store) Skills(p Plugin) int { return countSkills(s.fs, p.Dir) }

// Unused names the parts of a plugin that have no effect here.
func (s *Store) Unused(p Plugin) []string { return Unused(s.fs, p.Dir) }

// Install installs "plugin@marketplace", or the plugin in a folder, which may be relative to
// from, or in a git repository. Installing it again updates it. The error is [fault.NotFound] for a plugin or folder
// that does not exist.
func (s *Store) Install(ctx context.Context, source, from string) (Plugin, error) {
	p, where, err := s.resolve(ctx, source, from, false)
	if err != nil {
		return p, err
	}
	p.Enabled = true
	return p, s.change(ctx, func(f *file) error {
		next := installed{p.Name, p.Marketplace, p.Version, p.Dir, where, true}
		same := func(i installed) bool { return next.same(i) }
		if at := slices.IndexFunc(f.Plugins, same); at >= 0 {
			f.Plugins[at] = next
			return nil
		}
		if len(f.Plugins) >= maxPlugins {
			return fault.New(fault.Unavailable, "", "", "%d plugins are installed, and there cannot be more", maxPlugins)
		}
		f.Plugins = append(f.Plugins, next)
		return nil
	})
}

// same reports whether two records are of the same plugin.
func (i installed) same(j installed) bool {
	return i.Name == j.Name && i.Marketplace == j.Marketplace && (i.Marketplace != "" || i.Path == j.Path)
}

// resolve finds the plugin of a source, and the address of its repository if the plugin is a
// copy of one. If the source is the path of an existing folder, it means that folder. anew
// copies repositories again.
func (s *Store) resolve(ctx context.Context, source, from string, anew bool) (p Plugin, where string, err error) {
	dir, where, err := s.fetch(ctx, source, from, anew)
	if err == nil {
		p, err = s.load(dir)
		return p, where, err
	}
	name, market, ok := strings.Cut(source, "@")
	if !ok || checkName(name) != nil || checkName(market) != nil {
		return p, "", err
	}
	c, at, err := s.find(market)
	if err != nil {
		return p, "", err
	}
	m, dir, err := c.entry(name, at)
	if err == nil && dir == "" {
		if where, err = entryAddress(m.Source); err != nil {
			err = fault.New(fault.Invalid, "", "", "the plugin %s@%s: %w", name, market, err)
		} else {
			dir, err = s.checkout(ctx, where, anew)
		}
	}
	if err == nil {
		p, err = s.load(dir)
	}
	if err != nil {
		return Plugin{}, "", err
	}
	p.Name, p.Marketplace, p.Version = name, market, cmp.Or(p.Version, m.Version)
	return p, where, nil
}

// load describes the plugin in a folder. Without a manifest it has the name of its folder, and
// must have a part of a plugin.
func (s *Store) load(dir string) (Plugin, error) {
	invalid := func(err error) (Plugin, error) {
		return Plugin{}, fault.New(fault.Invalid, "", "", "the plugin in %s: %w", dir, err)
	}
	if info, err := s.fs.Stat(dir); err != nil {
		return Plugin{}, vfs.Failure("plugins", dir, err)
	} else if !info.IsDir() {
		return invalid(errors.New("it is not a folder"))
	}
	m := manifest{Name: filepath.Base(dir)}
	err := readFirst(s.fs, dir, pluginFiles(), &m)
	if errors.Is(err, errNone) {
		if err = nil; countSkills(s.fs, dir) == 0 && !s.hasParts(dir) {
			err = errors.New("it has no plugin.json, no skill, and no other part of a plugin")
		}
	}
	if err == nil {
		err = checkName(m.Name)
	}
	if err != nil {
		return invalid(err)
	}
	return Plugin{Name: m.Name, Version: m.Version, Dir: dir, Enabled: true}, nil
}

// hasParts reports whether a folder has a part of a plugin other than skills.
func (s *Store) hasParts(dir string) bool {
	return slices.ContainsFunc(projectfiles.All(), func(e projectfiles.Entry) bool {
		if e.In != projectfiles.Plugin || e.Kind == projectfiles.Skills || e.Kind == projectfiles.Plugins {
			return false
		}
		_, err := s.fs.Stat(e.Below(dir))
		return err == nil
	})
}

// match reports whether name is the name or the full name of a plugin.
func match(i installed, name string) bool {
	p := i.plugin()
	return i.Name == name || p.Spec() == name
}

// Uninstall removes a plugin by its name or full name, and for one without a marketplace by its
// [Plugin.DirectID], too. [fault.Conflict] if several have that name.
func (s *Store) Uninstall(ctx context.Context, name, directID string) error {
	return s.change(ctx, func(f *file) error {
		var at []int
		for n, i := range f.Plugins {
			p := i.plugin()
			if match(i, name) && (directID == "" || p.DirectID() == directID) {
				at = append(at, n)
			}
		}
		switch len(at) {
		case 0:
			return fault.New(fault.NotFound, "", "", "no plugin %q is installed", name)
		case 1:
			f.Plugins = slices.Delete(f.Plugins, at[0], at[0]+1)
			return nil
		}
		return fault.New(fault.Conflict, "", "", "%d plugins are called %q; name its marketplace, or the directSourceId of one", len(at), name)
	})
}

// Update updates an installed plugin: it copies its repository again, and reads its version. A
// plugin in a folder is used in place, so only its version is read.
func (s *Store) Update(ctx context.Context, name string) (now Plugin, before string, err error) {
	list, err := s.List()
	if err != nil {
		return now, "", err
	}
	for _, p := range list {
		if p.Name != name && p.Spec() != name {
			continue
		}
		source := p.Spec()
		if p.Marketplace == "" {
			source = p.Dir
		}
		if address := s.addressOf(p); p.Marketplace == "" && address != "" {
			source = address
		}
		var where string
		if now, where, err = s.resolve(ctx, source, "", true); err != nil {
			return now, p.Version, err
		}
		now.Enabled = p.Enabled
		return now, p.Version, s.change(ctx, func(f *file) error {
			for n, i := range f.Plugins {
				if i.same(installed{Name: p.Name, Marketplace: p.Marketplace, Path: p.Dir}) {
					f.Plugins[n].Version, f.Plugins[n].Path, f.Plugins[n].URL = now.Version, now.Dir, where
				}
			}
			return nil
		})
	}
	return now, "", fault.New(fault.NotFound, "", "", "no plugin %q is installed", name)
}

// addressOf returns the address of the repository that an installed plugin is a copy of, or "".
func (s *Store) addressOf(p Plugin) string {
	f, _ := s.read()
	for _, i := range f.Plugins {
		if i.Path == p.Dir {
			return i.URL
		}
	}
	return ""
}

// SetEnabled turns plugins on or off by their names. Names that are not installed, and plugins
// without a marketplace, which are always on, are ignored, as the protocol demands.
func (s *Store) SetEnabled(ctx context.Context, names []string, on bool) error {
	return s.change(ctx, func(f *file) error {
		for n, i := range f.Plugins {
			if i.Marketplace != "" && slices.ContainsFunc(names, func(name string) bool { return match(i, name) }) {
				f.Plugins[n].Enabled = on
			}
		}
		return nil
	})
}
