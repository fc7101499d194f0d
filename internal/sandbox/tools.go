package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tool is a folder or file of a toolchain: path is where programs look for it, real is the same
// path with its links resolved.
type tool struct{ path, real string }

// tools returns the folders and files of toolchains that a policy allows reading.
//
// Those in an allowed folder, or reached by a link in one, are left out: what is there can be
// read anyway, and a command that may write there chooses where such a link leads.
func (m machine) tools(p Policy) (all []tool) {
	if p.NoTools {
		return nil
	}
	secrets := m.hidden()
	for _, path := range toolPaths(m.env, m.home) {
		steps := resolve(path)
		if len(steps) == 0 {
			continue
		}
		t := tool{path, steps[len(steps)-1]}
		changeable := func(folder string) bool {
			return slices.ContainsFunc(steps, func(step string) bool { return within(folder, step) })
		}
		secret := func(s string) bool { return within(s, t.real) }
		if t.real != "/" && !within(t.real, m.home) && !slices.ContainsFunc(p.allowed(), changeable) && !slices.ContainsFunc(secrets, secret) {
			all = append(all, t)
		}
	}
	return all
}

// toolPaths returns where toolchains can be, for an environment and a home folder.
func toolPaths(env []string, home string) []string {
	var all []string
	for _, name := range toolFolders {
		all = append(all, filepath.Join(home, name))
	}
	for _, v := range toolVariables {
		for _, folder := range filepath.SplitList(variable(env, v[0])) {
			all = append(all, filepath.Join(folder, v[1]))
		}
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		all = append(all, folder)
		steps := resolve(filepath.Clean(folder))
		if filepath.Base(folder) == "bin" && !slices.ContainsFunc(steps, func(step string) bool { return ownProject(home, step) }) {
			for _, name := range besides {
				all = append(all, filepath.Join(filepath.Dir(folder), name))
			}
		}
	}
	return clean(all)
}

// ownProject reports whether a folder is below the home folder, and not in one whose name
// begins with a dot, as toolchains have: then what is beside it is the user's.
func ownProject(home, folder string) bool {
	return within(home, folder) && !strings.Contains(folder[len(home):], "/.")
}

// maxLinks bounds the links that lead from one path to a file. Source: path_resolution(7).
const maxLinks = 40

// resolve returns an absolute, clean path, and then what it becomes with each of its links
// resolved; the last step has none. It returns nothing if there is no file.
func resolve(path string) (steps []string) {
	for range maxLinks {
		steps = append(steps, path)
		next, err := followed(path)
		switch {
		case err != nil:
			return nil
		case next == path:
			return steps
		}
		path = next
	}
	return nil
}

// followed returns a path with its first link resolved.
func followed(path string) (string, error) {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		info, err := os.Lstat(path[:end])
		if err != nil {
			return "", err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		target, err := os.Readlink(path[:end])
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path[:end]), target)
		}
		return filepath.Join(target, path[end:]), err
	}
	return path, nil
}

// hidden returns the files that no list of folders brings into a sandbox, with their links
// resolved: those that exist.
func (m machine) hidden() []string {
	all := slices.Clone(systemSecrets)
	for _, name := range slices.Concat(toolSecrets, personal) {
		all = append(all, filepath.Join(m.home, name))
	}
	return resolved(all)
}

// resolved returns paths with their links resolved, without those that do not exist.
func resolved(paths []string) (all []string) {
	for _, path := range paths {
		if steps := resolve(path); len(steps) > 0 {
			all = append(all, steps[len(steps)-1])
		}
	}
	return clean(all)
}
