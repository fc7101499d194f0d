package server_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const missingPage = "../../docs/missing.md"

// The page for users has every method, setting and event that is not there, with its reason.
// -update writes it.
func TestThePageOfWhatIsMissing(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What Sidestick does not have\n\n" +
		"This page lists the methods, settings and events of the SDKs that Sidestick does not have. It is generated from the code (`go test ./internal/server -run TestThePage -update`).\n\n" +
		"## Methods\n\nSidestick answers a call of one of these methods with the JSON-RPC error -32601 and the reason.\n\n| Why | Methods |\n|---|---|\n")
	for _, l := range slices.Concat(server.Missing(), server.MissingOfPreviews()) {
		fmt.Fprintf(&b, "| %s | `%s` |\n", l[0], strings.Join(strings.Fields(l[1]), "` `"))
	}
	b.WriteString("\n## Settings of session.create and session.resume\n\nOne `session.warning` of type `settings_ignored` names the settings of this list that a client has sent with a value that would change something. " +
		"If a client sends a setting that is marked *refused*, the request fails, because ignoring the setting would do harm.\n\n| Setting | Why it has no effect |\n|---|---|\n")
	for _, s := range wire.SettingsWithoutEffect() {
		fmt.Fprintf(&b, "| `%s`%s | %s |\n", s.Field, map[bool]string{true: " *refused*"}[s.Refused], s.Why)
	}
	b.WriteString("\n## Events\n\nSidestick never sends these events of the SDKs. They belong to parts of the Copilot CLI or of the GitHub service that Sidestick does not have, or they report details on which no program depends.\n\n")
	var never []string
	for _, name := range slices.Sorted(maps.Keys(wire.Kinds)) {
		if wire.Kinds[name].By == "" {
			never = append(never, "`"+string(name)+"`")
		}
	}
	b.WriteString(strings.Join(never, ", ") + ".\n")
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
