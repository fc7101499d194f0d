package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// guest is a configuration of a second client with one tool.
func guest() wire.Config {
	cfg := tools("passing")
	cfg.DisableResume = true
	return cfg
}

func (s *seat) leave() {
	s.d.t.Helper()
	if err := s.client.Detach(context.Background()); err != nil {
		s.d.t.Fatal(err)
	}
}

const noticed = "Tools no longer available: passing\n"

func TestTheModelIsToldOnceOfToolsThatLeft(t *testing.T) {
	for _, hooked := range []bool{false, true} { // the message takes two ways
		inBubble(t, vfs.NewMem(), func(d *desk) {
			cfg := tools("staying")
			cfg.Hooks = &hooked
			client, _ := hooking(nil)
			s := d.createWith(cfg, client)
			g := d.resume(guest())
			for i, step := range []struct{ does, want string }{
				{"", ""},
				{"leave", noticed},
				{"", ""},
				{"come", ""},
				{"leave", noticed},
			} {
				switch step.does {
				case "leave":
					g.leave()
				case "come":
					g = d.resume(guest())
				}
				s.send("hello")
				s.until("session.idle")
				lines := strings.SplitAfter(strings.TrimSpace(d.conversation()), "user: ")
				if got := lines[len(lines)-1]; strings.Contains(got, noticed) != (step.want != "") {
					t.Errorf("hooked %v, message %d reads %q", hooked, i, got)
				}
			}
			if n := strings.Count(logText(d), `"newTools"`); n != 2 {
				t.Errorf("%d turns name new tools, want 2", n)
			}
		}, modeltest.Reply{Text: "ok", Repeat: true})
	}
}

// logText is the log of s1.
func logText(d *desk) string {
	var b strings.Builder
	for _, e := range d.stored("s1") {
		b.Write(e.Data)
	}
	return b.String()
}

func TestToolsThatLeftAreRememberedOverARestart(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("passing"))
		s.send("hello")
		s.until("session.idle")
		d.crash()
		s = d.resume(tools("staying"))
		s.send("hello again")
		s.until("session.idle")
		if text := d.conversation(); !strings.Contains(text, noticed) {
			t.Errorf("nothing was written about the tool:\n%s", text)
		}
		d.crash()
		s = d.resume(tools("staying"))
		s.send("and again")
		s.until("session.idle")
		if text := d.conversation(); strings.Count(text, noticed) != 1 {
			t.Errorf("it was written twice:\n%s", text)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

func TestToolsThatWereNeverOfferedAreNotMissed(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("staying"))
		d.resume(guest()).leave()
		s.send("hello")
		s.until("session.idle")
		if text := d.conversation(); strings.Contains(text, "no longer available") {
			t.Errorf("the model read:\n%s", text)
		}
	}, modeltest.Reply{Text: "ok"})
}
