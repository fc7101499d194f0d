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
	b.WriteString("# What is not there\n\n" +
		"This page is made from the code (`go test ./internal/server -run TestThePage -update`). It lists what the SDKs know and Sidestick does not have.\n\n" +
		"## Methods\n\nCalling one of these is answered with the JSON-RPC error -32601 and the reason.\n\n| Why | Methods |\n|---|---|\n")
	for _, l := range slices.Concat(server.Missing(), server.MissingOfPreviews()) {
		fmt.Fprintf(&b, "| %s | `%s` |\n", l[0], strings.Join(strings.Fields(l[1]), "` `"))
	}
	b.WriteString("\n## Settings of session.create and session.resume\n\nA setting that has no effect is named in one `session.warning` of type `settings_ignored`, if it asks for anything. " +
		"Settings that are *refused* fail the request, because going on without them would do harm.\n\n| Setting | Why it has no effect |\n|---|---|\n")
	for _, s := range wire.SettingsWithoutEffect() {
		fmt.Fprintf(&b, "| `%s`%s | %s |\n", s.Field, map[bool]string{true: " *refused*"}[s.Refused], s.Why)
	}
	b.WriteString("\n## Events\n\nThese events of the SDKs are never sent: they belong to parts of the Copilot CLI or of the GitHub service that are not here, or are details that nothing depends on.\n\n")
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
