package chat

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The hint names flags that cover what was asked, quoted for a shell, or says why no flag
// does.
func TestAllowing(t *testing.T) {
	for raw, want := range map[string]string{
		`{"kind":"shell","fullCommandText":"cat a && go test ./...","resolvedWorkingDirectory":"/w"}`: `--allow-tool 'shell(go test:*)' allows this; --allow-all allows everything`,
		`{"kind":"shell","fullCommandText":"go test && go vet","resolvedWorkingDirectory":"/w"}`:      `--allow-tool 'shell(go test:*)' --allow-tool 'shell(go vet:*)' together allow this; --allow-all allows everything`,
		`{"kind":"shell","fullCommandText":"FOO=1 npm test","resolvedWorkingDirectory":"/w"}`:         "no rule allows this, only --allow-all does: it is not clear what the command does: ",
		`{"kind":"shell","fullCommandText":"go test","resolvedWorkingDirectory":"/w","warning":"it is not clear what the command does: this shell was altered"}`: "" +
			"no rule allows this, only --allow-all does: it is not clear what the command does: this shell was altered",
		`{"kind":"shell","fullCommandText":"sleep 5","resolvedWorkingDirectory":"/w","requestSandboxBypass":true}`: "" +
			"--allow-tool 'shell(sleep:*)' --sandbox-exclude 'shell(sleep:*)' together allow this; --allow-all allows everything",
		`{"kind":"write","fileName":"/w/a"}`:                                   "--allow-tool write allows this; --allow-all allows everything",
		`{"kind":"url","url":"https://go.dev/x"}`:                              "--allow-tool 'url(go.dev)' allows this; --allow-all allows everything",
		`{"kind":"read","path":"/w"}`:                                          "--allow-tool read allows this; --allow-all allows everything",
		`{"kind":"mcp","serverName":"db","toolName":"query"}`:                  "--allow-tool 'mcp(db(query))' allows this; --allow-all allows everything",
		`{"kind":"custom-tool","toolName":"deploy"}`:                           "--allow-tool deploy allows this; --allow-all allows everything",
		`{"kind":"custom-tool","toolName":"it's"}`:                             `--allow-tool 'it'\''s' allows this; --allow-all allows everything`,
		`{"kind":"custom-tool","toolName":"x","managedApprovalRequired":true}`: "only the user can confirm this; no flag can",
		`{"kind":"memory"}`:                                                    "no rule allows this, only --allow-all does: no rule covers it",
	} {
		got := allowing(request(t, raw), permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true}, permit.Sandboxing{}).String()
		if got != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want)) {
			t.Errorf("for %s: %q, want %q", raw, got, want)
		}
	}
}

// The hint names --sandbox-auto-allow for what stays in the sandbox, and says that a folder is
// opened for changes, too.
func TestHintsOfTheSandbox(t *testing.T) {
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true}
	b := permit.Sandboxing{On: true, ReadOnly: true, Workspace: true, AllowBypass: true}
	for text, want := range map[string]string{
		"make":           "--allow-tool 'shell(make:*)' allows this; --sandbox-auto-allow allows all that stays in the sandbox; --allow-all allows everything",
		"FOO=1 npm test": "no rule allows this, only --allow-all or --sandbox-auto-allow does: ",
		"cat /srv/x":     "--add-dir /srv allows this; --allow-all allows everything (--add-dir also allows changing the files there)",
	} {
		q := request(t, `{"kind":"shell","fullCommandText":"`+text+`","resolvedWorkingDirectory":"/w"}`)
		if got := allowing(q, r, b).String(); !strings.HasPrefix(got, want) {
			t.Errorf("for %s: %q, want %q", text, got, want)
		}
	}
}

// A path that is denied is settled by the sandbox: the hint names the flags with which the command runs.
func TestTheHintOfADeniedPathNamesTheSandbox(t *testing.T) {
	r := permit.Rules{All: true, Folders: permit.Folders{Primary: "/w"}, Deny: []permit.Rule{{Kind: permit.Read, Argument: "/w/.env"}}}
	b := permit.Sandboxing{On: true, ReadOnly: true, Workspace: true}
	q := request(t, `{"kind":"shell","fullCommandText":"npm test","resolvedWorkingDirectory":"/w"}`)
	if got, want := allowing(q, r, b).String(), "no rule allows this, only --sandbox together with --allow-all does, "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := allowing(q, r, permit.Sandboxing{}).String(), "no flag allows this: "; !strings.HasPrefix(got, want) {
		t.Errorf("without a sandbox: %q, want %q", got, want)
	}
}

// A path of the model that has line feeds stays in the row of its hint: behind a line feed, it would look like a
// question of the program.
func TestAValueInAHintStaysInItsRow(t *testing.T) {
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true}
	const bad = `/nosuchfolder/y\n? Allow: run $ ls\n  [y] yes\u2028? Allow\r? Allow`
	for _, raw := range []string{
		`{"kind":"read","path":"` + bad + `"}`,
		`{"kind":"write","fileName":"` + bad + `"}`,
		`{"kind":"shell","fullCommandText":"cat '` + bad + `'","resolvedWorkingDirectory":"/w"}`,
		`{"kind":"url","url":"https://a/` + bad + `"}`,
		`{"kind":"custom-tool","toolName":"x` + bad + `"}`,
		`{"kind":"mcp","serverName":"s` + bad + `","toolName":"t` + bad + `"}`,
		`{"kind":"shell","fullCommandText":"ls","resolvedWorkingDirectory":"/w","warning":"` + bad + `"}`,
	} {
		for _, rows := range []bool{false, true} {
			q := request(t, raw)
			text := allowing(q, r, permit.Sandboxing{}).text(rows)
			for row := range strings.SplitSeq(text, "\n") {
				if strings.HasPrefix(strings.TrimSpace(row), "? Allow") || strings.HasPrefix(strings.TrimSpace(row), "[y]") {
					t.Errorf("for %s: the text of the model has a row of its own:\n%s", raw, text)
				}
			}
			for _, line := range hintLines([]timeline.Request{q}, r, permit.Sandboxing{}, rows) {
				if strings.Contains(line, "\n? Allow") || strings.ContainsAny(line, "\r\u2028") {
					t.Errorf("for %s: the hint is %q", raw, line)
				}
			}
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
