package plugin_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// hub stands for git: each address has the files of a repository.
type hub map[string]map[string]string

func (h hub) clone(d *vfs.Mem, fetched *[]string) plugin.Clone {
	return func(_ context.Context, address, dir string) error {
		*fetched = append(*fetched, address)
		if h[address] == nil {
			return errors.New("no such repository")
		}
		for name, text := range h[address] {
			path := filepath.Join(dir, name)
			if err := d.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := vfs.WriteFileAtomic(d, path, []byte(text), 0o600); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestPluginsFromRepositories(t *testing.T) {
	d, s := shop(t)
	var fetched []string
	h := hub{
		"https://github.com/a/b.git":   {"plugin.json": `{"name":"away","version":"1"}`, "skills/x/SKILL.md": "x"},
		"https://git.test/market":      {"marketplace.json": `{"name":"far","plugins":[{"name":"in","source":"./in"},{"name":"npm","source":{"source":"npm","package":"x"}},{"name":"ref","source":{"source":"github","repo":"a/b","ref":"dev"}},{"name":"ssh","source":{"source":"git","url":"git@x:y"}}]}`, "in/commands/c.md": "c"},
		"https://github.com/a/two.git": {"README.md": ""},
	}
	s.CloneWith(h.clone(d, &fetched))
	if p, err := s.Install(t.Context(), "away@shop", ""); err != nil || p.Version != "1" || !strings.HasPrefix(p.Dir, "/home/plugins/") {
		t.Fatalf("away@shop: %+v %v", p, err)
	}
	if p, err := s.Install(t.Context(), "a/b", ""); err != nil || p.Name != "away" || len(fetched) != 1 {
		t.Errorf("a/b: %+v %v, fetched %q, want one copy", p, err, fetched)
	}
	h["https://github.com/a/b.git"]["plugin.json"] = `{"name":"away","version":"2"}`
	if p, before, err := s.Update(t.Context(), "away@shop"); err != nil || p.Version != "2" || before != "1" {
		t.Errorf("Update: %+v %q %v", p, before, err)
	}
	moved := strings.ReplaceAll(market, `"repo":"a/b"`, `"repo":"c/d"`)
	h["https://github.com/c/d.git"] = h["https://github.com/a/b.git"]
	if err := vfs.WriteFileAtomic(d, "/shop/.claude-plugin/marketplace.json", []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Update(t.Context(), "away@shop"); err != nil {
		t.Error(err)
	}
	if list, err := d.ReadFile("/home/plugins.json"); err != nil || !strings.Contains(string(list), "https://github.com/c/d.git") {
		t.Errorf("the list does not have the repository that the plugin comes from now: %v\n%s", err, list)
	}
	if name, err := s.AddMarketplace(t.Context(), "https://git.test/market", ""); name != "far" || err != nil {
		t.Fatalf("AddMarketplace: %q %v", name, err)
	}
	if _, err := s.Install(t.Context(), "in@far", ""); err != nil {
		t.Errorf("in@far: %v", err)
	}
	delete(h, "https://git.test/market")
	if err := s.Refresh(t.Context(), "far"); err == nil || !strings.Contains(err.Error(), "no such repository") {
		t.Errorf("Refresh of a repository that is gone: %v", err)
	}
	if _, err := s.Browse("far"); err != nil { // the copy before is still there
		t.Errorf("Browse: %v", err)
	}
	for source, why := range map[string]string{
		"npm@far": "of the kind npm", "ref@far": "are not supported", "ssh@far": "not with ssh", "git@github.com:a/b.git": "not with ssh",
		"http://x.test/a": "not with http", "file:///etc": "not with file", "ext::sh -c x": "not a folder of this machine", "ssh://x/y": "not with ssh",
		"https://user:pw@x.test/a": "without a user", "https://x.test/a?b": "without a user", "a/none": "no such repository", "a/two": "no other part of a plugin",
	} {
		if _, err := s.Install(t.Context(), source, ""); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("Install(%s): %v, want %q", source, err, why)
		}
	}
}

// Two processes that fetch one repository do not write into each other's copy.
func TestTwoProcessesFetchARepository(t *testing.T) {
	d, first := shop(t)
	second := plugin.NewStore(d, "/home", "/")
	var inside, both atomic.Int32
	clone := func(ctx context.Context, address, dir string) error {
		if inside.Add(1) > 1 {
			both.Add(1)
		}
		defer inside.Add(-1)
		for range 100 { // the other process comes meanwhile
			runtime.Gosched()
			if err := vfs.WriteFileAtomic(d, dir+".x", nil, 0o600); err != nil {
				return err
			}
		}
		return hub{address: {"plugin.json": `{"name":"away"}`}}.clone(d, new([]string))(ctx, address, dir)
	}
	var processes sync.WaitGroup
	for _, s := range []*plugin.Store{first, second} {
		s.CloneWith(clone)
		processes.Go(func() {
			for range 5 {
				if _, err := s.Install(t.Context(), "a/b", ""); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Update(t.Context(), "away"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	processes.Wait()
	if both.Load() > 0 {
		t.Error("two processes made a copy at the same time")
	}
}

// Copying a repository runs no program of the repository, and none that the user's configuration
// of git names.
func TestGitRunsNothing(t *testing.T) {
	dir := t.TempDir()
	origin, ran := filepath.Join(dir, "origin"), filepath.Join(dir, "ran")
	script := "#!/bin/sh\ntouch " + ran + "\n"
	for name, text := range map[string]string{
		"origin/plugin.json":             `{"name":"x"}`,
		"origin/.gitattributes":          "* filter=evil\n",
		"origin/.gitmodules":             "[submodule \"s\"]\n\tpath = s\n\turl = " + origin + "\n",
		"template/hooks/post-checkout":   script,
		"home/.gitconfig":                "[init]\n\ttemplateDir = " + dir + "/template\n[filter \"evil\"]\n\tsmudge = touch " + ran + "\n\trequired = true\n",
		"home/.config/git/config":        "[core]\n\thooksPath = " + dir + "/template/hooks\n",
		"origin/.githooks/post-checkout": script,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(origin, "link")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = origin, []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "GIT_TEMPLATE_DIR=" + filepath.Join(dir, "template"), "GIT_EXTERNAL_DIFF=" + ran}
	copied := filepath.Join(dir, "copied")
	if err := plugin.Git(environ, "file")(t.Context(), "file://"+origin, copied); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something ran")
	}
	if _, err := os.Stat(filepath.Join(copied, "plugin.json")); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(filepath.Join(copied, "link")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("link: %v %v, want a file", info, err)
	}
	if err := plugin.Git(environ)(t.Context(), "file://"+origin, copied+"2"); err == nil {
		t.Error("a protocol that is not allowed was used")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := plugin.Git(environ, "file")(ctx, "file://"+origin, copied+"3"); err == nil {
		t.Error("a copy was made after its caller had left")
	}
}
