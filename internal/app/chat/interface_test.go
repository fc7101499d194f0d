package chat

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
)

// The terminal interface shows what commands without a page print.
func TestCommandsPrintForTheInterface(t *testing.T) {
	talk := newTalk(t)
	c := &chatter{Options: talk.Options}
	d, _ := slash.Find("allow")
	for _, arg := range []string{"on", ""} { // the second asks whether the first holds
		text, err := c.printed(talk.Runtime)(t.Context(), talk.client, d, arg, 80)
		if err != nil || !strings.Contains(text, "no longer asked") {
			t.Errorf("/allow %s says %q, %v", arg, text, err)
		}
	}
}

// A refused /allow says why: it is not always the command line.
func TestRefusedAllowSaysWhy(t *testing.T) {
	talk := newTalk(t)
	c := &chatter{Options: talk.Options}
	d, _ := slash.Find("allow")
	p := talk.client.Session().Permissions()
	if _, err := p.Mode(t.Context()); err != nil { // the session has begun
		t.Fatal(err)
	}
	p.Manage(permit.Managed{NoBypass: true})
	_, err := c.printed(talk.Runtime)(t.Context(), talk.client, d, "on", 80)
	if err == nil || err.Error() != "/allow on was refused: the managed settings of the session do not allow it (permissions.disableBypassPermissionsMode)" {
		t.Errorf("/allow on: %v", err)
	}
}

// Flags that have no effect on a server are errors.
func TestFlagsOfAServer(t *testing.T) {
	for want, c := range map[string]chatter{
		"HOST:PORT":          {connect: "nowhere"},
		"terminal interface": {connect: "host:1", Settings: entry.Settings{Plain: true}},
	} {
		c.Options = &cli.Options{Sys: cli.System{Getenv: func(string) string { return "" }}}
		if err := c.far(t.Context(), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--connect %s: %v, want %q", c.connect, err, want)
		}
	}
}

// /autopilot a second time ends that mode.
func TestAutopilotTwiceEndsIt(t *testing.T) {
	talk := newTalk(t)
	c := &chatter{Options: talk.Options, talk: talk, out: &paper{columns: 80}}
	for _, want := range []string{"autopilot", "interactive"} {
		if err := c.perform(t.Context(), "autopilot", ""); err != nil || c.agent != want {
			t.Errorf("/autopilot: mode %q, %v, want %s", c.agent, err, want)
		}
	}
}
