package server_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var namesFile = flag.String("names", "", "a file with the names of the newest SDKs, which tools/sdknames writes")

// madeUp are names as tools/sdknames writes them, and beside each what is to be said of it.
var madeUp = map[string]string{
	"method session.send":                    "",
	"method catalog.select":                  "",
	"method session.inventedTomorrow":        "new",
	"callback hooks.invoke":                  "",
	"callback uiThread.run":                  "",
	"callback inventedTomorrow.get":          "new",
	"event session.idle":                     "",
	"event workflow.run_started":             "",
	"event session.invented_tomorrow":        "new",
	"field session.idle.inventedTomorrow":    "new",
	"field session.idle.inventedTomorrow.x":  "", // what it is in is new
	"field session.title_changed.title":      "",
	"field session.error.providerErrorType":  "", // a newer SDK has it
	"field workflow.run_started.runId":       "", // the event is named
	"field system.message.contentBlocks[].a": "", // what it is in is named
	"setting model":                          "",
	"setting cloud.repository":               "",
	"setting customAgents[].mcpServers.*.up": "new",
	"setting sandboxConfig.anything":         "", // has a warning of its own
	"update installedPlugins":                "",
	"update inventedTomorrow":                "new",
	"update inventedTomorrow.x[].y":          "",
}

// Every name of the newest SDKs is there or is named with its reason, and the lists in previews.go have no name that
// these SDKs do not have. With -names the names are those of packages, otherwise made-up ones.
func TestNamesOfPackages(t *testing.T) {
	if *namesFile != "" {
		text, err := os.ReadFile(*namesFile)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(string(text), "\n")
		for _, name := range newNames(t, names) {
			t.Errorf("%s is new: make it, or name it with the reason in previews.go or unreadsettings.go", name)
		}
		for _, name := range gone(names) {
			t.Errorf("%s is named, and these packages do not have it: take it out of previews.go", name)
		}
		return
	}
	names := slices.Sorted(maps.Keys(madeUp))
	want := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return madeUp[name] == "" })
	if diff := cmp.Diff(want, newNames(t, names)); diff != "" {
		t.Errorf("new names (-want +got):\n%s", diff)
	}
	missing := gone(names)
	for name, want := range map[string]bool{"method catalog.select": false, "method session.quota.get": true, "event workflow.run_settled": true, "field system.message.contentBlocks": true} {
		if slices.Contains(missing, name) != want {
			t.Errorf("%s is gone: %v, want %v", name, !want, want)
		}
	}
}

// newNames returns the names that are neither there nor named, and not in an object whose name is one of them.
func newNames(t *testing.T, names []string) (unknown []string) {
	t.Helper()
	examples, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]func(name string) bool{
		"method":   in(server.Methods(), server.Unimplemented(), server.OfPreviews()),
		"callback": in(server.CalledOnClients(), allOf(server.NeverCalled())),
		"event":    in(eventNames(), server.EventsOfPreviews()),
		"field":    func(name string) bool { return fieldKnown(name, string(examples)) },
		"setting":  func(name string) bool { return !unknownIn(wire.UnreadSettings(sent(name))) },
		"update":   func(name string) bool { return !unknownIn(wire.UnreadOptions(sent(name))) },
	}
	for _, line := range names {
		what, name, _ := strings.Cut(line, " ")
		if !within(line, unknown) && known[what] != nil && !known[what](name) {
			unknown = append(unknown, line)
		}
	}
	return unknown
}

func in(lists ...[]string) func(name string) bool {
	return func(name string) bool { return slices.Contains(slices.Concat(lists...), name) }
}

func eventNames() (names []string) {
	for kind := range wire.Kinds {
		names = append(names, string(kind))
	}
	return names
}

// within reports whether a path begins with one of these.
func within(path string, above []string) bool {
	return slices.ContainsFunc(above, func(a string) bool {
		rest, ok := strings.CutPrefix(path, a)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// untyped are the fields that events have whose type in our SDK has none.
var untyped = strings.Fields(`
	session.task_complete.success session.task_complete.summary
	sandbox.decision.backend sandbox.decision.control sandbox.decision.enforcementPoint sandbox.decision.kind sandbox.decision.outcome sandbox.decision.platform
`)

// fieldKnown reports whether an event of ours has a field, by its example or the table of newer fields in
// docs/events.md, or the field or what it is in is named. tools/sdknames leaves out the fields that our SDK has.
func fieldKnown(path, examples string) bool {
	if within(path, server.EventsOfPreviews()) || within(path, allOf(server.FieldsOfPreviews())) || slices.Contains(untyped, path) {
		return true
	}
	for kind, k := range wire.Kinds {
		if within(path, []string{string(kind)}) {
			_, example, _ := strings.Cut(examples, "\n## "+string(kind)+"\n")
			example, _, _ = strings.Cut(example, "\n## ")
			field := path[strings.LastIndexByte(path, '.')+1:]
			return k.By == "" || strings.Contains(example, `"`+field+`": `) || newerField(string(kind), field, examples)
		}
	}
	return false
}

// newerField reports whether the table of newer fields in docs/events.md has a field of an event.
func newerField(kind, field, page string) bool {
	for row := range strings.Lines(page) {
		if events, fields, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | "); strings.Contains(events, "`"+kind+"`") && strings.Contains(fields, "`"+field+"`") {
			return true
		}
	}
	return false
}

// sent are parameters in which the member at a path asks for something.
func sent(path string) wire.Raw {
	text := "1"
	for _, part := range slices.Backward(strings.Split(path, ".")) {
		name := strings.TrimRight(part, "[]")
		for range strings.Count(part, "[]") {
			text = "[" + text + "]"
		}
		text = `{"` + name + `":` + text + `}`
	}
	return wire.Raw(text)
}

func unknownIn(u wire.Unread) bool {
	return slices.ContainsFunc(u.Settings, func(s wire.Setting) bool { return s.Why == "this version does not know it" })
}

func allOf(groups [][2]string) (names []string) {
	for _, g := range groups {
		names = append(names, strings.Fields(g[1])...)
	}
	return names
}

// gone returns the names in previews.go that are not among names. Settings are not compared in this direction: SDKs
// that tools/sdknames cannot read have some that these do not have.
func gone(names []string) (lines []string) {
	for what, named := range map[string][]string{
		"method": server.OfPreviews(), "event": server.EventsOfPreviews(), "field": allOf(server.FieldsOfPreviews()),
	} {
		for _, name := range named {
			if line := what + " " + name; !slices.Contains(names, line) {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}
