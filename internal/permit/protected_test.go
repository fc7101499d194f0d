package permit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// A rule for writing does not cover the files from which programs start something, however
// the file system lets their names be written. Files that people edit daily are covered.
func TestProtectedFiles(t *testing.T) {
	for path, want := range map[string]permit.Verdict{
		"/w/.bash_login": permit.Ask, "/w/.zprofile": permit.Ask, "/w/.yarnrc": permit.Ask, "/w/.yarnrc.yml": permit.Ask, "/w/.cargo/config.toml": permit.Ask, "/w/.devcontainer/x.json": permit.Ask,
		"/w/a.code-workspace": permit.Ask, "/w/.exrc": permit.Ask, "/w/.zed/tasks.json": permit.Ask, "/w/.windsurf/x": permit.Ask, "/w/.kiro/hooks/x": permit.Ask,
		"/w/.config/fish/config.fish": permit.Ask, "/w/.config/nushell/env.nu": permit.Ask, "/w/.cshrc": permit.Ask, "/w/x/microsoft.powershell_profile.ps1": permit.Ask, "/w/.kshrc": permit.Ask,
		"/w/.husky/pre-commit": permit.Ask, "/w/.githooks/pre-commit": permit.Ask, "/w/.pre-commit-config.yaml": permit.Ask, "/w/lefthook.yml": permit.Ask, "/w/sub/.gitmodules": permit.Ask,
		"/w/.idea/x.xml": permit.Ask, "/w/.nvim.lua": permit.Ask, "/w/.dir-locals.el": permit.Ask, "/w/a.sublime-project": permit.Ask, "/w/.fleet/run.json": permit.Ask,
		"/w/.mcp.json": permit.Ask, "/w/.roo/mcp.json": permit.Ask, "/w/.continue/config.yaml": permit.Ask, "/w/.aider.conf.yml": permit.Ask, "/w/.sidestick/x": permit.Ask,
		"/w/.pnp.cjs": permit.Ask, "/w/.pnpmfile.cjs": permit.Ask, "/w/bunfig.toml": permit.Ask, "/w/.yarn/releases/yarn.cjs": permit.Ask, "/w/rust-toolchain": permit.Ask, "/w/.mvn/extensions.xml": permit.Ask,
		"/w/.bundle/config": permit.Ask, "/w/mise.toml": permit.Ask, "/w/.tool-versions": permit.Ask, "/w/.gdbinit": permit.Ask, "/w/.lldbinit": permit.Ask, "/w/.psqlrc": permit.Ask, "/w/.tmux.conf": permit.Ask,
		"/w/.config/autostart/x.desktop": permit.Ask, "/w/.config/systemd/user/x.service": permit.Ask, "/w/Library/LaunchAgents/x.plist": permit.Ask, "/w/.ssh/authorized_keys": permit.Ask, "/w/.pam_environment": permit.Ask,
		"/w/venv/lib/site-packages/x.pth": permit.Ask, "/w/sitecustomize.py": permit.Ask, "/w/.Rprofile": permit.Ask, "/w/.ghci": permit.Ask, "/w/.pdbrc": permit.Ask,
		"/w/.GIT/config": permit.Ask, "/w/.git./config": permit.Ask, "/w/.git /config": permit.Ask, "/w/git~1/config": permit.Ask, "/w/.g\u200cit/config": permit.Ask, "/w/.git::$INDEX_ALLOCATION/config": permit.Ask,
		"/w/.VSCode/tasks.json": permit.Ask, "/w/.envrc:x": permit.Ask,

		"/w/package.json": permit.Allow, "/w/Makefile": permit.Allow, "/w/.github/workflows/ci.yml": permit.Allow, "/w/.gitignore": permit.Allow, "/w/.gitattributes": permit.Allow, "/w/.editorconfig": permit.Allow,
		"/w/.env": permit.Allow, "/w/AGENTS.md": permit.Allow, "/w/.github/copilot-instructions.md": permit.Allow, "/w/flake.nix": permit.Allow, "/w/model.pth": permit.Allow, "/w/cargo/config.toml": permit.Allow,
		"/w/.dockerignore": permit.Allow, "/w/.docker/Dockerfile": permit.Allow, "/w/config/autostart/x": permit.Allow, "/w/src/profile.go": permit.Allow, "/w/git/config": permit.Allow, "/w/.cargo/audit.toml": permit.Allow,
		"/w/.myrc": permit.Allow,
	} {
		if got := parse(t, "write").Decide(file(permit.Write, path)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", path, got.Verdict, got.Why, want)
		}
	}
}

// --protect adds names, and a rule that names the file covers it as before.
func TestProtectedNamesCanBeAdded(t *testing.T) {
	r := parse(t, "write", "write(.tool/ok)", "shell(tee)")
	for _, text := range []string{".MyRC", "*.tool.json", ".tool/ok/", ".config/my?ool"} {
		name, err := permit.ParseProtected(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Protected = append(r.Protected, name)
	}
	r = permit.Rules{}.Join(r)
	for path, want := range map[string]permit.Verdict{
		"/w/sub/.myrc": permit.Ask, "/w/a.TOOL.json": permit.Ask, "/w/.config/mytool/x": permit.Ask, "/w/.config/other": permit.Allow, "/w/.tool/ok": permit.Allow, "/w/.git/x": permit.Ask,
	} {
		if got := r.Decide(file(permit.Write, path)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", path, got.Verdict, got.Why, want)
		}
	}
	tee := with(command("tee|tee myfile"), func(q *permit.Request) {
		q.Command.Words = []permit.Path{{Name: "/w/authorized_keys", Real: "/w/authorized_keys"}}
	})
	if got := r.Decide(tee); got.Verdict != permit.Ask {
		t.Errorf("a word that is a protected file: %v (%s)", got.Verdict, got.Why)
	}
	names := r.ProtectedNames()
	if !slices.Contains(names, ".myrc") || !slices.Contains(names, ".config/autostart") {
		t.Errorf("the names are %q", names)
	}
	for _, name := range names {
		if again, err := permit.ParseProtected(name); err != nil || again != name {
			t.Errorf("%q is not a name: %q, %v", name, again, err)
		}
	}
	for text, hint := range map[string]string{
		" ": "empty", "/etc/x": "last elements", "~/.x": "last elements", `a\b`: "last elements", "a/../b": "something", "*": "something", "a//b": "something", "**/x": "something", "[ab]": "pattern",
		strings.Repeat("a/", 20): "at most",
	} {
		if name, err := permit.ParseProtected(text); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q is %q, %v; want an error with %q", text, name, err, hint)
		}
	}
	if twice := slices.Sorted(slices.Values(permit.Rules{}.ProtectedNames())); len(slices.Compact(twice)) != len(permit.Rules{}.ProtectedNames()) {
		t.Error("a name is in the list twice")
	}
}
