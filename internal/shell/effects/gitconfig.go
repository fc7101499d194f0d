package effects

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// CheckGitSettings makes a command unclear if it runs git in a repository whose own
// settings name programs that git would run, even for a command that only reads. A clone
// does not bring such settings; an unpacked archive, or a bare repository among the files
// of another one, can. It looks at the folder that the command starts in and at those
// that it names.
//
// Source: git-scm.com/docs/git-config; CVE-2022-24765 and safe.bareRepository.
func CheckGitSettings(c permit.Command, dir string) permit.Command {
	if c.Unclear != "" || !slices.ContainsFunc(c.Programs, func(p permit.Program) bool { return strings.HasPrefix(p.Name, "git") }) {
		return c
	}
	dirs := []string{dir}
	for _, p := range c.Paths {
		if info, err := os.Stat(p.Real); err == nil && info.IsDir() {
			dirs = append(dirs, p.Real)
		}
	}
	for _, d := range dirs {
		if why := repositoryRuns(d); why != "" {
			c.Unclear = why
			break
		}
	}
	return c
}

// repositoryRuns says which program the repository that contains a folder makes git run,
// "" for none.
func repositoryRuns(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "" // the folder does not exist, so git does not run in it
	}
	for ; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if link, err := readSmall(git); err == nil {
			git = strings.TrimSpace(strings.TrimPrefix(link, "gitdir:"))
			if !filepath.IsAbs(git) {
				git = filepath.Join(dir, git)
			}
		}
		switch {
		case isRepository(git):
			return settingsRun(git, dir)
		case isRepository(dir):
			return dir + " is a bare repository, whose settings can name programs"
		case dir == filepath.Dir(dir):
			return ""
		}
	}
}

// isRepository reports whether git would treat a folder as a repository.
func isRepository(dir string) bool {
	_, head := os.Lstat(filepath.Join(dir, "HEAD"))
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	_, common := os.Stat(filepath.Join(dir, "commondir"))
	return head == nil && (objects == nil || common == nil)
}

// settingsRun looks for programs in the settings of a repository, and for the one hook
// that runs even when nothing is changed.
func settingsRun(git, top string) string {
	common := git
	if link, err := readSmall(filepath.Join(git, "commondir")); err == nil {
		if common = strings.TrimSpace(link); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	hooks := []string{filepath.Join(common, "hooks")}
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree")} {
		text, err := readSmall(file)
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return "git's settings in " + file + " cannot be read"
		}
		key, hooksPath := settingThatRuns(text)
		if key != "" {
			return "git would run the program that " + key + " in " + file + " names"
		}
		if hooksPath != "" && !filepath.IsAbs(hooksPath) {
			hooksPath = filepath.Join(top, hooksPath)
		}
		hooks = append(hooks, hooksPath)
	}
	for _, dir := range hooks {
		if _, err := os.Stat(filepath.Join(dir, "post-index-change")); err == nil && dir != "" {
			return "git would run the hook post-index-change in " + dir
		}
	}
	return ""
}

// maxSettings bounds a file of settings, in bytes; a larger one is an error.
const maxSettings = 1 << 20

// readSmall reads a regular file of at most maxSettings bytes.
func readSmall(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return "", os.ErrInvalid
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return string(data), err
}

// programKeys are settings whose value is a program, in every section.
var programKeys = set(`sshcommand gitproxy alternaterefscommand askpass external command textconv clean smudge process program driver
	uploadpack receivepack vcs editor`)

// settingThatRuns returns the first setting that names a program, and the folder of hooks
// if the settings name one. In doubt a line counts as a setting.
func settingThatRuns(text string) (key, hooksPath string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if strings.Contains(strings.ToLower(line), "[include") {
			return line, ""
		}
		settings := []string{line}
		if strings.HasPrefix(line, "[") { // a section; a setting may follow in the same line
			settings = strings.Split(line, "]")
		}
		for _, s := range settings {
			name, value, _ := strings.Cut(s, "=")
			name, value = strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(value), `"`)
			switch {
			case namesProgram(name, value):
				return name, ""
			case name == "hookspath":
				hooksPath = value
			}
		}
	}
	return "", hooksPath
}

// namesProgram reports whether a setting with this value makes git run a program.
func namesProgram(name, value string) bool {
	switch name {
	case "fsmonitor":
		return !slices.Contains([]string{"", "true", "false", "yes", "no", "on", "off", "0", "1"}, strings.ToLower(value))
	case "helper", "update":
		return strings.HasPrefix(value, "!")
	case "url":
		return strings.Contains(value, "ext::")
	}
	return programKeys[name] && !strings.HasPrefix(value, "git-lfs ")
}
