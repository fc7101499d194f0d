package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// machine is what a sandbox is made of on this machine.
type machine struct {
	program string   // of this program, resolved
	home    string   // the user's home folder, resolved
	env     []string // the environment of this program
	hide    []string // folders that no command may see, such as this program's own
	memory  *memory  // of the looks at the allowed folders; nil: there was none
}

// rooms are the private folders of one sandbox, on the machine.
type rooms struct {
	home string // seen as the user's home folder
	tmp  string // seen as /tmp and /var/tmp
	git  string // a file with the user's settings of git
	keep string // for caches, kept for later sandboxes; empty: they are not kept
	own  string // seen under its own path; shells leave their state in it
}

// programInside is where this program is in a sandbox of namespaces.
const programInside = "/run/sidestick"

// gitInside is where the user's settings of git are in a sandbox of namespaces.
const gitInside = "/run/gitconfig"

// homeInside is the private home folder if the user's home is in one of the allowed folders.
const homeInside = "/run/home"

// caches are the folders of the private home that are kept: a later build need not begin anew.
// Only they are, because a later sandbox must find nothing else in its home that an earlier
// one has put there.
var caches = []string{".cache", ".npm"}

// tmpOf is the folder for temporary files inside: not /tmp if that is an allowed folder.
func (p Policy) tmpOf() string {
	if slices.Contains(p.Folders, "/tmp") {
		return "/var/tmp"
	}
	return "/tmp"
}

// plan returns what a policy makes accessible, in order, the links at the root, and the home
// folder inside. The error is [fault.Invalid] if a folder cannot be confined.
func (m machine) plan(p Policy, r rooms) (mounts []mount, links map[string]string, home string, err error) {
	links = map[string]string{}
	for _, folder := range systemFolders {
		info, err := os.Lstat(folder)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			links[folder], _ = os.Readlink(folder)
		default:
			mounts = append(mounts, mount{path: folder, access: readable})
		}
	}
	for _, tool := range m.tools(p) {
		if _, isLink := links[tool.path]; !isLink {
			mounts = append(mounts, toolMounts(mounts, tool)...)
		}
	}
	mounts = append(mounts, hideIn(mounts, slices.Concat(m.hidden(), restricted(settingsFolders, restrictedDepth, restrictedEntries)))...)
	for _, folder := range []string{"/tmp", "/var/tmp"} {
		if !slices.Contains(p.Folders, folder) {
			mounts = append(mounts, mount{path: folder, from: r.tmp, access: writable})
		}
	}
	for _, folder := range m.hide {
		if exists(folder) {
			at := []mount{{path: folder, access: hidden}}
			mounts = slices.Concat(mounts, at, p.pins(at))
		}
	}
	folders, home, err := m.folders(p)
	if err != nil {
		return nil, nil, "", err
	}
	mounts = append(mounts,
		mount{path: home, from: r.home, access: writable}, mount{path: r.own, access: writable, own: true},
		mount{path: programInside, from: m.program, access: readable}, mount{path: gitInside, from: r.git, access: readable})
	for _, name := range caches {
		if r.keep != "" {
			mounts = append(mounts, mount{path: filepath.Join(home, name), from: filepath.Join(r.keep, name), access: writable})
		}
	}
	mounts = append(mounts, folders...)
	return inOrder(mounts), links, home, nil
}

// toolMounts makes a folder of a toolchain readable, which may be below a mount already.
func toolMounts(mounts []mount, t tool) []mount {
	_, seen := holder(mounts, t.path)
	_, held := holder(mounts, t.real)
	switch {
	case seen && held:
		return nil
	case seen || t.real == t.path:
		return []mount{{path: t.real, access: readable}}
	}
	return []mount{{path: t.path, from: t.real, access: readable}}
}

// hideIn hides files wherever mounts show them, also under another path. Their links have to be
// resolved.
func hideIn(mounts []mount, files []string) (all []mount) {
	for _, file := range files {
		for _, m := range mounts {
			if !within(m.source(), file) {
				continue
			}
			hide := mount{path: filepath.Join(m.path, file[len(m.source()):]), access: hidden}
			if m.from != "" {
				hide.from = file
			}
			all = append(all, hide)
		}
	}
	return all
}

// folders returns the mounts of what the policy names, and where the home folder is.
func (m machine) folders(p Policy) (mounts []mount, home string, err error) {
	home = m.home
	changeable := readable
	if p.writes() {
		changeable = writable
	}
	for _, folder := range p.Folders {
		if folder == "/" {
			return nil, "", fault.New(fault.Invalid, "sandbox.Start", folder, "the whole file system cannot be an allowed folder of a sandbox")
		}
		mounts = append(mounts, mount{path: folder, access: changeable, pinned: true})
	}
	for _, folder := range slices.Concat(p.Folders, p.Read, p.Write) {
		if within(folder, m.home) { // the home folder or one above it is allowed, but not the keys in it
			home = homeInside
			mounts = append(mounts, hideIn([]mount{{path: folder}}, m.hidden())...)
		}
	}
	for _, r := range p.repositories() {
		if !slices.ContainsFunc(p.allowed(), func(folder string) bool { return within(folder, r.root) }) {
			if within(r.root, m.home) {
				continue // a repository for the settings in a home folder, or of the whole machine
			}
			mounts = append(mounts, mount{path: r.root, access: readable})
		}
		mounts = append(mounts, r.mounts(p.writes() && p.Git)...)
	}
	for _, path := range p.Read {
		mounts = append(mounts, mount{path: path, access: readable})
	}
	for _, path := range p.Write {
		mounts = append(mounts, mount{path: path, access: changeable, pinned: true})
	}
	for _, path := range p.Protect {
		sealed := !slices.Contains(p.Folders, path) // otherwise only the folder itself cannot be written
		mounts = append(mounts, mount{path: path, access: readable, pinned: true, sealed: sealed})
	}
	if p.writes() {
		for _, path := range p.protected(cmp.Or(m.memory, &memory{})) {
			mounts = append(mounts, mount{path: path, access: readable, pinned: true})
		}
	}
	for _, path := range p.Deny {
		mounts = append(mounts, mount{path: path, access: hidden})
	}
	mounts = append(mounts, p.pins(mounts)...)
	return slices.DeleteFunc(mounts, func(m mount) bool { return !exists(m.path) }), home, nil
}

// pins keeps the folders between a writable folder and what is mounted in it from being moved
// away with it. A command could put another folder or a link in their place, and a later sandbox
// would open or protect that one.
func (p Policy) pins(mounts []mount) (pins []mount) {
	if !p.writes() {
		return nil
	}
	pinned := map[string]bool{}
	for _, m := range mounts {
		for _, folder := range p.allowed() {
			for at := filepath.Dir(m.path); at != folder && within(folder, at) && !pinned[at]; at = filepath.Dir(at) {
				pinned[at] = true
				pins = append(pins, mount{path: at, access: writable, pinned: true, pin: true})
			}
		}
	}
	return pins
}
