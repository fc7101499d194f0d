package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// killedAfter ends the process as if it had been killed when the log had n events.
func (d *desk) killedAfter(n int) {
	d.t.Helper()
	var lines [][]byte
	for line, err := range d.reg.History(context.Background(), "s1") {
		if err != nil {
			d.t.Fatal(err)
		}
		lines = append(lines, line)
	}
	d.crash()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: d.fs})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := store.Delete(context.Background(), "s1"); err != nil {
		d.t.Fatal(err)
	}
	d.write("s1", lines[:n]...)
	d.start(d.opts)
}

// silently is a tool of the client that needs no permission.
func silently(name string) wire.Config {
	return wire.Config{SessionID: "s1", Tools: []wire.Tool{{Name: name, SkipPermission: true}}}
}

// A run that was killed after any of its events is brought to its end by a client that continues the
// pending work, once.
func TestARunThatWasKilledAnywhereIsAnswered(t *testing.T) {
	first := modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "look", `{}`)}}
	done, again := modeltest.Reply{Text: "done"}, modeltest.Reply{Text: "again"}
	begun := false
	for n := 2; ; n++ {
		all := 0
		t.Run(fmt.Sprintf("after event %d", n), func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(silently("look"))
				s.send("go")
				s.answer(`"result":"found"`)
				s.until("session.idle")
				events := d.stored("s1")
				if all = len(events); n > all {
					return
				}
				begun = begun || events[n-1].Type == "user.message"
				if !begun {
					return
				}
				answered := n > all-2 // the answer is in the log, and the end of its turn may be
				d.killedAfter(n)
				made := len(d.model.Requests())
				cfg := silently("look")
				cfg.ContinuePendingWork = true
				s = d.resume(cfg)
				synctest.Wait()
				for _, e := range d.stored("s1") {
					if e.Type == "external_tool.requested" {
						s.reply(field(e, "requestId"), `"result":"found"`)
					}
				}
				synctest.Wait()
				if calls := len(d.model.Requests()) - made; answered != (calls == 0) {
					t.Errorf("killed after %s: the model was called %d times", events[n-1].Type, calls)
				}
				stored := d.stored("s1")
				if got := field(last(t, stored, "assistant.message"), "content"); got != "done" && got != "again" {
					t.Errorf("the last answer is %q", got)
				}
				if a, b := count(stored, "assistant.turn_start"), count(stored, "assistant.turn_end"); a != b {
					t.Errorf("%d turns began and %d ended:\n%s", a, b, types(stored))
				}
				checkChain(t, stored)
				d.crash()
				made = len(d.model.Requests())
				d.resume(cfg)
				synctest.Wait()
				if calls := len(d.model.Requests()) - made; calls != 0 {
					t.Errorf("the next resume called the model %d times again", calls)
				}
			}, first, done, again, again, again)
		})
		if n > all {
			break
		}
	}
}

// A run that a client did not continue is not continued by a later one either.
func TestARunThatWasNotContinuedIsOver(t *testing.T) {
	for name, quiet := range map[string]bool{"": false, "without an event of the resume": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("go")
				s.until("assistant.turn_start")
				synctest.Wait() // until the model has the call
				d.crash()
				d.resume(wire.Config{SessionID: "s1", DisableResume: quiet})
				d.crash()
				made := len(d.model.Requests())
				d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: true})
				synctest.Wait()
				if calls := len(d.model.Requests()) - made; calls != 0 {
					t.Errorf("the model was called %d times", calls)
				}
			}, modeltest.Silent())
		})
	}
}

// In a user interface the run waits for the user, also one that was killed between two calls.
func TestARunThatWasKilledBetweenItsCallsIsHeld(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		s.until("session.idle")
		n := 0
		for i, e := range d.stored("s1") {
			if e.Type == "user.message" {
				n = i + 1
			}
		}
		d.killedAfter(n)
		s = d.resume(continued())
		s.holds(false, true)
		if err := s.s.Queue().Pause(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got := d.conversation(); got != "user: go\n" {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two"})
}

// A tool that ends its run leaves no open run behind: the log says that the run has ended.
func TestARunThatAToolEndsIsOver(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := wire.Config{SessionID: "s1", Tools: []wire.Tool{{Name: "finish", SkipPermission: true, Terminal: true}}}
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":"finished"`)
		s.until("session.idle")
		made := len(d.model.Requests())
		d.crash()
		cfg.ContinuePendingWork = true
		d.resume(cfg)
		synctest.Wait()
		if calls := len(d.model.Requests()) - made; calls != 0 {
			t.Errorf("the model was called %d times", calls)
		}
		if got := strings.Join(infos(d.stored("s1")), " "); !strings.Contains(got, wire.InfoRunEnded) {
			t.Errorf("the log has the infos %q", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "finish", `{}`)}})
}

// An error that a client logs during a run does not end the run, which is continued after a death. Without a run,
// the event has only the fields of the SDK.
func TestALoggedErrorEndsNoRun(t *testing.T) {
	var broken wire.LogEntry
	if err := json.Unmarshal([]byte(`{"message":"broken","level":"error"}`), &broken); err != nil {
		t.Fatal(err)
	}
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		log := func(want string) {
			if _, err := s.s.Log(context.Background(), broken); err != nil {
				t.Fatal(err)
			}
			if got := string(s.until("session.error").Data); got != want {
				t.Errorf("the event has %s, want %s", got, want)
			}
		}
		log(`{"errorType":"notification","message":"broken"}`)
		s.send("go")
		s.until("assistant.turn_start")
		log(`{"errorType":"notification","message":"broken","logged":true}`)
		synctest.Wait() // until the model has the call
		d.crash()
		made := len(d.model.Requests())
		d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: true})
		synctest.Wait()
		if calls := len(d.model.Requests()) - made; calls != 1 {
			t.Errorf("the model was called %d times after the death, want 1", calls)
		}
	}, modeltest.Silent(), modeltest.Reply{Text: "done"})
}
