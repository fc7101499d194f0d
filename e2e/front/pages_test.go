package front_test

import (
	"strings"
	"testing"
)

func TestPagesOpenAndLeaveWhatWasThere(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), say("Made it."))
	d.says("make it")
	d.asks("touch one")
	d.press("y", "enter")
	d.shows("Made it.")
	d.idle()
	before := d.now()
	for _, page := range []struct {
		command string
		shows   []string
		close   string
	}{
		{"/help", []string{"Commands", "q close"}, "q"},
		{"/sessions", []string{"Sessions", "make it"}, "esc"},
		{"/rewind", []string{"Rewind", "make it"}, "esc"},
		{"/diff", []string{"Changes"}, "esc"},
		{"/context", []string{"system message", "The limit is from", "q close"}, "q"},
		{"/show", []string{"session", "Made it.", "q close"}, "q"},
	} {
		d.types(page.command)
		d.press("enter")
		d.shows(page.shows...)
		if strings.Contains(d.now(), "test-model ·") {
			t.Errorf("%s does not fill the screen:\n%s", page.command, d.now())
		}
		d.press(page.close)
		d.until("the screen is as before "+page.command, func() bool { return d.now() == before })
	}
	d.leave()
}

func TestASessionIsResumedFromTheList(t *testing.T) {
	t.Parallel()
	d := sit(t, say("One."), say("Two."))
	d.says("the first thing")
	d.shows("One.")
	d.idle()
	d.types("/new")
	d.press("enter")
	d.empty()
	d.says("another thing")
	d.shows("Two.")
	d.idle()
	d.types("/sessions")
	d.press("enter")
	d.shows("type to filter", "the first thing")
	d.write("first")
	d.until("the list is filtered", func() bool { return !strings.Contains(d.now(), "another thing") })
	d.press("enter")
	d.shows("› the first thing", "One.", "› Ask anything")
	d.leave()
}

func TestARewindTakesTheMessageBack(t *testing.T) {
	t.Parallel()
	d := sit(t, say("One."), say("Two."), say("Three."))
	d.says("the first thing")
	d.shows("One.")
	d.idle()
	d.says("another thing")
	d.shows("Two.")
	d.idle()
	d.types("/rewind")
	d.press("enter")
	d.shows("Rewind to before", "No file is restored.")
	d.press("enter")
	d.shows("Conversation only")
	d.press("enter")
	d.shows("rewound to before message 2", "› another thing\ntest-model")
	d.press("ctrl+c")
	d.empty()
	d.leave()
}
