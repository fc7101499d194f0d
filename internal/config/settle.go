package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// settle removes from files what does not count there, and says what and why: from the file of a
// project what a project may not set, and for a server what is for people at a terminal. A server
// has no project, because its sessions work in several folders.
func settle(files []File, server bool) (counting []File, refused []string) {
	var user File
	for _, f := range files {
		if !f.Project {
			user = f
		}
	}
	for _, f := range files {
		if f.Project && server {
			continue
		}
		kept := f
		kept.values = map[string]Value{}
		for name, v := range f.values {
			k := row(name)
			why := ""
			if f.Project {
				why = k.refuses(v, user.values[name], f)
			}
			switch {
			case why != "":
				refused = append(refused, fmt.Sprintf("%s: %s is ignored, because %s", strings.TrimPrefix(v.From, "file "), name, why))
			case server && k.PeopleOnly, f.Project && k.rank != nil && k.less(v, user.values[name]):
			default:
				kept.values[name] = v
			}
		}
		counting = append(counting, kept)
	}
	slices.Sort(refused)
	return counting, refused
}

// NeedsTrust says what the file of a project sets that counts only while the user trusts it, a line for each setting.
func (f File) NeedsTrust() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if row(name).Project != Trusted {
			continue
		}
		v := f.values[name]
		text := strings.Join(append([]string{v.Text}, v.List...), " ")
		for _, key := range slices.Sorted(maps.Keys(v.Table)) {
			text += " " + key + "=" + strings.Join(v.Table[key], " ")
		}
		lines = append(lines, "sets "+name+" = "+strings.TrimSpace(text))
	}
	return lines
}

// refuses says why the value of a project does not count; "" if it may.
func (k *Key) refuses(v, users Value, f File) string {
	switch {
	case k.Project == Never:
		return "the file of a project cannot set it: " + k.Why
	case k.Project == Trusted && !f.Trusted && f.Changed != "":
		return f.Changed + "; to see what it sets now, and to agree: sidestick trust"
	case k.Project == Trusted && !f.Trusted:
		return "the folder is not trusted; to trust it: sidestick trust"
	case k.rank != nil && k.rank(v) < k.rank(k.base(users)):
		return "the file of a project can only make it stricter"
	}
	return ""
}

// base is the value that a project may make stricter: the user's own, or the default.
func (k *Key) base(users Value) Value {
	if users.From == "" {
		return Value{Text: k.unset}
	}
	return users
}

// less reports whether the value of a project adds nothing to that of the user.
func (k *Key) less(v, users Value) bool { return users.From != "" && k.rank(v) <= k.rank(users) }

// checkModels removes models of the project's file that another server than the user's own would
// be called for, and says which.
func (g *given) checkModels(mine Config) (refused []string) {
	at := mine.Provider()
	elsewhere := func(model string) bool {
		c := mine
		c.Model = Setting[string]{Value: model}
		p := c.Provider()
		return at.Kind == None || strings.HasPrefix(model, "extension:") || p.Kind != at.Kind || !SameServer(p.BaseURL, at.BaseURL)
	}
	for _, f := range g.files {
		if !f.Project {
			continue
		}
		for _, name := range []string{"model", "fallback", "subagents.models"} {
			v, ok := f.values[name]
			if !ok {
				continue
			}
			models := v.List
			if name == "model" {
				models = []string{v.Text}
			}
			for _, m := range models {
				if _, named, ok := strings.Cut(m, "="); ok && name == "subagents.models" {
					m = named
				}
				if elsewhere(strings.TrimSpace(m)) {
					delete(f.values, name)
					refused = append(refused, fmt.Sprintf("%s: %s is ignored, because %s is not a model of the provider that you use (%s)",
						strings.TrimPrefix(v.From, "file "), name, ShowURL(m), cmp.Or(at.Vendor, ShowURL(at.BaseURL), "none")))
					break
				}
			}
		}
	}
	return refused
}

// withoutProject are the sources but for the file of the project.
func (g given) withoutProject() given {
	g.files = slices.DeleteFunc(slices.Clone(g.files), func(f File) bool { return f.Project })
	return g
}

// hasProject reports whether there is a file of a project with a setting.
func (g given) hasProject() bool {
	return slices.ContainsFunc(g.files, func(f File) bool { return f.Project && len(f.values) > 0 })
}
