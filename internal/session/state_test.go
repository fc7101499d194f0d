package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A removed message stays removed if the process dies at once.
func TestATakenBackMessageStaysSoAfterACrash(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(brief)
		s.send("one")
		synctest.Wait() // the model is asked by now
		s.queue(wire.Send{Prompt: "two"}, wire.Send{Prompt: "three"}, wire.Send{Prompt: "four", Mode: "immediate"})
		for range 2 {
			if removed, err := s.s.Queue().RemoveLast(context.Background()); !removed || err != nil {
				t.Fatalf("RemoveLastPending: %t %v", removed, err)
			}
		}
		d.crash()
		s = d.resume(brief)
		s.talk("five")
		if want := "user: one\nuser: two\nuser: five\n"; d.conversation() != want {
			t.Errorf("the model read:\n%s", d.conversation())
		}
	}, modeltest.Silent(), modeltest.Reply{Text: "5"})
}

// Settings that a client has changed survive a crash, except a name that lists could not
// show.
func TestSettingsSurviveACrash(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		s := d.create(brief)
		for name, err := range map[string]error{
			"mode": s.s.Settings().SetMode(ctx, "plan"), "name": s.s.Settings().SetName(ctx, "  A: \"name\" "), "effort": s.s.Settings().SetReasoningEffort(ctx, "low"),
			"plan": s.s.Workspace().UpdatePlan(ctx, "1. go"), "file": s.s.Workspace().CreateFile(ctx, "a/b.txt", "text"),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.talk("one")
		if yaml, err := d.fs.ReadFile("/home/session-state/s1/workspace.yaml"); err != nil ||
			!strings.HasPrefix(string(yaml), "id: \"s1\"\nname: \"A: \\\"name\\\"\"\nuser_named: true\ncwd: \"/work\"\n") {
			t.Errorf("workspace.yaml holds %q (%v)", yaml, err)
		}
		d.crash()
		s = d.resume(brief)
		snap, err := s.s.Snapshot(ctx)
		if err != nil || snap.CurrentMode != "plan" || *snap.Summary != `A: "name"` {
			t.Errorf("the snapshot is %+v, %v", snap, err)
		}
		if _, effort, _ := s.s.Settings().Model(ctx); effort != "low" {
			t.Errorf("effort is %q", effort)
		}
		if plan, exists, err := s.s.Workspace().Plan(ctx); plan != "1. go" || !exists || err != nil {
			t.Errorf("the plan is %q %t %v", plan, exists, err)
		}
		if text, err := s.s.Workspace().ReadFile(ctx, "a/b.txt"); text != "text" || err != nil {
			t.Errorf("the file is %q %v", text, err)
		}
		list, err := d.reg.List(ctx, wire.SessionContext{})
		if err != nil || len(list) != 1 || list[0].Summary != `A: "name"` {
			t.Errorf("the list is %+v, %v", list, err)
		}
	}, modeltest.Reply{Text: "1"})
}

// If a file cannot be written, the caller gets the error, no event is recorded, and the
// old file stays.
func TestAFullDiskLosesNoFile(t *testing.T) {
	for _, failing := range []string{"write", "sync", "rename", "mkdirall", "root"} {
		t.Run(failing, func(t *testing.T) {
			full := false
			disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
				if full && op.Name == failing && !strings.HasSuffix(op.Path, ".jsonl") {
					return errors.New("disk full")
				}
				return nil
			})
			inBubble(t, disk, func(d *desk) {
				ctx := context.Background()
				s := d.create(brief)
				if err := errors.Join(s.s.Workspace().UpdatePlan(ctx, "old"), s.s.Workspace().CreateFile(ctx, "a", "old")); err != nil {
					t.Fatal(err)
				}
				before := len(d.stored("s1"))
				full = true
				plan, file := s.s.Workspace().UpdatePlan(ctx, "new"), s.s.Workspace().CreateFile(ctx, "a", "new")
				full = false
				if file == nil || plan == nil && failing != "mkdirall" {
					t.Errorf("the errors are %v and %v", plan, file)
				}
				if text, err := s.s.Workspace().ReadFile(ctx, "a"); text != "old" || err != nil {
					t.Errorf("the file holds %q (%v)", text, err)
				}
				if n := len(d.stored("s1")) - before; n != 0 && failing != "mkdirall" {
					t.Errorf("%d events were recorded", n)
				}
				if files, err := s.s.Workspace().Files(ctx); err != nil || len(files) != 1 {
					t.Errorf("there are %q (%v)", files, err)
				}
			})
		})
	}
}

func TestTextsAreBounded(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		s := d.create(brief)
		long := strings.Repeat("a", 10<<20+1)
		_, paste := s.s.Workspace().SavePaste(ctx, long)
		for name, err := range map[string]error{
			"plan": s.s.Workspace().UpdatePlan(ctx, long), "file": s.s.Workspace().CreateFile(ctx, "a", long), "no text": s.s.Workspace().CreateFile(ctx, "a", "\xff"),
			"paste": paste, "path": s.s.Workspace().CreateFile(ctx, strings.Repeat("a", 2000), ""),
		} {
			if fault.KindOf(err) != fault.Invalid || err == nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		// Files that other programs left there.
		for name, data := range map[string]string{"long": long, "binary": "\xff\xfe"} {
			if err := d.fs.MkdirAll("/home/session-state/s1/files", 0o700); err != nil {
				t.Fatal(err)
			}
			if err := vfs.WriteFileAtomic(d.fs, filepath.Join("/home/session-state/s1/files", name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.s.Workspace().ReadFile(ctx, name); fault.KindOf(err) != fault.Invalid || err == nil {
				t.Errorf("reading %s: %v", name, err)
			}
		}
	})
}

// Tokens are counted alike whether the conversation is in memory or in the log.
func TestMeasureReadsWhatWasLetGo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		d.stop()
		d.start(registry.Options{IdleTimeout: 10 * time.Minute})
		s := d.create(tools("get"))
		s.talk("one")
		s.send("two")
		s.answer(`"result":"` + strings.Repeat("found ", 100) + `"`)
		s.until("session.idle")
		before, err := s.s.Metrics().Measure(ctx)
		if err != nil || before.Results < 50 || before.Conversation <= before.Results || before.Tools == 0 || before.ServerTools != 0 || before.System == 0 {
			t.Errorf("%+v, %v", before, err)
		}
		time.Sleep(time.Hour)
		after, err := s.s.Metrics().Measure(ctx)
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "get", `{"q":"x"}`)}}, modeltest.Reply{Text: "2"})
}
