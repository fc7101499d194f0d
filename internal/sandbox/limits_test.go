package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// limitNames are what the tests of limits protect.
var limitNames = []string{".envrc", ".vscode", ".husky", "*.code-workspace", ".cargo/config.toml"}

// covered reports whether what is at a path, relative to base, cannot be written.
func covered(protected []string, base, path string) bool {
	return slices.ContainsFunc(protected, func(at string) bool { return within(at, filepath.Join(base, path)) })
}

// Whatever fills a folder, what has a protected name cannot be written, or what holds it cannot.
func TestNoLimitLetsAProtectedNameBeWritten(t *testing.T) {
	kept := []string{".envrc", ".vscode/settings.json", ".husky/pre-commit", "a/b/c/d/e/f/.envrc", "zz/.vscode/tasks.json", "zz/.git/config", "zz/.Cargo/config.toml"}
	for name, fill := range fillers() {
		attack := func(t *testing.T, before bool) {
			work := t.TempDir()
			p := Policy{Mode: WorkspaceWrite, Folders: []string{work}, ProtectNames: limitNames}
			if err := files(work, len(kept), func(i int) string { return kept[i] }); err != nil {
				t.Fatal(err)
			}
			m := &memory{entries: 2000, depth: 10}
			if name != "depth" {
				m.depth = 0
			}
			if before {
				p.protected(m)
			}
			if err := fill(work); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(work, "zz"), 0o700) })
			for range 2 { // with nothing seen before, and again
				got := p.protected(m)
				for _, path := range kept {
					if !covered(got, work, path) {
						t.Errorf("%s can be written; %d paths are covered: %.300q", path, len(got), got)
					}
				}
				if tooMany(p.Folders, got, mostMounts) {
					t.Errorf("%d paths are covered, more than can be mounted", len(got))
				}
				if name == "depth" && !covered(got, work, strings.Repeat("d/", 38)+"x") {
					t.Errorf("what is below the depth can be written: %.300q", got)
				}
			}
		}
		t.Run(name, func(t *testing.T) { attack(t, false) })
		t.Run(name+", made later", func(t *testing.T) { attack(t, true) })
	}
}

// fillers are ways to fill a folder so that a look does not come to what matters.
func fillers() map[string]func(work string) error {
	return map[string]func(work string) error{
		"nothing": func(string) error { return nil },
		"the issue's names": func(work string) error {
			return files(work, 260, func(i int) string { return fmt.Sprintf("!%03d.code-workspace", i) })
		},
		"count at the top": func(work string) error { return files(work, 3000, func(i int) string { return fmt.Sprint(i) }) },
		"count below": func(work string) error {
			return files(work, 3000, func(i int) string { return fmt.Sprintf("a/%d", i) })
		},
		"folders before others": func(work string) error {
			return files(work, 3000, func(i int) string { return fmt.Sprintf("!%d/x", i) })
		},
		"protected folders": func(work string) error {
			return files(work, 1500, func(i int) string { return fmt.Sprintf("!/%d/.envrc", i) })
		},
		"protected below the top": func(work string) error {
			return files(work, 3000, func(i int) string { return fmt.Sprintf("%d/.envrc", i) })
		},
		"depth": func(work string) error {
			return files(work, 40, func(i int) string { return strings.Repeat("d/", i) + "x" })
		},
		"long names": func(work string) error {
			return files(work, 13, func(i int) string { return strings.Repeat(strings.Repeat("l", 250)+"/", i) + ".envrc" })
		},
		"links in circles": func(work string) error {
			return errors.Join(os.Symlink(".", filepath.Join(work, "a", "loop")), os.Symlink("..", filepath.Join(work, "zz", "up")), os.Symlink("/", filepath.Join(work, "!root")))
		},
		"a folder that cannot be read": func(work string) error { return os.Chmod(filepath.Join(work, "zz"), 0o300) },
	}
}

// An ordinary repository reaches no limit: nothing is covered but what has a protected name.
func TestAnOrdinaryRepositoryReachesNoLimit(t *testing.T) {
	work := t.TempDir()
	deep := strings.Repeat("d/", 20)
	want := []string{".envrc", deep + ".envrc"}
	if err := errors.Join(files(work, 2, func(i int) string { return want[i] }),
		files(work, 2000, func(i int) string { return fmt.Sprintf("%d/%d/file", i%50, i) })); err != nil {
		t.Fatal(err)
	}
	p := Policy{Mode: WorkspaceWrite, Folders: []string{work}, ProtectNames: limitNames}
	if got := p.protected(&memory{}); len(got) != len(want) || !covered(got, work, want[0]) || !covered(got, work, want[1]) {
		t.Errorf("%q", got)
	}
	if protectedEntries < 2*(100_000+10_000) || protectedDepth < 2*20 {
		t.Error("the limits are below twice an ordinary repository")
	}
}

// What existed when the session began is seen as before when new files reach a limit.
func TestWhatExistedComesBeforeWhatIsNew(t *testing.T) {
	work := t.TempDir()
	if err := files(work, 10, func(i int) string { return fmt.Sprintf("src%d/a/b/.envrc", i) }); err != nil {
		t.Fatal(err)
	}
	p := Policy{Mode: WorkspaceWrite, Folders: []string{work}, ProtectNames: limitNames}
	m := &memory{entries: 500}
	before := p.protected(m)
	if err := files(work, 1000, func(i int) string { return fmt.Sprintf("!new/%d/%d", i%2, i) }); err != nil {
		t.Fatal(err)
	}
	got := p.protected(m)
	for _, path := range before {
		if !slices.Contains(got, path) {
			t.Fatalf("%s is not seen any more: %q", path, got)
		}
	}
	if !covered(got, work, "!new/1/1") || covered(got, work, "src0/x") {
		t.Errorf("%q: only what is new is to be covered as a whole", got)
	}
}

// A later look reads only what has changed, and sees each change.
func TestALaterLookSeesEachChange(t *testing.T) {
	work := t.TempDir()
	if err := files(work, 30, func(i int) string { return fmt.Sprintf("%d/%d/x", i%3, i) }); err != nil {
		t.Fatal(err)
	}
	p := Policy{Mode: WorkspaceWrite, Folders: []string{work}, ProtectNames: limitNames}
	m := &memory{}
	p.protected(m)
	for path, change := range map[string]func(path string) error{
		"0/0/.envrc": func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"1/.vscode":  func(path string) error { return os.Mkdir(path, 0o755) },
		"2/2/.git":   func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"moved/.husky": func(path string) error {
			return errors.Join(files(work, 1, func(int) string { return "old/.husky/x" }), os.Rename(filepath.Join(work, "old"), filepath.Dir(path)))
		},
	} {
		if err := change(filepath.Join(work, path)); err != nil {
			t.Fatal(err)
		}
		if got := p.protected(m); !slices.Contains(got, filepath.Join(work, path)) {
			t.Errorf("%s was not seen: %q", path, got)
		}
		if err := os.RemoveAll(filepath.Join(work, path)); err != nil {
			t.Fatal(err)
		}
		if got := p.protected(m); len(got) != 0 {
			t.Errorf("%s is gone: %q", path, got)
		}
	}
}

// Covering a folder as a whole does not leave out an allowed folder in it, which has a mount of its own.
func TestAnAllowedFolderInACoveredOne(t *testing.T) {
	got := coverWhole([]string{"/w", "/w/in"}, []string{"/w/a/x", "/w/b/x", "/w/c/x", "/w/in/.envrc"}, 3)
	if !slices.Contains(got, "/w") || !slices.Contains(got, "/w/in/.envrc") {
		t.Errorf("%q", got)
	}
}

// What a limit leaves unseen of the settings of the system is hidden.
func TestRestrictedFilesBeyondALimitAreHidden(t *testing.T) {
	top := t.TempDir()
	if err := files(top, 40, func(i int) string { return fmt.Sprintf("a/%d", i) }); err != nil {
		t.Fatal(err)
	}
	if err := files(top, 1, func(int) string { return "b/c/d/e/key" }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(top, "b/c/d/e/key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, limits := range [][2]int{{40, 1000}, {2, 1000}, {40, 20}, {40, 1}, {3, 43}} {
		if got := restricted([]string{top}, limits[0], limits[1]); !covered(got, top, "b/c/d/e/key") {
			t.Errorf("depth %d, %d entries: %q", limits[0], limits[1], got)
		}
	}
	if got := restricted([]string{top}, 40, 1000); len(got) != 1 {
		t.Errorf("without a limit: %q", got)
	}
}

// files makes so many files below a folder.
func files(base string, count int, name func(int) string) error {
	for i := range count {
		path := filepath.Join(base, name(i))
		if len(path) > 4000 {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			return err
		}
	}
	return nil
}
