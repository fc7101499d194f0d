package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Rules judge the file that a path leads to, not its name.
func TestPathsAreResolved(t *testing.T) {
	p := newPlace(t, map[string]string{"dir/f": "x", "dir/deep/": ""})
	elsewhere := newPlace(t, map[string]string{"f": "x"})
	for name, target := range map[string]string{
		"link": "dir/f", "up": "..", "out": elsewhere.cwd, "chain": "out", "dangling": elsewhere.cwd + "/none",
		"loop": "loop", "loop1": "loop2", "loop2": "loop1", "dir/deep/back": "../../dir", "dot": ".", "top": "/", "hop": "dir/deep/../f",
	} {
		if err := os.Symlink(target, filepath.Join(p.cwd, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ path, name, real string }{
		{"dir/f", "${workdir}/dir/f", "${workdir}/dir/f"},
		{"./dir//f", "${workdir}/dir/f", "${workdir}/dir/f"},
		{"${workdir}/dir/../dir/f", "${workdir}/dir/f", "${workdir}/dir/f"},
		{"link", "${workdir}/link", "${workdir}/dir/f"},
		{"hop", "${workdir}/hop", "${workdir}/dir/f"},
		{"dir/deep/back/f", "${workdir}/dir/deep/back/f", "${workdir}/dir/f"},
		{"dot/dot/link", "${workdir}/dot/dot/link", "${workdir}/dir/f"},
		{"out/f", "${workdir}/out/f", "${elsewhere}/f"},
		{"chain/new/file", "${workdir}/chain/new/file", "${elsewhere}/new/file"},
		{"dangling", "${workdir}/dangling", "${elsewhere}/none"},
		{"dangling/x", "${workdir}/dangling/x", "${elsewhere}/none/x"},
		{"none/x", "${workdir}/none/x", "${workdir}/none/x"},
		{"top/etc", "${workdir}/top/etc", "/etc"},
		{"/", "/", "/"},
		{"../../../../../../../../../../etc/passwd", "/etc/passwd", "/etc/passwd"},
		{"$HOME/x", "${workdir}/$HOME/x", "${workdir}/$HOME/x"},
	} {
		in := strings.NewReplacer("${workdir}", p.cwd, "${elsewhere}", elsewhere.cwd)
		want := permit.Path{Name: in.Replace(tc.name), Real: in.Replace(tc.real)}
		if got := p.ask(t, "view", jsonOf(t, map[string]any{"path": tc.path})).Path; got != want {
			t.Errorf("%s is %+v, want %+v", tc.path, got, want)
		}
	}
	for _, path := range []string{"loop", "loop1/x"} {
		if r := p.run(t, "view", jsonOf(t, map[string]any{"path": path})); r.Outcome != tool.Failure || !strings.Contains(r.Text, "too many symbolic links") {
			t.Errorf("%s: %s %s", path, r.Outcome, r.Text)
		}
	}
}

// If a path is replaced between the approval and the act, a file that was not approved is
// neither read nor written.
func TestPathsThatAreSwapped(t *testing.T) {
	swaps := map[string]func(t *testing.T, p, secret place){
		"the folder becomes a link": func(t *testing.T, p, secret place) {
			must(t, os.Rename(filepath.Join(p.cwd, "dir"), filepath.Join(p.cwd, "was")))
			must(t, os.Symlink(secret.cwd, filepath.Join(p.cwd, "dir")))
		},
		"the file becomes a link": func(t *testing.T, p, secret place) {
			os.Remove(filepath.Join(p.cwd, "dir/f"))
			os.Remove(filepath.Join(p.cwd, "dir/new"))
			must(t, os.Symlink(filepath.Join(secret.cwd, "f"), filepath.Join(p.cwd, "dir/f")))
			must(t, os.Symlink(filepath.Join(secret.cwd, "new"), filepath.Join(p.cwd, "dir/new")))
		},
		"the working directory changes": func(_ *testing.T, p, secret place) {},
	}
	for name, swap := range swaps {
		for _, tc := range []struct{ tool, args string }{
			{"view", `{"path":"dir/f"}`},
			{"edit", `{"path":"dir/f","old_str":"key","new_str":"x"}`},
			{"create", `{"path":"dir/new","file_text":"x"}`},
			{"grep", `{"path":"dir/f","pattern":"key","output_mode":"content"}`},
		} {
			t.Run(name+"/"+tc.tool, func(t *testing.T) {
				p := newPlace(t, map[string]string{"dir/f": "key"})
				secret := newPlace(t, map[string]string{"f": "key secret", "dir/f": "key secret"})
				c := p.call(t, tc.tool, tc.args)
				c.Permitted = p.ask(t, tc.tool, tc.args)
				swap(t, p, secret)
				in := p
				if strings.Contains(name, "working") {
					in = secret
				}
				r := in.tool(t, tc.tool).Run(t.Context(), c)
				if r.Outcome != tool.Failure || strings.Contains(r.Text, "secret") || !strings.Contains(r.Text, "leads elsewhere") {
					t.Errorf("%s: %s", r.Outcome, r.Text)
				}
				if _, err := os.Stat(filepath.Join(secret.cwd, "new")); err == nil || secret.read(t, "f") != "key secret" {
					t.Error("it wrote")
				}
			})
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A search stays in the folder that was allowed: links are not followed.
func TestSearchesDoNotFollowLinks(t *testing.T) {
	secret := newPlace(t, map[string]string{"f.txt": "secret key"})
	p := newPlace(t, map[string]string{"a.txt": "key"})
	must(t, os.Symlink(secret.cwd, filepath.Join(p.cwd, "dir")))
	must(t, os.Symlink(filepath.Join(secret.cwd, "f.txt"), filepath.Join(p.cwd, "link.txt")))
	must(t, os.Symlink("a.txt", filepath.Join(p.cwd, "near.txt")))
	if got := p.run(t, "grep", `{"pattern":"key","output_mode":"content"}`).Text; got != "./a.txt:1:key" {
		t.Errorf("grep: %s", got)
	}
	if got := p.run(t, "glob", `{"pattern":"**/*.txt"}`).Text; got != "./a.txt\n./link.txt\n./near.txt" {
		t.Errorf("glob: %s", got)
	}
}
