package screen

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

func TestNotices(t *testing.T) {
	const title, body = "Side;stick\x1b]0;x\x07", "needs\nan\tanswer \u009b1m"
	for _, tc := range []struct{ env, want string }{
		{"", "\x1b]9;Side,stick\ufffd]0,x\ufffd: needs an answer \ufffd1m\x1b\\"},
		{"VTE_VERSION=7600", "\x1b]777;notify;Side,stick\ufffd]0,x\ufffd;needs an answer \ufffd1m\x1b\\"},
		{"TMUX=x", "\a"},
		{"STY=x", "\a"},
	} {
		s, g := open(t, 80, 24, tc.env)
		g.since()
		if err := s.Notify(title, body); err != nil {
			t.Fatal(err)
		}
		if got := g.since(); got != tc.want {
			t.Errorf("%s: Notify writes %q, want %q", tc.env, got, tc.want)
		}
	}
}

func TestTitleAndClipboard(t *testing.T) {
	s, g := open(t, 80, 24)
	g.since()
	for range 2 {
		if err := s.Title("a\x1b\\b " + strings.Repeat("long ", 100)); err != nil {
			t.Fatal(err)
		}
	}
	got := g.since()
	if strings.Count(got, "\x1b[22;2t") != 1 || strings.Count(got, "\x1b\\") != 2 || len(got) > 300 {
		t.Errorf("Title writes %q", got)
	}
	if sent, err := s.Copy("text"); !sent || err != nil {
		t.Errorf("Copy = %v, %v", sent, err)
	}
	if got, want := g.since(), "\x1b]52;c;dGV4dA==\x1b\\"; got != want {
		t.Errorf("Copy writes %q, want %q", got, want)
	}
	if sent, _ := s.Copy(strings.Repeat("x", maxClipboard)); !sent || len(g.since()) > 100_000 {
		t.Error("the longest text is too long")
	}
	if sent, _ := s.Copy(strings.Repeat("x", maxClipboard+1)); sent {
		t.Error("a text that is too long is sent")
	}
	s.Restore()
	if got := g.since(); !strings.Contains(got, "\x1b[23;2t") {
		t.Errorf("Restore writes %q", got)
	}
	s, _ = open(t, 80, 24, "TMUX=x")
	if sent, _ := s.Copy("x"); sent {
		t.Error("tmux is sent a clipboard")
	}
}

func TestThemes(t *testing.T) {
	mono, dark, light := row.Mono, row.Dark, row.Light
	for _, tc := range []struct {
		env    string
		before row.Theme
		answer string // the background that the terminal tells
		want   row.Theme
	}{
		{"", dark, "light", light},
		{"", dark, "dark", dark},
		{"COLORFGBG=0;15", light, "", light},
		{"COLORFGBG=0;default;7", light, "dark", dark},
		{"COLORFGBG=15;0", dark, "", dark},
		{"COLORFGBG=12;8", dark, "", dark},
		{"COLORFGBG=x", dark, "", dark},
		{"NO_COLOR=1", mono, "light", mono},
	} {
		s, g := open(t, 80, 24, tc.env)
		if got := s.Theme(); got != tc.before {
			t.Errorf("%s: the first theme is another", tc.env)
		}
		paint(t, s, Frame{Live: texts(box...)})
		if tc.answer != "" {
			s.SetDark(tc.answer == "dark")
		}
		if got := s.Theme(); got != tc.want {
			t.Errorf("%s, %s: the theme is another", tc.env, tc.answer)
		}
		if asked := slices.ContainsFunc(g.writes, func(w string) bool { return strings.Contains(w, askBackground) }); asked == (tc.want == mono) {
			t.Errorf("%s: the background is asked: %v", tc.env, asked)
		}
	}
}
