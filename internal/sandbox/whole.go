package sandbox

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the mounts for protected names. bwrap can make about 3,000 mounts, and needs a second for
// 1,000; its arguments, in which each path is twice, have to stay below two megabytes. A path that is too
// long for the kernel cannot be mounted. Beyond a limit, the folders that hold the names are
// covered as a whole.
const (
	mostMounts    = 1200
	mostPathBytes = 400 << 10
	mostPath      = 3000 // bytes; the kernel has 4,096, and bwrap puts names before it
)

// coverWhole returns paths of which none can be written if all of the given ones are not to be: the
// paths themselves, and where these are too many, folders that hold them. A folder with many of them
// comes before one with few, and one of the roots, which are the allowed folders, comes last: if
// it is covered, commands that write there fail, and the user is asked whether they run outside.
func coverWhole(roots, paths []string, most int) []string {
	paths = slices.Clone(paths)
	for i, path := range paths {
		root := rootOf(roots, path)
		for len(paths[i]) > mostPath && paths[i] != root {
			paths[i] = filepath.Dir(paths[i])
		}
	}
	paths = outermost(roots, paths)
	for many := most; many > 1 && tooMany(roots, paths, most); many /= 2 {
		direct := map[string]int{}
		for at := range steps(roots, paths) {
			direct[filepath.Dir(at)]++
		}
		paths = lifted(roots, paths, func(folder string) bool { return direct[folder] >= many })
	}
	if tooMany(roots, paths, most) { // what is at the tops
		paths = lifted(roots, paths, func(string) bool { return true })
	}
	for len(roots) > 0 && tooMany(roots, paths, most) {
		in := map[string]int{}
		for _, path := range paths {
			in[rootOf(roots, path)]++
		}
		fullest := slices.MaxFunc(roots, func(a, b string) int { return in[a] - in[b] })
		if in[fullest] <= 1 {
			break // one mount for each allowed folder
		}
		paths = outermost(roots, append(paths, fullest))
	}
	return paths
}

// lifted replaces paths by the uppermost folder below an allowed one that holds them and is to be
// covered.
func lifted(roots, paths []string, covers func(folder string) bool) []string {
	for i, path := range paths {
		root := rootOf(roots, path)
		for at := filepath.Dir(path); len(at) > len(root); at = filepath.Dir(at) {
			if covers(at) {
				paths[i] = at
			}
		}
	}
	return outermost(roots, paths)
}

// tooMany reports whether mounts for paths are beyond the limits, with those that keep the
// folders between them and the allowed ones in place.
func tooMany(roots, paths []string, most int) bool {
	count, size := 0, 0
	for at := range steps(roots, paths) {
		count, size = count+1, size+len(at)
	}
	return count > most || size > mostPathBytes
}

// steps returns the paths, and the folders between them and the allowed folders that hold them.
func steps(roots, paths []string) map[string]bool {
	all := map[string]bool{}
	for _, path := range paths {
		root := rootOf(roots, path)
		for at := path; len(at) > len(root) && !all[at]; at = filepath.Dir(at) {
			all[at] = true
		}
		if path == root {
			all[path] = true
		}
	}
	return all
}

// rootOf returns the innermost of the roots that holds a path.
func rootOf(roots []string, path string) (root string) {
	for _, r := range roots {
		if within(r, path) && len(r) >= len(root) {
			root = r
		}
	}
	return root
}

// outermost returns paths without those that are below another one of the same root, sorted. An
// allowed folder in another one has a mount of its own, so covering that one does not cover it.
func outermost(roots, paths []string) []string {
	type placed struct{ root, path, key string }
	var all []placed
	for _, path := range paths {
		// A folder comes right before what is in it if the slash is the smallest character.
		all = append(all, placed{rootOf(roots, path), path, strings.ReplaceAll(path, "/", "\x00")})
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.key, b.key)) })
	var kept []string
	last := placed{}
	for _, p := range all {
		if last.path == "" || p.root != last.root || !within(last.path, p.path) {
			kept, last = append(kept, p.path), p
		}
	}
	return kept
}
