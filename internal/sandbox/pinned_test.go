//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// tree makes files below a folder, each with the text "hunter2".
func tree(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("hunter2"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// An allowed folder inside another one cannot be moved away, nor can a folder between them: what
// a command puts in its place would be the allowed folder of the next command.
func TestAnAllowedFolderInAnotherOneStaysInPlace(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	tree(t, work, "a/sub/file", ".git/config")
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{filepath.Join(work, "a/sub"), work}}
	folders := []string{filepath.Join(work, "a"), p.Folders[0]}
	before := lstat(t, folders)
	if out, _ := bash(t, b, p, "cd ../..; { mv a/sub x; mv a y; echo x > .git/config; } 2>/dev/null; echo > a/new && echo > a/sub/new && echo written"); out != "written\n" {
		t.Errorf("%q, want both folders to be writable", out)
	}
	for i, after := range lstat(t, folders) {
		if !os.SameFile(before[i], after) {
			t.Errorf("%s was replaced", folders[i])
		}
	}
	if text, err := os.ReadFile(filepath.Join(work, ".git/config")); err != nil || string(text) != "hunter2" {
		t.Errorf(".git/config: %q, %v", text, err)
	}
}

// lstat returns what is at some paths.
func lstat(t *testing.T, paths []string) (infos []os.FileInfo) {
	t.Helper()
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	return infos
}

// The rules for the allowed folders hold for further folders that can be written, too.
func TestFurtherFoldersThatCanBeWritten(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, secret := world(t)
	shared := filepath.Join(filepath.Dir(secret), "shared")
	tree(t, shared, "a/key", ".git/config", ".git/HEAD", "pkg/.npmrc")
	p := sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Write: []string{shared}, Deny: []string{filepath.Join(shared, "a/key")}, ProtectNames: []string{".npmrc"},
	}
	read := p
	read.Mode = sandbox.ReadOnly
	_, _ = bash(t, b, p, "cd ../shared; mv a b; cat b/key > seen; for f in .git/config .git/HEAD pkg/.npmrc; do echo evil > $f; done; touch written")
	if out, _ := bash(t, b, read, "cat ../shared/*/key ../shared/seen"); strings.Contains(out, "hunter2") {
		t.Errorf("a denied file was read: %s", out)
	}
	for _, name := range []string{".git/config", ".git/HEAD", "pkg/.npmrc"} {
		if text, err := os.ReadFile(filepath.Join(shared, name)); err != nil || string(text) != "hunter2" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if !exists(filepath.Join(shared, "written")) {
		t.Error("nothing can be written")
	}
}

// A protected or denied file, or another allowed folder, in a folder that cannot be written does
// not make it writable.
func TestNothingInAProtectedFolderIsWritable(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	tree(t, work, "docs/a/b/.npmrc", "docs/a/key", "docs/c/file", "src/file")
	docs := filepath.Join(work, "docs")
	p := sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{work, filepath.Join(docs, "c")}, Protect: []string{docs}, Deny: []string{filepath.Join(docs, "a/key")}, ProtectNames: []string{".npmrc"},
	}
	all := p
	all.Folders, all.Protect = []string{work}, []string{work}
	const attack = "for d in . src docs docs/a docs/a/b docs/c; do touch $d/new && echo $d; done 2>/dev/null; rm -f new src/new"
	if out, _ := bash(t, b, p, attack); out != ".\nsrc\n" {
		t.Errorf("written: %q", out)
	}
	if out, _ := bash(t, b, all, attack); out != "" {
		t.Errorf("written, although nothing may be: %q", out)
	}
}

// The attack for real: 260 names that come first, made by a command, and what existed.
func TestFillersDoNotUncoverWhatExisted(t *testing.T) {
	work, _ := world(t)
	kept := []string{".envrc", ".vscode/settings.json", ".husky/pre-commit", "a/b/c/d/e/f/.envrc"}
	tree(t, work, kept...)
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".envrc", ".vscode", ".husky", "*.code-workspace"}}
	b := h.Boxes(t.TempDir())
	_, _ = bash(t, b, p, `for i in {100..359}; do echo '{}' > "!$i.code-workspace"; done; touch free`)
	b.Close()
	later := h.Boxes(t.TempDir()) // of the next session
	defer later.Close()
	out, _ := bash(t, later, p, "for f in "+strings.Join(kept, " ")+" '!100.code-workspace'; do { echo evil > \"$f\" && echo written; } 2>/dev/null; done; touch free2 && echo ok")
	if out != "ok\n" {
		t.Errorf("%q", out)
	}
	for _, path := range kept {
		if text, err := os.ReadFile(filepath.Join(work, path)); err != nil || string(text) != "hunter2" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
