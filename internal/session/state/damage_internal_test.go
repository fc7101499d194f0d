package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// One warning names ten events and covers a thousand. The next resume reports the others.
func TestAWarningAboutManyMissingContentsIsShort(t *testing.T) {
	var lost []Incomplete
	for i := range 1200 {
		lost = append(lost, Incomplete{Type: "user.message", Time: time.Unix(0, 0), Payload: fmt.Sprintf("sha256-%04d", i)})
	}
	data, err := wire.Marshal(incomplete(lost))
	if err != nil {
		t.Fatal(err)
	}
	var warning struct {
		Message  string
		Payloads []string
	}
	if err := json.Unmarshal(data, &warning); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(warning.Message, "events.payloads/"); n != 10 || !strings.Contains(warning.Message, "990 more") {
		t.Errorf("%d events are named: %s", n, warning.Message)
	}
	if n := len(warning.Payloads); n != 1000 {
		t.Errorf("%d payloads are covered, want 1000", n)
	}
}
