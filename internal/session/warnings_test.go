package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The content of a long message is lost. The user learns of it once, by name, and the
// session can be used.
func TestMissingContentIsReportedOnce(t *testing.T) {
	for _, tc := range []struct {
		rule string
		lose func(fsys vfs.FS, path string) error
	}{
		{"no file", func(fsys vfs.FS, path string) error { return fsys.Remove(path) }},
		{"a directory", func(fsys vfs.FS, path string) error {
			return errors.Join(fsys.Remove(path), fsys.MkdirAll(path, 0o700))
		}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.create(brief).talk("one", "IMPORTANT "+strings.Repeat("p", eventlog.MaxRecord), "three")
				d.stop()
				const folder = "/home/session-state/s1/events.payloads"
				payloads, err := d.fs.ReadDir(folder)
				if err != nil || len(payloads) != 1 {
					t.Fatalf("%d payloads, %v", len(payloads), err)
				}
				name := payloads[0].Name()
				if err := tc.lose(d.fs, folder+"/"+name); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					d.start(registry.Options{})
					s := d.resume(brief)
					s.talk("and now?")
					warning := last(t, d.stored("s1"), "session.warning")
					if text := field(warning, "message"); !strings.Contains(text, "user.message of 20") || !strings.Contains(text, name) {
						t.Errorf("the warning is %q, want the event and its file", text)
					}
					if n := count(d.stored("s1"), "session.warning"); n != 1 {
						t.Errorf("%d warnings are stored, want one", n)
					}
					d.stop()
				}
				d.start(registry.Options{})
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}
