package session_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// writer is a tool that writes a file, or removes one if the text is empty.
type writer struct{ fs vfs.FS }

func (writer) Definition() tool.Definition {
	return tool.Definition{Name: "create", Origin: tool.Builtin, Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (writer) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var args struct{ Path, Text string }
	_ = json.Unmarshal(c.Arguments, &args) // the model of the test wrote it
	return &permit.Request{Kind: permit.Write, Tool: "create", Path: permit.Path{Name: args.Path, Real: args.Path}, Contents: &args.Text}, nil
}

func (w writer) Run(_ context.Context, c tool.Call) tool.Result {
	path, text := c.Permitted.Path.Real, *c.Permitted.Contents
	err := w.fs.MkdirAll(filepath.Dir(path), 0o700)
	if text == "" {
		err = w.fs.Remove(path)
	} else if err == nil {
		err = vfs.WriteFileAtomic(w.fs, path, []byte(text), 0o644)
	}
	if err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	return tool.Result{Outcome: tool.Success, Text: "ok"}
}

// write is a model's call that writes a file.
func write(id, path, text string) modeltest.Reply {
	args, _ := json.Marshal(map[string]string{"path": path, "text": text}) // they are strings
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id, "create", string(args))}}
}

// content is a file's, "" if there is none.
func content(fs vfs.FS, path string) string {
	data, _ := fs.ReadFile(path)
	return string(data)
}

// tracked runs a session that has written a.txt twice, b.txt once, and removed old.txt.
func tracked(t *testing.T, f func(d *desk, s *seat, message string)) {
	disk := vfs.NewMem()
	if err := disk.MkdirAll("/work", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(disk, "/work/old.txt", []byte("old\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	tools := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{writer{disk}}} }
	d := &desk{fs: disk, tools: tools, opts: registry.Options{Rules: permit.Rules{All: true}}}
	bubble(t, d, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", TrackFiles: yes()})
		s.send("go")
		s.until("session.idle")
		f(d, s, last(t, s.told, "user.message").ID)
	},
		write("c1", "/work/a.txt", "one\n"), write("c2", "/work/a.txt", "two\n"), write("c3", "/work/b.txt", "b\n"), write("c4", "/work/old.txt", ""),
		modeltest.Reply{Text: "done"})
}

// All files are as they were, also after another process has opened the session.
func TestARewindRestoresFiles(t *testing.T) {
	tracked(t, func(d *desk, _ *seat, message string) {
		d.stop()
		d.start(d.opts)
		s := d.resume(wire.Config{SessionID: "s1"})
		r, err := s.s.History().Files().Rewind(context.Background(), message, true)
		if err != nil || r.Outcome != "success" || len(r.RestoredFiles) != 3 || len(r.SkippedFiles) != 0 {
			t.Fatalf("Rewind = %+v, %v", r, err)
		}
		got := []string{content(d.fs, "/work/a.txt"), content(d.fs, "/work/b.txt"), content(d.fs, "/work/old.txt")}
		if diff := cmp.Diff([]string{"", "", "old\n"}, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if info, err := d.fs.Stat("/work/old.txt"); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("old.txt: %v, %v", info, err)
		}
		if left, err := d.fs.ReadDir("/home/session-state/s1/snapshots"); err != nil || len(left) != 0 {
			t.Errorf("%d old versions are left, %v", len(left), err)
		}
	})
}

// A file that others have changed stays, and so does a file whose old version has been lost or
// replaced: then nothing is changed.
func TestARewindLeavesWhatItMust(t *testing.T) {
	t.Run("changed by others", func(t *testing.T) {
		tracked(t, func(d *desk, s *seat, message string) {
			if err := vfs.WriteFileAtomic(d.fs, "/work/a.txt", []byte("mine\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			want := []wire.SkippedFile{{Path: "/work/a.txt", Reason: "user-modified"}}
			skipped, err := s.s.History().Files().Skipped(context.Background(), message)
			if diff := cmp.Diff(want, skipped); diff != "" || err != nil {
				t.Errorf("Skipped: %v\n%s", err, diff)
			}
			r, err := s.s.History().Files().Rewind(context.Background(), message, true)
			if diff := cmp.Diff(want, r.SkippedFiles); diff != "" || err != nil || r.Outcome != "success" {
				t.Errorf("Rewind = %+v, %v\n%s", r, err, diff)
			}
			if content(d.fs, "/work/a.txt") != "mine\n" || content(d.fs, "/work/b.txt") != "" {
				t.Error("the wrong files were restored")
			}
		})
	})
	t.Run("an old version was replaced", func(t *testing.T) {
		tracked(t, func(d *desk, s *seat, message string) {
			dir := "/home/session-state/s1/snapshots"
			kept, err := d.fs.ReadDir(dir)
			if err != nil || len(kept) == 0 {
				t.Fatal(kept, err)
			}
			for _, k := range kept {
				if err := vfs.WriteFileAtomic(d.fs, filepath.Join(dir, k.Name()), []byte("evil\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := s.s.History().Files().Rewind(context.Background(), message, true)
			if err != nil || r.Outcome != "files-rolled-back" || r.Error == nil || len(r.RestoredFiles) != 0 {
				t.Errorf("Rewind = %+v, %v", r, err)
			}
			if content(d.fs, "/work/a.txt") != "two\n" || content(d.fs, "/work/b.txt") != "b\n" || content(d.fs, "/work/old.txt") != "" {
				t.Error("files have changed")
			}
			if n := count(d.stored("s1"), "assistant.message"); n == 0 {
				t.Error("the history was removed")
			}
		})
	})
}

// The captures in a fork, which is another session, restore nothing: a log grants nothing.
func TestAForkRestoresNoFiles(t *testing.T) {
	tracked(t, func(d *desk, _ *seat, _ string) {
		id, err := d.reg.Fork(context.Background(), "s1", "", "")
		if err != nil {
			t.Fatal(err)
		}
		s := d.resume(wire.Config{SessionID: id})
		points, _, _, err := s.s.History().Files().Points(context.Background())
		if err != nil || len(points) != 1 || points[0].CanRestoreFiles {
			t.Errorf("points %+v, %v", points, err)
		}
	})
}

// A path that leads elsewhere since the file was captured is not followed: nothing is written or
// removed there.
func TestARewindFollowsNoLinks(t *testing.T) {
	tracked(t, func(d *desk, _ *seat, message string) {
		d.stop()
		d.opts.Resolve = func(path string) string { // as if /work were a link by now
			if rest, ok := strings.CutPrefix(path, "/work"); ok {
				return "/elsewhere" + rest
			}
			return path
		}
		d.start(d.opts)
		s := d.resume(wire.Config{SessionID: "s1"})
		r, err := s.s.History().Files().Rewind(context.Background(), message, true)
		if err != nil || len(r.RestoredFiles) != 0 || len(r.SkippedFiles) != 3 {
			t.Errorf("Rewind = %+v, %v", r, err)
		}
		if content(d.fs, "/work/a.txt") != "two\n" || content(d.fs, "/work/b.txt") != "b\n" || content(d.fs, "/work/old.txt") != "" {
			t.Error("files have changed")
		}
	})
}
