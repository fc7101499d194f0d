package server_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const missingPage = "../../docs/missing.md"

// settingsTable is a table of the settings without an effect that belong on it.
func settingsTable(list []wire.Setting, belongs func(wire.Setting) bool) string {
	var b strings.Builder
	b.WriteString("| Setting | Why it has no effect |\n|---|---|\n")
	for _, s := range list {
		if belongs(s) {
			fmt.Fprintf(&b, "| `%s`%s | %s |\n", s.Field, map[bool]string{true: " *refused*"}[s.Refused], s.Why)
		}
	}
	return b.String()
}

// The page for users has every method, setting and event that is not there, with its reason.
// -update writes it.
func TestThePageOfWhatIsMissing(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What Sidestick does not have\n\n" +
		"This page lists the methods, settings and events of the SDKs that Sidestick does not have.\n\n" +
		"## Methods\n\nSidestick answers a call of one of these methods with the JSON-RPC error -32601 and the reason.\n\n| Why | Methods |\n|---|---|\n")
	for _, l := range slices.Concat(server.Missing(), server.MissingOfPreviews()) {
		fmt.Fprintf(&b, "| %s | `%s` |\n", l[0], strings.Join(strings.Fields(l[1]), "` `"))
	}
	b.WriteString("\n## Methods of clients\n\nSidestick never calls these methods, which clients answer.\n\n| Why | Methods |\n|---|---|\n")
	for _, l := range server.NeverCalled() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", l[0], strings.Join(strings.Fields(l[1]), "` `"))
	}
	b.WriteString("\n## Settings of session.create and session.resume\n\nOne `session.warning` of type `settings_ignored` names the settings of this list that a client has sent with a value that would change something, and those that no version is known to have. " +
		"If a client sends a setting that is marked *refused*, the request fails, because ignoring the setting would do harm.\n\n" + settingsTable(wire.SettingsWithoutEffect(), func(s wire.Setting) bool { return !s.Update }))
	var fields []string // of the SDK's type
	for f := range reflect.TypeFor[rpc.SessionUpdateOptionsParams]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	without := settingsTable(wire.SettingsWithoutEffect(), func(s wire.Setting) bool { return slices.Contains(fields, s.Field) })
	fields = slices.DeleteFunc(fields, func(name string) bool { return strings.Contains(without, "`"+name+"`") })
	b.WriteString("\n## Settings of session.options.update\n\nThese settings take effect as they do in `session.create`: `" + strings.Join(fields, "`, `") + "`. `installedPlugins` can only be an empty list; another one is refused. " +
		"The method names or refuses the settings of this list in the same way, and names those that only `session.create` and `session.resume` have.\n\n" + without)
	b.WriteString("\n## Members of settings\n\nThe same warning names these members of objects in settings, with their path, and members that no version is known to have, such as `mcpServers.files.inventedTomorrow`. " +
		"Here `[]` stands for each element of a list and `*` for each name. Objects of one kind are listed once: the MCP servers of `customAgents` have the same members as those of `mcpServers`. A sandbox has its own warning, and an unknown member of `managedSettings` is an error.\n\n" +
		settingsTable(wire.MembersWithoutEffect(), func(wire.Setting) bool { return true }))
	b.WriteString("\n## Events\n\nSidestick never sends these events of the SDKs. They belong to parts of the Copilot CLI or of the GitHub service that Sidestick does not have, or they report details on which no program depends.\n\n")
	var never []string
	for _, name := range slices.Sorted(maps.Keys(wire.Kinds)) {
		if wire.Kinds[name].By == "" {
			never = append(never, "`"+string(name)+"`")
		}
	}
	b.WriteString(strings.Join(never, ", ") + ".\n\nNewer SDKs have these events, too, and Sidestick does not send them either: `" + strings.Join(server.EventsOfPreviews(), "`, `") + "`.\n")
	b.WriteString("\n## Fields of events\n\nOnly newer SDKs have these fields of events that Sidestick sends, and Sidestick does not set them.\n\n| Why | Fields |\n|---|---|\n")
	for _, l := range server.FieldsOfPreviews() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", l[0], strings.Join(strings.Fields(l[1]), "` `"))
	}
	if *update {
		if err := os.WriteFile(missingPage, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	page, err := os.ReadFile(missingPage)
	if err != nil || string(page) != b.String() {
		t.Errorf("%s is not what the code says (%v); if the code is right, go test ./internal/server -run TestThePage -update", missingPage, err)
	}
}
