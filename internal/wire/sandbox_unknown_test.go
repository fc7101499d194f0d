package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Unknown fields of a sandbox are named up to a bound, and the rest is counted: each was compared with all before it.
func TestUnknownFieldsOfASandboxAreBounded(t *testing.T) {
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf(`"x%d":0`, i))
	}
	var c wire.SandboxConfig
	if err := json.Unmarshal([]byte("{"+strings.Join(fields, ",")+"}"), &c); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Unknown); n != 41 || c.Unknown[40] != "… (960 more fields)" {
		t.Errorf("%d are named, the last %q", n, c.Unknown[n-1])
	}
}
