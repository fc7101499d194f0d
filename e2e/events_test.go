package e2e_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// guide has the events of the SDK's guide "Streaming Session Events".
const guide = `
	assistant.turn_start assistant.intent assistant.reasoning assistant.reasoning_delta assistant.streaming_delta assistant.message
	assistant.message_delta assistant.turn_end assistant.usage tool.user_requested tool.execution_start tool.execution_partial_result
	tool.execution_progress tool.execution_complete session.idle session.error session.compaction_start session.compaction_complete
	session.title_changed session.context_changed session.usage_info session.task_complete session.shutdown permission.requested
	permission.completed user_input.requested user_input.completed elicitation.requested elicitation.completed subagent.started
	subagent.completed subagent.failed subagent.selected subagent.deselected skill.invoked abort user.message system.message
	external_tool.requested external_tool.completed command.queued command.completed exit_plan_mode.requested exit_plan_mode.completed`

// elsewhere has the events that need more than a program and a model, with the test that provokes
// them without the SDK.
var elsewhere = map[string]string{
	"auto_mode_switch.requested":         "internal/server/testdata/wire/model_switch.txtar",
	"auto_mode_switch.completed":         "internal/server/testdata/wire/model_switch.txtar",
	"assistant.turn_retry":               "internal/server/testdata/wire/provider_fails.txtar",
	"capabilities.changed":               "internal/server/testdata/wire/elicitation.txtar",
	"commands.changed":                   "internal/server/testdata/wire/commands.txtar",
	"mcp_app.tool_call_complete":         "internal/server/testdata/wire/mcp_control.txtar",
	"mcp.oauth_required":                 "internal/server/testdata/wire/mcp_signin.txtar",
	"mcp.oauth_completed":                "internal/server/testdata/wire/mcp_signin.txtar",
	"mcp.headers_refresh_required":       "internal/server/testdata/wire/mcp_signin.txtar",
	"mcp.headers_refresh_completed":      "internal/server/testdata/wire/mcp_signin.txtar",
	"sampling.requested":                 "internal/server/testdata/wire/mcp_sampling.txtar",
	"sampling.completed":                 "internal/server/testdata/wire/mcp_sampling.txtar",
	"session.canvas.opened":              "internal/server/testdata/wire/canvas.txtar",
	"session.canvas.closed":              "internal/server/testdata/wire/canvas.txtar",
	"session.canvas.unavailable":         "internal/server/testdata/wire/canvas.txtar",
	"session.canvas.registry_changed":    "internal/server/testdata/wire/canvas.txtar",
	"session.custom_agents_updated":      "internal/server/testdata/wire/agents.txtar",
	"session.managed_settings_resolved":  "internal/server/testdata/wire/managed_settings.txtar",
	"session.managed_settings_enforced":  "internal/server/testdata/wire/managed_settings.txtar",
	"session.remote_steerable_changed":   "internal/server/testdata/wire/remote.txtar",
	"session.session_limits_changed":     "internal/session/credits_test.go",
	"session.usage_checkpoint":           "internal/session/credits_test.go",
	"session.schedule_created":           "internal/server/testdata/wire/schedule.txtar",
	"session.schedule_cancelled":         "internal/server/testdata/wire/schedule.txtar",
	"session_limits_exhausted.requested": "internal/session/credits_test.go",
	"session_limits_exhausted.completed": "internal/session/credits_test.go",
	"session.tools_updated":              "internal/server/testdata/wire/client_dies.txtar",
	"system.notification":                "internal/server/testdata/wire/tasks.txtar",
	"ui.ephemeral_query":                 "internal/server/testdata/wire/ephemeral_query.txtar",
}

var updateEvents = flag.Bool("update-events", false, "write docs/events.md anew")

const eventsPage = "../docs/events.md"

// seen is the first event of a type, and the scene that provoked it.
type seen struct {
	scene string
	event copilot.SessionEvent
}

// Every event of the guide, and every other event that this program says it emits, reaches a
// program on the official SDK; docs/events.md lists them with examples.
func TestEvents(t *testing.T) {
	first := map[string]seen{}
	for _, scene := range eventScenes {
		t.Run(scene.name, func(t *testing.T) {
			for _, e := range scene.play(t) {
				if _, known := first[string(e.Type())]; !known {
					first[string(e.Type())] = seen{scene.name, e}
				}
			}
		})
	}
	if t.Failed() {
		return
	}
	expected := strings.Fields(guide)
	for typ, kind := range wire.Kinds {
		if kind.By != "" {
			expected = append(expected, string(typ))
		}
	}
	for _, typ := range slices.Compact(slices.Sorted(slices.Values(expected))) {
		_, ok := first[typ]
		file, other := elsewhere[typ]
		switch {
		case ok && other:
			t.Errorf("a scene provokes %s: delete its line in elsewhere", typ)
		case !ok && !other:
			t.Errorf("no scene provokes %s", typ)
		case other:
			asked := strings.TrimSuffix(typ, ".completed") // the end of a question comes with its beginning
			if text, err := os.ReadFile("../" + file); err != nil || !strings.Contains(string(text), asked) {
				t.Errorf("%s does not provoke %s: %v", file, typ, err)
			}
		}
	}
	for typ, s := range first {
		kind := wire.Kinds[wire.EventType(typ)]
		if kind.By == "" {
			t.Errorf("%s is emitted in %q, and wire.Kinds says that it is not", typ, s.scene)
		}
		if ephemeral := s.event.Ephemeral != nil && *s.event.Ephemeral; ephemeral == kind.Persisted() {
			t.Errorf("%s: ephemeral is %t, and wire.Kinds says that persisted is %t", typ, ephemeral, kind.Persisted())
		}
	}
	checkEventsPage(t, first)
}

// checkEventsPage compares docs/events.md with the events, or writes it. Values in examples
// may differ, their fields may not.
func checkEventsPage(t *testing.T, first map[string]seen) {
	t.Helper()
	page, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(page), "\n## ")
	if !found {
		t.Fatalf("%s has no sections", eventsPage)
	}
	var b bytes.Buffer
	b.WriteString(head)
	for _, typ := range slices.Sorted(maps.Keys(elsewhere)) {
		first[typ] = seen{}
	}
	for _, typ := range slices.Sorted(maps.Keys(first)) {
		says := meaning(string(page), typ)
		if says == "" && !*updateEvents {
			t.Errorf("%s does not say what %s means", eventsPage, typ)
		}
		b.WriteString("\n" + section(t, typ, says, first[typ]))
	}
	if *updateEvents {
		if err := os.WriteFile(eventsPage, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(withoutValues(string(page)), withoutValues(b.String())); d != "" {
		t.Errorf("%s is out of date; run go test ./e2e -run TestEvents -update-events:\n%s", eventsPage, d)
	}
}

// meaning returns what the page says, by hand, under the name of an event; "" if nothing.
func meaning(page, typ string) string {
	_, rest, _ := strings.Cut(page, "\n## "+typ+"\n\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	text, _, _ := strings.Cut(rest, "This event is ")
	return text
}

// section describes one type of event.
func section(t *testing.T, typ, says string, s seen) string {
	t.Helper()
	kind := wire.Kinds[wire.EventType(typ)]
	duration := "ephemeral"
	if kind.Persisted() {
		duration = "persisted"
	}
	if kind.Synced() {
		duration = "persisted and synced"
	}
	if file, other := elsewhere[typ]; other {
		return fmt.Sprintf("## %s\n\n%sThis event is %s. [A test](../%s) has an example.\n", typ, says, duration, file)
	}
	whole, err := json.Marshal(s.event)
	if err != nil {
		t.Fatal(err)
	}
	var e struct{ Data any }
	if err := json.Unmarshal(whole, &e); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(readable(e.Data), "    ", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("## %s\n\n%sThis event is %s.\n\n    %s\n", typ, says, duration, data)
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	folders = regexp.MustCompile(`/[^\s"]*/Test[^/\s"]*/[0-9]+`)
	stamps  = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)`)
	ports   = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
)

// readable shortens what a reader does not need: ids, folders of the test, long texts.
func readable(v any) any {
	const longest = 100
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = readable(member)
		}
	case []any:
		if len(v) > 2 {
			v = v[:2]
		}
		for i := range v {
			v[i] = readable(v[i])
		}
		return v
	case string:
		text := uuids.ReplaceAllString(v, "00000000-0000-4000-8000-000000000000")
		text = folders.ReplaceAllString(text, "/home/u")
		text = stamps.ReplaceAllString(text, "2026-11-22T12:00:00.000Z")
		text = ports.ReplaceAllString(text, "127.0.0.1:8000")
		if r := []rune(text); len(r) > longest {
			text = string(r[:longest]) + "…"
		}
		return text
	case float64:
		if v > 1e12 { // milliseconds since 1970
			return float64(1795348800000)
		}
	}
	return v
}

var (
	values   = regexp.MustCompile(`(?m)^( +"[^"]+": )("(\\.|[^"\\])*"|[-0-9.e+]+)(,?)$`)
	elements = regexp.MustCompile(`(?m)^( +)("(\\.|[^"\\])*"|[-0-9.e+]+),?$`)
)

func withoutValues(page string) string {
	return elements.ReplaceAllString(values.ReplaceAllString(page, "$1…$4"), "$1…")
}
