package server_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Each method of a newer SDK is answered with the code at which SDKs fall back, its name and the reason.
func TestMethodsOfPreviewsAreAnsweredByName(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		for _, name := range server.OfPreviews() {
			got := c.answer(c.request(name, `{"sessionId":"s1"}`)).failure
			if want := "Unhandled method " + name + ": " + server.Lacking(name); got.Code != jsonrpc.MethodNotFound || got.Message != want {
				t.Errorf("%s is answered with %d %q", name, got.Code, got.Message)
			}
			if slices.Contains(server.Methods(), name) || slices.Contains(server.Unimplemented(), name) {
				t.Errorf("%s does not belong into previews.go", name)
			}
		}
	})
}

// An event of a preview that our SDK has by now is decided on in wire.Kinds, and not in the list of previews.
func TestEventsOfPreviewsAreThoseThatOurSDKLacks(t *testing.T) {
	for _, name := range server.EventsOfPreviews() {
		if _, known := wire.Kinds[wire.EventType(name)]; known {
			t.Errorf("our SDK has %s: take it out of previews.go", name)
		}
	}
	for _, name := range strings.Fields("session.indexed_search session.model_deselected session.permission_recovery workflow.run_started workflow.run_updated workflow.run_settled") {
		if page, err := os.ReadFile(missingPage); err != nil || !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s does not name %s (%v)", missingPage, name, err)
		}
	}
}

// A field that our events have by now, or that our SDK has, leaves the list. docs/events.md has an example of each event.
func TestFieldsOfPreviewsAreThoseThatOurEventsLack(t *testing.T) {
	page, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range server.FieldsOfPreviews() {
		for _, path := range strings.Fields(l[1]) {
			parts := strings.SplitN(path, ".", 4)
			kind, field := parts[0]+"."+parts[1], path[strings.LastIndexByte(path, '.')+1:]
			if wire.Kinds[wire.EventType(kind)].By == "" {
				t.Errorf("%s is a field of an event that we do not send", path)
			}
			_, section, _ := strings.Cut(string(page), "\n## "+kind+"\n")
			section, _, _ = strings.Cut(section, "\n## ")
			if section == "" || strings.Contains(section, `"`+field+`": `) {
				t.Errorf("docs/events.md has no %s, or its example has %s: take %s out of previews.go", kind, field, path)
			}
			var event rpc.SessionEvent
			if err := json.Unmarshal([]byte(`{"type":"`+kind+`","data":{}}`), &event); err != nil || event.Data == nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if len(parts) == 3 && slices.Contains(fieldsOf(event.Data), field) {
				t.Errorf("our SDK has %s: take it out of previews.go", path)
			}
		}
	}
}

// fieldsOf are the names of the fields of the data of an event of our SDK.
func fieldsOf(data rpc.SessionEventData) (names []string) {
	for f := range reflect.TypeOf(data).Elem().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
