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
