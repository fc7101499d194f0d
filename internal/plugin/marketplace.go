package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tree"
)

// Marketplace is a folder that lists plugins.
type Marketplace struct {
	Name    string
	Source  string
	Default bool // it comes with this program
}

// Own is the marketplace of the plugins that come with this program. There are none so far.
const Own = "sidestick"

// maxMarketplaces bounds the marketplaces of a user.
const maxMarketplaces = 100

// Marketplaces lists the marketplaces, the program's own first.
func (s *Store) Marketplaces() ([]Marketplace, error) {
	f, err := s.read()
	list := []Marketplace{{Name: Own, Source: "plugins that come with sidestick", Default: true}}
	for _, m := range f.Marketplaces {
		list = append(list, Marketplace{Name: m.Name, Source: cmp.Or(m.URL, m.Path)})
	}
	return list, err
}

// AddMarketplace adds the marketplace in a folder, and returns its name. A relative folder is
// relative to from. Adding it again changes nothing; [fault.Conflict] if another folder's has
// the same name.
func (s *Store) AddMarketplace(ctx context.Context, source, from string) (string, error) {
	dir, where, err := s.fetch(ctx, source, from, false)
	if err != nil {
		return "", err
	}
	c, err := s.catalogue(dir)
	if err != nil {
		return "", err
	}
	return c.Name, s.change(ctx, func(f *file) error {
		for _, m := range f.Marketplaces {
			if m.Name == c.Name && m.Path != dir {
				return fault.New(fault.Conflict, "", "", "a marketplace %q was added from %s; remove it first", m.Name, m.Path)
			}
			if m.Name == c.Name {
				return nil
			}
		}
		if len(f.Marketplaces) >= maxMarketplaces {
			return fault.New(fault.Unavailable, "", "", "there are %d marketplaces, and there cannot be more", maxMarketplaces)
		}
		f.Marketplaces = append(f.Marketplaces, marketplace{c.Name, dir, where})
		return nil
	})
}

// catalogue reads the manifest of the marketplace in dir.
func (s *Store) catalogue(dir string) (c catalogue, err error) {
	err = readFirst(s.fs, dir, marketplaceFiles(), &c)
	if errors.Is(err, errNone) {
		err = errors.New("it has no marketplace.json, nor one in .github/plugin or .claude-plugin")
	}
	if err == nil {
		err = checkName(c.Name)
	}
	if err == nil && c.Name == Own {
		err = errors.New("the name " + Own + " is taken by the plugins that come with this program")
	}
	if err != nil {
		return c, fault.New(fault.Invalid, "", "", "the marketplace in %s: %w", dir, err)
	}
	c.Plugins = c.Plugins[:min(len(c.Plugins), maxListed)]
	return c, nil
}

// Advertised is a plugin in the list of a marketplace.
type Advertised struct{ Name, Description string }

// Browse lists the plugins of a marketplace.
func (s *Store) Browse(name string) ([]Advertised, error) {
	c, _, err := s.find(name)
	list := []Advertised{}
	for _, m := range c.Plugins {
		list = append(list, Advertised{m.Name, m.Description})
	}
	return list, err
}

// find reads the marketplace of that name, and returns its folder.
func (s *Store) find(name string) (catalogue, string, error) {
	if name == Own {
		return catalogue{Name: Own}, "", nil
	}
	f, err := s.read()
	if err != nil {
		return catalogue{}, "", err
	}
	for _, m := range f.Marketplaces {
		if m.Name == name {
			c, err := s.catalogue(m.Path)
			return c, m.Path, err
		}
	}
	return catalogue{}, "", fault.New(fault.NotFound, "", "", "there is no marketplace %q; add it first", name)
}

// Refresh copies the repository of a marketplace again, if it has one, and then checks that the
// marketplace can be read. A marketplace in a folder is read at each use, so nothing needs to
// be copied.
func (s *Store) Refresh(ctx context.Context, name string) error {
	f, err := s.read()
	if err != nil {
		return err
	}
	for _, m := range f.Marketplaces {
		if m.Name == name && m.URL != "" {
			if _, err := s.checkout(ctx, m.URL, true); err != nil {
				return err
			}
		}
	}
	_, _, err = s.find(name)
	return err
}

// RemoveMarketplace removes a marketplace. If plugins of it are installed, force uninstalls
// them; without it nothing is removed, and their names are returned.
func (s *Store) RemoveMarketplace(ctx context.Context, name string, force bool) (dependent []string, err error) {
	if name == Own {
		return nil, fault.New(fault.Invalid, "", "", "the marketplace %s comes with this program and cannot be removed", Own)
	}
	err = s.change(ctx, func(f *file) error {
		if !slices.ContainsFunc(f.Marketplaces, func(m marketplace) bool { return m.Name == name }) {
			return fault.New(fault.NotFound, "", "", "there is no marketplace %q", name)
		}
		from := func(i installed) bool { return i.Marketplace == name }
		if !force {
			for _, i := range f.Plugins {
				if from(i) {
					dependent = append(dependent, i.Name)
				}
			}
			if dependent != nil {
				return nil
			}
		}
		f.Plugins = slices.DeleteFunc(f.Plugins, from)
		f.Marketplaces = slices.DeleteFunc(f.Marketplaces, func(m marketplace) bool { return m.Name == name })
		return nil
	})
	return dependent, err
}

// leadsOut reports whether links lead from a path in dir to a place outside of dir.
func leadsOut(dir, path string) (bool, error) {
	top, err := tree.Resolve(dir)
	if err != nil {
		return false, err
	}
	real, err := tree.Resolve(path)
	if err != nil {
		return false, err
	}
	within, err := filepath.Rel(top, real)
	return err != nil || !filepath.IsLocal(within), nil
}

// entry returns the folder of a plugin of the marketplace in dir, which must be inside of it; ""
// for a plugin with a repository of its own.
func (c *catalogue) entry(name, dir string) (manifest, string, error) {
	for _, m := range c.Plugins {
		if m.Name != name {
			continue
		}
		var source string
		if json.Unmarshal(m.Source, &source) != nil {
			return m, "", nil
		}
		local := filepath.Clean(filepath.FromSlash(strings.TrimPrefix(source, "./")))
		if !filepath.IsLocal(local) {
			return m, "", fault.New(fault.Invalid, "", "", "the plugin %s@%s has the source %q, which is not a folder of its marketplace", name, c.Name, source)
		}
		folder := filepath.Join(dir, local)
		if leads, err := leadsOut(dir, folder); err != nil || leads {
			return m, "", fault.New(fault.Invalid, "", "", "the plugin %s@%s has the source %q, which is a link that leads out of its marketplace", name, c.Name, source)
		}
		return m, folder, nil
	}
	return manifest{}, "", fault.New(fault.NotFound, "", "", "the marketplace %q has no plugin %q", c.Name, name)
}
