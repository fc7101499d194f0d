package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Kind is what a [Trace] is.
type Kind int

const (
	// Named is a file, a folder or a link with a protected name.
	Named Kind = iota
	// End is where a link with a protected name leads; Link is the path of that link.
	End
	// Repository is what git takes for a repository: .git, or HEAD in a folder that has objects and refs
	// as well. Whether it makes git run programs depends on what is in it.
	Repository
	// OfGit is a file or a folder in the .git of an allowed folder that no ordinary git command makes in a
	// repository that exists, and that makes git run programs or read elsewhere.
	OfGit
	// Steps is the list of what a rebase that was interrupted does next.
	Steps
	// Unseen is a folder that a limit, or an error, keeps from being looked into.
	Unseen
	// Way is a link in whose place a protected name begins, as .config of .config/git. It acts if what it
	// leads to has the rest of such a name.
	Way
	// Astray is a link with any name to the private folders of sandboxes, or to a folder that they are in: what is
	// there is the model's, and nobody looks at it. So is one to the folders of processes in /proc, which leads each program elsewhere.
	Astray
)

// Trace is one thing in the allowed folders by which programs run, or may run, without being told to.
type Trace struct {
	Kind Kind `json:"kind"`
	// Link is where a symbolic link leads, as it is written; "" for anything else.
	Link string `json:"link,omitempty"`
	// State changes with the content of something that a sandbox cannot cover: in node_modules, where a package
	// manager replaces it, and of a file that has other names. "" for anything else.
	State string `json:"state,omitempty"`
}

// Traces are such things by their absolute paths.
type Traces map[string]Trace

// Stamp is by what a change of a file is known.
type Stamp struct {
	Size     int64
	Modified time.Time
}

// buildNames are the names of files, in lower case, that builds, tests and agents obey, and that people edit daily: they act
// when the user builds or tests. Source: the documentation of each tool.
var buildNames = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"package.json": true, "makefile": true, "gnumakefile": true, "justfile": true, "taskfile.yml": true, "taskfile.yaml": true, "rakefile": true, "gemfile": true,
		"conftest.py": true, "setup.py": true, "setup.cfg": true, "pyproject.toml": true, "tox.ini": true, "noxfile.py": true, "pytest.ini": true,
		"cargo.toml": true, "build.rs": true, "pom.xml": true, "build.gradle": true, "build.gradle.kts": true, "settings.gradle": true, "settings.gradle.kts": true,
		"cmakelists.txt": true, "meson.build": true, "configure": true, "composer.json": true, "dockerfile": true, "docker-compose.yml": true, "compose.yaml": true,
		"binding.gyp": true, "pnpm-workspace.yaml": true, "devbox.json": true, "gradlew": true, "mvnw": true, "jenkinsfile": true, ".gitlab-ci.yml": true, "agents.md": true, "claude.md": true, "gemini.md": true, "copilot-instructions.md": true,
	}
}}

// gitNew are those of gitExecutable that a repository need not have: then a sandbox that may
// write to .git cannot keep commands from making them. Of info only attributes names programs,
// and git itself makes modules and worktrees.
var gitNew = []string{"config", "config.worktree", "commondir", "hooks", "info/attributes"}

// gitSteps are the lists of an interrupted rebase. A line with exec is a command.
var gitSteps = []string{"rebase-merge/git-rebase-todo", "rebase-merge/git-rebase-todo.backup"}

// Look returns what there is now, and the files that builds, tests and agents obey. What a command has made is
// found by comparing two looks. It matches each name of [Policy.ProtectNames] against the entries of each
// folder; [Boxes.Look] does it faster.
func (p Policy) Look() (Traces, map[string]Stamp) { return p.lookAt(&memory{}) }

func (p Policy) lookAt(m *memory) (Traces, map[string]Stamp) {
	all := Traces{}
	p.Git = true // the repository that the folders are in counts as well
	for _, git := range p.gitFolders() {
		all.gitFolder(git)
	}
	for _, path := range p.Protect { // a mount protects only what is there
		all.add(path, Named)
	}
	s := m.look(p)
	for _, path := range s.found {
		if strings.EqualFold(filepath.Base(path), ".git") {
			all[path] = Trace{Kind: Repository}
		} else {
			all[path] = Trace{Kind: Named, State: stateOfLinked(path)}
		}
	}
	for _, path := range s.inModules {
		all[path] = Trace{Kind: Named, State: stateInside(path)}
	}
	for path := range maps.Clone(all) {
		if all[path].Kind == Repository && strings.EqualFold(filepath.Base(path), ".git") {
			all.modules(filepath.Join(path, "modules"), maxModules)
		}
	}
	for _, folder := range s.bare {
		all[filepath.Join(folder, "HEAD")] = Trace{Kind: Repository}
	}
	for _, l := range s.astray {
		all[l.path] = Trace{Kind: Astray, Link: l.to}
	}
	for _, folder := range s.unseen {
		all[folder] = Trace{Kind: Unseen}
	}
	p.links(all, s.links)
	builds := map[string]Stamp{}
	for _, path := range s.builds {
		if info, err := os.Lstat(path); err == nil {
			builds[path] = Stamp{info.Size(), info.ModTime()}
		}
	}
	return all, builds
}

// gitFolder adds the .git of an allowed folder, and what in it makes git run programs.
func (all Traces) gitFolder(git string) {
	info, err := os.Lstat(git)
	switch {
	case err != nil:
		return
	case info.Mode()&os.ModeSymlink != 0: // it may lead to files outside of the folder
		to, _ := os.Readlink(git)
		all[git] = Trace{Kind: Repository, Link: to}
		return
	}
	all[git] = Trace{Kind: Repository}
	for _, name := range gitNew {
		all.add(filepath.Join(git, name), OfGit)
	}
	for _, name := range gitSteps {
		if info, err := os.Lstat(filepath.Join(git, name)); err == nil {
			all[filepath.Join(git, name)] = Trace{Kind: Steps, State: stateOf(info)}
		}
	}
}

// links adds the links with protected names, and where they lead.
func (p Policy) links(all Traces, links []link) {
	names := p.patterns()
	for _, l := range links {
		if strings.EqualFold(filepath.Base(l.path), ".git") {
			all[l.path] = Trace{Kind: Repository, Link: l.to}
			continue
		}
		kind := Way
		if names.match(strings.TrimPrefix(l.path[len(rootOf(p.allowed(), l.path)):], "/"), false) {
			kind = Named
		}
		all[l.path] = Trace{Kind: kind, Link: l.to}
		for _, path := range names.actingBehind(p.allowed(), l.path) {
			end := p.endInside(path)
			if _, known := all[end]; !known && end != "" {
				all[end] = Trace{Kind: End, Link: l.path, State: stateOfLinked(end)}
			}
		}
	}
}

// maxModules bounds how deep the repositories of submodules are looked for: their names can have slashes.
const maxModules = 16

// modules adds the repositories of submodules.
func (all Traces) modules(folder string, depth int) {
	entries, err := os.ReadDir(folder)
	if err != nil || depth == 0 {
		return
	}
	for _, e := range entries {
		at := filepath.Join(folder, e.Name())
		if exists(filepath.Join(at, "HEAD")) {
			all[filepath.Join(at, "HEAD")] = Trace{Kind: Repository}
		} else if e.IsDir() {
			all.modules(at, depth-1)
		}
	}
}

// add adds what is at a path.
func (all Traces) add(path string, kind Kind) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	to := ""
	if info.Mode()&os.ModeSymlink != 0 {
		to, _ = os.Readlink(path) // "" if it has just been removed
	}
	all[path] = Trace{Kind: kind, Link: to}
}

// stateOf changes with the content of a file. A program can set the time of its content, but not that of its
// latest change.
func stateOf(info os.FileInfo) string {
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), changedAt(info))
}

// stateOfLinked is the state of a regular file that has other names, by which it can be written; "" for anything else.
func stateOfLinked(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || linkCount(info) < 2 {
		return ""
	}
	return stateOf(info)
}

// mostCompared bounds the entries of a folder with a protected name whose state is compared.
const mostCompared = 1000

// stateInside is the state of a file, or of a folder and the files in it.
func stateInside(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		return stateOf(info)
	}
	h := sha256.New()
	left := mostCompared
	_ = filepath.WalkDir(path, func(name string, e os.DirEntry, err error) error {
		if left--; left < 0 {
			return filepath.SkipAll
		}
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				fmt.Fprintln(h, name, stateOf(info))
			}
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Acts reports whether a link of the kind [Way] leads to something with the rest of a protected name.
func (p Policy) Acts(way string) bool {
	return len(p.patterns().actingBehind(p.allowed(), way)) > 0
}
