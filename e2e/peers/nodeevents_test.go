package peers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// declared are the interfaces of a file of types in TypeScript, each with its fields and their types.
func declared(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAll(text, nil)
	interfaces := map[string]map[string]string{}
	for _, i := range regexp.MustCompile(`(?ms)^export interface (\w+) \{\n(.*?)^\}`).FindAllSubmatch(text, -1) {
		fields := map[string]string{}
		for _, f := range regexp.MustCompile(`(?m)^    "?([\w$.-]+)"?\??: (.*?);?$`).FindAllSubmatch(i[2], -1) {
			fields[string(f[1])] = string(f[2])
		}
		interfaces[string(i[1])] = fields
	}
	return interfaces
}

// untyped are the fields of session.task_complete in the Node SDK 1.0.14. Our SDK's type of its data has no fields.
const untyped = " objectiveId outcome reason success summary "

// The Node SDK is the newest of the SDKs that are installed here. Each of its events, and each field of the data
// of an event that we send, is in the types of our SDK, or docs/missing.md names it.
func TestTheEventsOfTheNodeSDKAreKnownOrNamed(t *testing.T) {
	interfaces := declared(t, filepath.Join(nodeSDK(t), "node_modules", "@github", "copilot-sdk", "dist", "generated", "session-events.d.ts"))
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "missing.md"))
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	for name, fields := range interfaces {
		kind, data := strings.Trim(fields["type"], `"`), fields["data"]
		if !strings.HasSuffix(name, "Event") || interfaces[data] == nil {
			continue
		}
		events++
		var ours rpc.SessionEvent
		if _, known := wire.Kinds[wire.EventType(kind)]; !known {
			if !strings.Contains(string(page), "`"+kind+"`") {
				t.Errorf("docs/missing.md does not name the event %s", kind)
			}
			continue
		}
		if err := json.Unmarshal([]byte(`{"type":"`+kind+`","data":{}}`), &ours); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for field := range interfaces[data] {
			if kind == "session.task_complete" && strings.Contains(untyped, " "+field+" ") {
				continue
			}
			_, found := reflect.TypeOf(ours.Data).Elem().FieldByNameFunc(func(goName string) bool {
				f, _ := reflect.TypeOf(ours.Data).Elem().FieldByName(goName)
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				return tag == field
			})
			if !found && wire.Kinds[wire.EventType(kind)].By != "" && !strings.Contains(string(page), "`"+kind+"."+field+"`") {
				t.Errorf("docs/missing.md does not name the field %s.%s", kind, field)
			}
		}
	}
	if events < 138 { // the Node SDK 1.0.14 has so many
		t.Errorf("%d events found in the types of the Node SDK", events)
	}
}
