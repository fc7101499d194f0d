package tool

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// mostNamed bounds the files that one message names. All of them are in the event, and on the list of
// sidestick quarantine.
const mostNamed = 10

// Aside returns the events that tell the user what was found after a command, or a file tool, has written.
func Aside(f quarantine.Found) (events []wire.Data) {
	if len(f.Aside) > 0 {
		var names []string
		var items []wire.MovedAside
		for _, i := range f.Aside {
			names = append(names, i.Path+" ("+i.Why+")")
			items = append(items, MovedAside(i))
		}
		text := "Moved aside, to names that end with .untrusted, because it would act later (to see the list: sidestick quarantine; to take one back: sidestick quarantine allow " +
			shellword.Quote(f.Aside[0].Path) + "): " + firstOf(names)
		events = append(events, wire.WithJSON(&wire.SessionWarning{WarningType: wire.WarningQuarantine, Message: text}, wire.FieldMovedAside, items))
	}
	if len(f.Left) > 0 {
		text := "This acts later and could not be moved aside. Remove it before you use the folder: " + firstOf(f.Left)
		events = append(events, &wire.SessionWarning{WarningType: wire.WarningQuarantine, Message: text})
	}
	if len(f.Builds) > 0 {
		text := "Changed files that builds, tests or agents obey: " + firstOf(f.Builds)
		events = append(events, wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoBuildFiles, Message: text}, wire.FieldBuildFiles, f.Builds))
	}
	return events
}

// MovedAside is something that was moved aside, as clients see it.
func MovedAside(i quarantine.Item) wire.MovedAside {
	return wire.MovedAside{Path: i.Path, Aside: i.Aside, Why: i.Why, By: i.By, Digest: i.Digest}
}

// firstOf is a list of the first mostNamed names.
func firstOf(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// withAside adds to the result of a call what was found: for the user in events, and for the model in the text.
func withAside(res Result, f quarantine.Found) Result {
	res.After = append(res.After, Aside(f)...)
	var names []string
	for _, i := range f.Aside {
		names = append(names, i.Path)
	}
	if len(names) > 0 {
		text := "<moved aside, to names that end with .untrusted, until the user takes it back: " + firstOf(names) + ">"
		if res.Text != "" && !strings.HasSuffix(res.Text, "\n") {
			text = "\n" + text
		}
		res.Text += text
		if res.StoppedBy != "" {
			res.StoppedBy += "; it has made what acts later, which was moved aside: " + firstOf(names)
		}
	}
	return res
}
