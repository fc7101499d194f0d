package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// place is a workspace that is a folder and nothing more.
type place struct {
	cwd, dir string
	stored   func(path string) *tool.Stored // nil: no client keeps the session
}

func (p place) Cwd() string { return p.cwd }
func (p place) Dir() string { return p.dir }
func (p place) Stored(path string) *tool.Stored {
	if p.stored == nil {
		return nil
	}
	return p.stored(path)
}
func (place) Partial(_ tool.Call, _ string)  {}
func (place) Progress(_ tool.Call, _ string) {}

// newPlace makes a folder with files in it; a name with a slash at its end is a
// folder.
func newPlace(t *testing.T, files map[string]string) place {
	t.Helper()
	cwd, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(cwd, name), text, strings.HasSuffix(name, "/"))
	}
	return place{cwd: cwd, dir: t.TempDir()}
}

func put(t *testing.T, path, text string, folder bool) {
	t.Helper()
	dir := path
	if !folder {
		dir = filepath.Dir(path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if folder {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p place) tool(t *testing.T, name string) tool.Asker {
	t.Helper()
	for _, x := range append(tool.Files(p, nil), tool.Search(p)...) {
		if x.Definition().Name == name {
			return x.(tool.Asker)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// call makes one as the model would. ${workdir} in its arguments is the folder.
func (p place) call(t *testing.T, name, args string) tool.Call {
	t.Helper()
	compact, err := tool.NewSchema(p.tool(t, name).Definition().Parameters).Arguments(p.in(args))
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{ID: "1", Name: name, Arguments: compact}
}

func (p place) in(text string) string { return strings.ReplaceAll(text, "${workdir}", p.cwd) }

// out is a text with the folder's name taken out again.
func (p place) out(text string) string { return strings.ReplaceAll(text, p.cwd, "${workdir}") }

// ask returns what a call would do.
func (p place) ask(t *testing.T, name, args string) *permit.Request {
	t.Helper()
	q, early := p.tool(t, name).Request(t.Context(), p.call(t, name, args))
	if early != nil {
		t.Fatalf("%s %s: %s before anybody was asked", name, args, early.Text)
	}
	return q
}

// run asks, allows, and runs.
func (p place) run(t *testing.T, name, args string) tool.Result {
	t.Helper()
	c := p.call(t, name, args)
	q, early := p.tool(t, name).Request(t.Context(), c)
	if early != nil {
		return *early
	}
	c.Permitted = q
	return p.tool(t, name).Run(t.Context(), c)
}

func (p place) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.cwd, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func jsonOf(t *testing.T, v map[string]any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The texts of recorded conversations, to the letter. Only the final newline is
// free.
func TestRecordedTexts(t *testing.T) {
	files := map[string]string{
		"edit_me.txt": "Hello World\nGoodbye World\n", "lines.txt": "line1\nline2\nline3\nline4\nline5\n",
		"data.txt": "apple\nbanana\napricot\ncherry\n", "src/index.ts": "export const index = 1;",
		"README.md": "# ELIZA, the only chatbot you'll ever need", "attached-directory/readme.txt": "x",
		"order.txt": "ORDER_CONTENT_42", "test.png": "\x89PNG\r\n\x1a\n",
	}
	for _, tc := range []struct{ tool, args, want string }{
		{"create", `{"path":"${workdir}/new_file.txt","file_text":"Created by test"}`, "Created file ${workdir}/new_file.txt with 15 characters"},
		{"edit", `{"path":"${workdir}/edit_me.txt","old_str":"Hello World","new_str":"Hi Universe"}`, "File ${workdir}/edit_me.txt updated with changes."},
		{"view", `{"path":"${workdir}/edit_me.txt"}`, "1. Hello World\n2. Goodbye World\n3."},
		{"view", `{"path":"${workdir}/lines.txt","view_range":[2,4]}`, "2. line2\n3. line3\n4. line4"},
		{"view", `{"path":"${workdir}/README.md"}`, "1. # ELIZA, the only chatbot you'll ever need"},
		{"view", `{"path":"order.txt"}`, "1. ORDER_CONTENT_42"},
		{"view", `{"path":"${workdir}/attached-directory"}`, "readme.txt"},
		{"view", `{"path":"${workdir}/test.png"}`, "Viewed image file successfully."},
		{"view", `{"path":"${workdir}/does_not_exist.txt"}`, "Path ${workdir}/does_not_exist.txt does not exist. Please provide a valid path."},
		{"grep", `{"pattern":"^ap","path":"${workdir}/data.txt","output_mode":"content","-n":true}`, "${workdir}/data.txt:1:apple\n${workdir}/data.txt:3:apricot"},
		{"glob", `{"pattern":"**/*.ts"}`, "./src/index.ts"},
	} {
		t.Run(tc.tool+tc.args, func(t *testing.T) {
			p := newPlace(t, files)
			if got := strings.TrimSpace(p.out(p.run(t, tc.tool, tc.args).Text)); got != tc.want {
				t.Errorf("the model reads\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// A call that nobody allowed, or that was allowed for something else, does
// nothing.
func TestOnlyWhatWasPermitted(t *testing.T) {
	for _, tc := range []struct{ tool, args string }{
		{"view", `{"path":"a.txt"}`},
		{"create", `{"path":"b.txt","file_text":"x"}`},
		{"edit", `{"path":"a.txt","old_str":"secret","new_str":"x"}`},
		{"grep", `{"pattern":"secret","path":"a.txt","output_mode":"content"}`},
		{"glob", `{"pattern":"*.txt"}`},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a.txt": "secret"})
			for _, q := range []*permit.Request{nil, {Kind: permit.Write, Path: permit.Path{Name: "/etc/passwd", Real: "/etc/passwd"}}} {
				c := p.call(t, tc.tool, tc.args)
				c.Permitted = q
				r := p.tool(t, tc.tool).Run(t.Context(), c)
				if r.Outcome != tool.Failure || strings.Contains(r.Text, "secret") || r.Files != nil {
					t.Errorf("with permission %v: %s %s", q, r.Outcome, r.Text)
				}
			}
			if _, err := os.Stat(filepath.Join(p.cwd, "b.txt")); err == nil || p.read(t, "a.txt") != "secret" {
				t.Error("it wrote")
			}
		})
	}
}

func TestAnAbortedCallDoesNothing(t *testing.T) {
	for _, tc := range []struct{ tool, args string }{
		{"view", `{"path":"a.txt"}`},
		{"create", `{"path":"b.txt","file_text":"x"}`},
		{"edit", `{"path":"a.txt","old_str":"text","new_str":"x"}`},
		{"grep", `{"pattern":"text"}`},
		{"glob", `{"pattern":"*.txt"}`},
	} {
		p := newPlace(t, map[string]string{"a.txt": "text"})
		c := p.call(t, tc.tool, tc.args)
		c.Permitted = p.ask(t, tc.tool, tc.args)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := p.tool(t, tc.tool).Run(ctx, c); r.Outcome != tool.Interrupted {
			t.Errorf("%s: %s %s, want %s", tc.tool, r.Outcome, r.Text, tool.Interrupted)
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "b.txt")); err == nil || p.read(t, "a.txt") != "text" {
			t.Errorf("%s wrote", tc.tool)
		}
	}
}
