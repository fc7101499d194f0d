//go:build linux

package canary_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// projectScript makes the project on which the corpus acts: the files that its lines name,
// links that lead out, and a git repository with a submodule and a nested repository.
const projectScript = `set -e
git() { command git -c user.name=Canary -c user.email=canary@example.com -c protocol.file.allow=always -c init.defaultBranch=main -c advice.addEmbeddedRepo=false "$@"; }
mkdir -p src docs links dir1 sub2 empty x.d internal/shell tests .vscode .husky .cursor .github/hooks .idea
echo a > a; cp a b; printf 'one two\nthree a\n' > a.txt; printf 'one\nfoo\n' > b.txt; printf 'bin\1' > a.bin; echo '{"name":"a"}' > a.json
printf 'touch OUT/pwned; cat HOME/.ssh/id_rsa\n' > x; printf '#!/bin/sh\ntouch OUT/pwned; cat HOME/.ssh/id_rsa\n' > evil; chmod +x evil x
cp x x.awk; cp evil cat; cp evil y; cp evil 'checkpoint'; cp x x.py; echo 'package main' > src/main.go; printf '\nfunc main() {}\n' >> src/main.go
printf 'module example.com/w\n\ngo 1.21\n' > go.mod; printf 'all:\n\ttouch OUT/pwned || true\n\tcat HOME/.netrc || true\ntest:\n\techo tested\n' > Makefile
printf '{"name":"w","version":"1.0.0","scripts":{"test":"touch OUT/pwned; cat HOME/.npmrc","build":"echo built","lint":"echo linted"}}' > package.json
echo 'print("hello")' > script.py; echo 'console.log("built")' > build.js; echo '# w' > README.md; echo '# notes' > docs/notes.md
echo '{}' > .vscode/settings.json; echo '{}' > .cursor/mcp.json; echo '{}' > .mcp.json; echo '# none' > .envrc; echo 'fund=false' > .npmrc; echo true > .husky/pre-commit
echo '{}' > .github/hooks/a.json; echo '{}' > .idea/workspace.xml; echo 'FOO=1' > .env
ln -s /etc link; ln -s /etc/passwd src/passwd; ln -s HOME/.ssh/authorized_keys dangling; ln -s src ok; ln -s OUT out; ln -s HOME/.ssh/id_rsa links/key; ln -s /etc link1; ln -s /proc proc
tar czf in.tgz a.txt; tar cf x.tar a.txt; printf 'a: 1\n' > a.yml; echo 'int main(){return 0;}' > a.c
git init -q .
git init -q ../seed-PID; git -C ../seed-PID commit -q --allow-empty -m seed; git submodule --quiet add ../seed-PID sub; rm -rf ../seed-PID
git config --file .gitmodules submodule.sub.url ./seed; git init -q nested; git -C nested commit -q --allow-empty -m nested
printf 'nested\n' > .gitignore; git add -A; git commit -q -m first; echo c > docs/c.md; git add docs/c.md; git commit -q -m second; git tag v1; git branch topic
git config --unset remote.origin.url || true
rm -f .git/hooks/*.sample
`

// madeProject is a project that has been made; worlds get copies.
type madeProject struct{ folder string }

// newProject makes the project once. Where its files name the world, copies have that of theirs.
func newProject(t *testing.T) madeProject {
	t.Helper()
	base, err := os.MkdirTemp("", "canaryproject")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(base) })
	p := madeProject{filepath.Join(base, "work")}
	if err := os.Mkdir(p.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(projectScript, "PID", fmt.Sprint(os.Getpid())))
	cmd.Dir = p.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("making the project: %v\n%s", err, out)
	}
	return p
}

// copyTo copies the project into a world and returns its folder.
func (p madeProject) copyTo(w *world, name string) (work string, err error) {
	work = filepath.Join(w.base, name)
	names := strings.NewReplacer("OUT", w.out, "HOME", w.home)
	return work, filepath.WalkDir(p.folder, func(from string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := work + from[len(p.folder):]
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.Mkdir(to, info.Mode().Perm()|0o700)
		case d.Type()&fs.ModeSymlink != 0:
			end, err := os.Readlink(from)
			return errors.Join(err, os.Symlink(names.Replace(end), to))
		}
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if !strings.Contains(from, "/.git/") {
			text = []byte(names.Replace(string(text)))
		}
		at := info.ModTime()
		return errors.Join(os.WriteFile(to, text, info.Mode().Perm()|0o200), os.Chtimes(to, at, at))
	})
}

// settings returns the state of what makes programs run by themselves in a project.
func settings(work string) string {
	var text strings.Builder
	for _, name := range []string{
		".git", ".git/config", ".git/config.worktree", ".git/hooks", ".git/info", ".git/modules/sub/config", ".git/modules/sub/hooks", "nested/.git/config",
		"nested/.git/hooks", "sub", "sub/.git", "nested", "nested/.git", ".vscode", ".vscode/settings.json", ".husky", ".husky/pre-commit", ".cursor/mcp.json",
		".mcp.json", ".envrc", ".npmrc", ".gitmodules", ".github/hooks", ".github/hooks/a.json", ".github", ".idea", ".idea/workspace.xml",
	} {
		path := filepath.Join(work, name)
		info, err := os.Lstat(path)
		if err != nil {
			text.WriteString(name + ": " + errors.Unwrap(err).Error() + "\n")
			continue
		}
		inode := info.Sys().(*syscall.Stat_t).Ino
		if info.IsDir() {
			fmt.Fprintf(&text, "%s: folder %d\n", name, inode)
			if name == ".git" || name == "sub" || name == "nested" || name == "nested/.git" || name == ".github" {
				continue // what is in it may change
			}
			entries, err := os.ReadDir(path)
			fmt.Fprintln(&text, entries, err)
			continue
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&text, "%s: %v %q %v\n", name, info.Mode(), content, err)
	}
	return text.String()
}
