package wire_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The verdicts of testdata/verdicts.txt.
var verdicts = []string{
	"record",  // it is shown, and sent to the model at most: nothing is read, sent elsewhere, started or allowed because of it
	"used",    // it takes effect in a foreign session: it chooses how the agent works in the user's folder, with a model that the log may name, or takes something away
	"asked",   // a value that leads to another provider, address or folder has no effect in a foreign session until the user or the client chooses it
	"ignored", // it has no effect in a foreign session at all
}

// Every field of the SDK's types of the events that a log can have has a verdict: whether a log of somebody
// else makes something happen with it. A new event or field of the SDK fails this test until somebody has
// decided. The fields that this program adds (own.go) have their verdicts in
// docs/decisions/0029-logs-of-others.md, and no test. Whether a verdict is right is for other tests.
func TestEveryFieldOfALogHasAVerdict(t *testing.T) {
	data, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for line := range strings.Lines(string(data)) {
		field, verdict, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !slices.Contains(verdicts, verdict) || given[field] != "" {
			t.Errorf("the line %q has no verdict of %v, or is there twice", line, verdicts)
		}
		given[field] = verdict
	}
	for kind, k := range wire.Kinds {
		if !k.Persisted() {
			continue
		}
		var e rpc.SessionEvent
		if err := e.UnmarshalJSON([]byte(`{"type":"` + string(kind) + `","data":{}}`)); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		of := reflect.TypeOf(e.Data).Elem()
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			field := string(kind) + "." + name
			if given[field] == "" {
				t.Errorf("%s has no verdict in testdata/verdicts.txt", field)
			}
			delete(given, field)
		}
	}
	for field := range given {
		t.Errorf("testdata/verdicts.txt has the field %s, which no persisted event has", field)
	}
}
