package wire_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The configuration on the page of the sandbox is one that can be read, and has no field that
// this program does not know.
func TestTheExampleOfTheSandboxPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(page), "```json\n")
	example, _, closed := strings.Cut(example, "```\n")
	if !found || !closed {
		t.Fatal("the page has no example")
	}
	var c wire.SandboxConfig
	if err := json.Unmarshal([]byte(example), &c); err != nil {
		t.Fatal(err)
	}
	if c.Enabled == nil || !*c.Enabled || len(c.Unknown) > 0 || len(c.UserPolicy.Filesystem.Denied) != 2 {
		t.Errorf("the example is read as %+v", c)
	}
}

// Unknown fields are reported by their paths, at every depth. A value that is not an object has
// no fields.
func TestUnknownFieldsOfASandbox(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{`{"enabled":true}`, nil},
		{`{"Enabled":true}`, nil}, // encoding/json reads it
		{`{"enabled":true,"b":1,"a":{"c":2}}`, []string{"a", "b"}},
		{`{"enabled":true,"userPolicy":{"x":1,"network":{"y":1,"proxy":{"url":"u","z":1}},"filesystem":null}}`, []string{
			"userPolicy.network.proxy.z", "userPolicy.network.y", "userPolicy.x",
		}},
		{`{"enabled":true,"unknown":1,"managedMcpRoutingLocked":true,"json":"-","":1}`, []string{"", "json", "unknown"}},
	} {
		var c wire.SandboxConfig
		if err := json.Unmarshal([]byte(tc.text), &c); err != nil {
			t.Errorf("%s: %v", tc.text, err)
		}
		if diff := cmp.Diff(tc.want, c.Unknown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}

// Newer SDKs fail on the event if the kind, the control, the platform or the backend is another than theirs.
func TestTheDecisionOnASandboxHasWhatNewerSDKsExpect(t *testing.T) {
	for _, tc := range []struct {
		decision wire.SandboxDecision
		want     string
	}{
		{wire.SandboxDecision{Platform: "linux", Mode: "read-only", Mechanism: "landlock", TookEffect: true}, `"outcome":"engaged","backend":"bubblewrap","platform":"linux","mode":"read-only","mechanism":"landlock","tookEffect":true}`},
		{wire.SandboxDecision{Platform: "macos", Mode: "workspace-write", Mechanism: "namespaces", TookEffect: true}, `"outcome":"engaged","backend":"seatbelt","platform":"macos","mode":"workspace-write","mechanism":"namespaces","tookEffect":true}`},
		{wire.SandboxDecision{Platform: "other", Mode: "workspace-write", Mechanism: "none", Reason: "none works"}, `"outcome":"inactive","backend":"unsupported","platform":"other","mode":"workspace-write","mechanism":"none","tookEffect":false,"reason":"none works"}`},
	} {
		got, err := wire.Marshal(tc.decision.Event())
		if want := `{"kind":"enforcement_state","control":"process","enforcementPoint":"shell",` + tc.want; err != nil || string(got) != want {
			t.Errorf("the data is %s (%v), want %s", got, err, want)
		}
	}
}
