package chat

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The hint names a flag that covers what was asked, quoted for a shell, or none.
func TestAllowing(t *testing.T) {
	for raw, want := range map[string]string{
		`{"kind":"shell","commands":[{"identifier":"cat","readOnly":true},{"identifier":"go test"}]}`: `--allow-tool 'shell(go test:*)'`,
		`{"kind":"shell","commands":[]}`:                      "",
		`{"kind":"write","fileName":"/a"}`:                    "--allow-tool write",
		`{"kind":"url","url":"https://go.dev/x"}`:             "--allow-tool 'url(go.dev)'",
		`{"kind":"url","url":"::"}`:                           "",
		`{"kind":"read","path":"/etc/hosts"}`:                 "--allow-tool read",
		`{"kind":"mcp","serverName":"db","toolName":"query"}`: "",
		`{"kind":"custom-tool","toolName":"deploy"}`:          "--allow-tool deploy",
		`{"kind":"custom-tool","toolName":"it's \u001b[2J"}`:  `--allow-tool 'it'\''s ` + "\ufffd" + `[2J'`,
		`{"kind":"memory"}`:                                   "",
	} {
		if got := allowing(request(t, raw)); got != want {
			t.Errorf("for %s: %q, want %q", raw, got, want)
		}
	}
}

// request is the request of a permission.requested event.
func request(t *testing.T, raw string) timeline.Request {
	t.Helper()
	q, ok := timeline.ReadRequest(wire.Event{
		Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":` + raw + `}`),
	})
	if !ok {
		t.Fatal("no request")
	}
	return q
}
