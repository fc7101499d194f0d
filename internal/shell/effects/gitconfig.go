package effects

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// CheckGitSettings makes a command unclear if it runs git, or a program that runs git by
// itself such as go, in a repository whose own settings are not known to be harmless: they
// may name programs that git would run, even for a command that only reads. A clone does
// not bring such settings; an unpacked archive, a submodule, or a bare repository among
// the files of another one can. It looks at the folder that the command starts in and at
// those that it names. If the file .git or a commondir leads to a folder elsewhere, that folder
// counts as named by the command.
//
// Source: git-scm.com/docs/git-config; CVE-2022-24765 and safe.bareRepository.
func CheckGitSettings(c permit.Command, dir string) permit.Command {
	return newBudget().checkGitSettings(c, dir)
}

func (b *budget) checkGitSettings(c permit.Command, dir string) permit.Command {
	if c.Unclear != "" || !slices.ContainsFunc(c.Programs, runsGit) {
		return c
	}
	visit := &gitVisit{budget: b, left: maxSubmodules}
	if !b.covers(func() { c.Unclear = visit.repositoriesRun(c, dir) }) {
		c.Unclear = tooCostly
	}
	c.Suspect = c.Unclear != ""
	for _, folder := range visit.elsewhere {
		if p := (permit.Path{Name: folder, Real: folder}); !slices.Contains(c.Paths, p) {
			c.Paths = append(slices.Clip(c.Paths), p)
		}
	}
	return c
}

// repositoriesRun says why one of the repositories that a command uses may make git run a
// program, "" if none does.
func (v *gitVisit) repositoriesRun(c permit.Command, dir string) string {
	dirs := []string{dir}
	for _, p := range c.Paths {
		v.look(len(p.Real))
		if info, err := os.Stat(p.Real); err == nil && info.IsDir() {
			dirs = append(dirs, p.Real)
		}
	}
	others := slices.ContainsFunc(c.Programs, runsOthers)
	for _, d := range dirs {
		if why := v.repositoryRuns(d, others); why != "" {
			return why
		}
	}
	return ""
}

// runsGit reports whether a program is git, or runs git by itself in the current folder.
func runsGit(p permit.Program) bool {
	name, _, _ := strings.Cut(p.Name, " ")
	name = path.Base(name)
	return strings.HasPrefix(name, "git") || gitCallers.Get()[name]
}

// gitCallers run git by themselves: to note the revision in what they build, to look for
// changes before they publish, or to fetch what others depend on.
var gitCallers = set{names: `go cargo npm npx pnpm pnpx yarn bun bunx pip pip3 pipx uv uvx poetry pdm hatch gh hub glab composer bundle gem brew
	mix rebar3 flutter dart swift terraform helm pre-commit lerna nx turbo goreleaser hg jj`}

// runsOthers reports whether a program runs other version control systems as well: go does,
// for whichever repository it finds.
func runsOthers(p permit.Program) bool { return strings.HasPrefix(p.Name, "go ") }

// otherRepositories are what marks a repository of such a system. The settings in the
// repository can name programs. Source: cmd/go/internal/vcs of Go 1.26; man hgrc.
var otherRepositories = []string{".hg", ".bzr", ".fslckout", "_FOSSIL_"}

// repositoryRuns says why the repository that contains a folder may make git run a
// program, "" if it does not. others asks for other version control systems, too.
func (v *gitVisit) repositoryRuns(dir string, others bool) string {
	dir = v.realPath(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "" // the folder does not exist, so git does not run in it
	}
	for ; ; dir = filepath.Dir(dir) {
		for _, name := range otherRepositories {
			v.look(len(dir))
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && others {
				return "the settings of " + filepath.Join(dir, name) + " can name programs"
			}
		}
		git, why := v.gitFolder(dir)
		switch {
		case why != "":
			return why
		case git != "":
			return (&repository{git: git, top: dir, visit: v}).check()
		case isBare(dir):
			return dir + " is a bare repository, whose settings can name programs"
		case dir == filepath.Dir(dir):
			return ""
		}
	}
}

// isBare reports whether git may take a folder itself for a repository.
func isBare(dir string) bool {
	_, head := os.Lstat(filepath.Join(dir, "HEAD"))
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	_, common := os.Stat(filepath.Join(dir, "commondir"))
	return head == nil && (objects == nil || common == nil)
}

// maxSettings bounds a file of settings, in bytes; a larger one is an error.
const maxSettings = 1 << 20

// perSetting is how many bytes reading a file of settings allocates for each of its bytes: a
// setting needs three.
const perSetting = 40

// readSmall reads a regular file of settings of at most limit bytes.
func (b *budget) readSmall(name string, limit int64) (string, error) {
	b.look(len(name))
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return "", os.ErrInvalid
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b.spend(perSetting*int(info.Size()), int(info.Size())/16)
	data, err := io.ReadAll(io.LimitReader(f, info.Size()))
	return string(data), err
}
