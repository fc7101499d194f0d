package tool_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// kept is a place in a session that a client keeps in /state, where there is one file.
func kept(t *testing.T, text string) place {
	p := newPlace(t, map[string]string{"a.txt": "here"})
	p.stored = func(path string) *tool.Stored {
		name, below := strings.CutPrefix(path, "/state/")
		if !below {
			return nil
		}
		return &tool.Stored{Name: name, Read: func(_ context.Context, limit int64) ([]byte, error) {
			if name != "temp/out.txt" || int64(len(text)) > limit {
				return nil, &fs.PathError{Op: "readFile", Path: name, Err: fs.ErrNotExist}
			}
			return []byte(text), nil
		}}
	}
	return p
}

// The tools read the files of a session that a client keeps, under the client's paths.
func TestFilesInTheStorageOfAClient(t *testing.T) {
	for _, tc := range []struct{ tool, args, want string }{
		{"view", `{"path":"/state/temp/out.txt"}`, "1. one\n2. two\n3. three"},
		{"view", `{"path":"/state/temp/out.txt","view_range":[2,2]}`, "2. two"},
		{"view", `{"path":"/state/temp/none.txt"}`, "Path /state/temp/none.txt does not exist. Please provide a valid path."},
		{"view", `{"path":"a.txt"}`, "1. here"},
		{"grep", `{"pattern":"^t","path":"/state/temp/out.txt","output_mode":"content","-n":true}`, "/state/temp/out.txt:2:two\n/state/temp/out.txt:3:three"},
		{"grep", `{"pattern":"^t","path":"/state/temp/out.txt","output_mode":"count"}`, "/state/temp/out.txt:2"},
		{"grep", `{"pattern":"x","path":"/state/temp/none.txt"}`, "Path /state/temp/none.txt does not exist. Please provide a valid path."},
		{"glob", `{"pattern":"*","path":"/state/temp"}`, "/state/temp is in the storage of the client"},
		{"edit", `{"path":"/state/temp/out.txt","old_str":"two","new_str":"x"}`, "/state/temp/out.txt is in the storage of the client"},
		{"create", `{"path":"/state/temp/new.txt","file_text":"x"}`, "/state/temp/new.txt is in the storage of the client"},
	} {
		t.Run(tc.tool+tc.args, func(t *testing.T) {
			p := kept(t, "one\ntwo\nthree")
			if got := p.run(t, tc.tool, tc.args).Text; !strings.HasPrefix(got, tc.want) {
				t.Errorf("the model reads\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Rules take them for files in the session's own folder on this machine.
func TestPermissionForFilesInTheStorageOfAClient(t *testing.T) {
	p := kept(t, "text")
	want := permit.Path{Name: "/state/temp/out.txt", Real: filepath.Join(p.dir, "temp/out.txt")}
	if q := p.ask(t, "view", `{"path":"/state/temp/out.txt"}`); q.Kind != permit.Read || q.Path != want {
		t.Errorf("it asks for %s %+v, want %+v", q.Kind, q.Path, want)
	}
}

func TestABinaryFileInTheStorageOfAClient(t *testing.T) {
	p := kept(t, "\x00\x01")
	for _, name := range []string{"view", "grep"} {
		args := `{"path":"/state/temp/out.txt","pattern":"x"}`
		if name == "view" {
			args = `{"path":"/state/temp/out.txt"}`
		}
		if r := p.run(t, name, args); r.Outcome != tool.Failure || !strings.Contains(r.Text, "binary file") {
			t.Errorf("%s: %s %s", name, r.Outcome, r.Text)
		}
	}
}
