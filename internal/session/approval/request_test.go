package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestEveryKindIsAskedInTheWordsOfTheProtocol(t *testing.T) {
	for name, want := range map[string]string{
		"shell": `{"permissionRequest":{"kind":"shell","canOfferSessionApproval":true,"commands":[{"identifier":"git status","readOnly":false},{"identifier":"ls","readOnly":false}],` +
			`"commandSegments":[{"fullCommandText":"git status","identifier":"git status"},{"fullCommandText":"ls src","identifier":"ls"}],"fullCommandText":"git status && ls src > out.txt",` +
			`"hasWriteFileRedirection":true,"intention":"try it","possiblePaths":["/w/out.txt"],"possibleUrls":[],"toolCallId":"c1"},` +
			`"promptRequest":{"kind":"commands","canOfferSessionApproval":true,"commandIdentifiers":["git status","ls"],"fullCommandText":"git status && ls src > out.txt","intention":"try it","toolCallId":"c1"},"requestId":"r1"}`,
		"unclear": `{"permissionRequest":{"kind":"shell","canOfferSessionApproval":false,"commands":[{"identifier":"date","readOnly":true},{"identifier":"echo","readOnly":false}],` +
			`"commandSegments":[{"fullCommandText":"date","identifier":"date"},{"fullCommandText":"echo ","identifier":"echo"}],"fullCommandText":"echo $(date)",` +
			`"hasWriteFileRedirection":false,"intention":"try it","possiblePaths":[],"possibleUrls":[],"toolCallId":"c1","warning":"it is not clear what the command does: it inserts the output of another command"},` +
			`"promptRequest":{"kind":"commands","canOfferSessionApproval":false,"commandIdentifiers":["date","echo"],"fullCommandText":"echo $(date)","intention":"try it","toolCallId":"c1","warning":"it is not clear what the command does: it inserts the output of another command"},"requestId":"r1"}`,
		"outside": `{"permissionRequest":{"kind":"shell","canOfferSessionApproval":false,"commands":[{"identifier":"cat","readOnly":true}],"commandSegments":[{"fullCommandText":"cat /etc/hosts","identifier":"cat"}],` +
			`"fullCommandText":"cat /etc/hosts","hasWriteFileRedirection":false,"intention":"try it","possiblePaths":["/etc/hosts"],"possibleUrls":[],"toolCallId":"c1","warning":"/etc/hosts is outside the allowed folders"},` +
			`"promptRequest":{"kind":"path","accessKind":"shell","paths":["/etc/hosts"],"toolCallId":"c1"},"requestId":"r1"}`,
		"read": `{"permissionRequest":{"kind":"read","intention":"see","path":"/w/a.go","resolvedPath":"/w/a.go","toolCallId":"c1"},` +
			`"promptRequest":{"kind":"read","intention":"see","path":"/w/a.go","resolvedPath":"/w/a.go","toolCallId":"c1"},"requestId":"r1"}`,
		"read outside": `{"permissionRequest":{"kind":"read","intention":"see","path":"/etc/hosts","resolvedPath":"/etc/hosts","toolCallId":"c1"},` +
			`"promptRequest":{"kind":"path","accessKind":"read","paths":["/etc/hosts"],"toolCallId":"c1"},"requestId":"r1"}`,
		"write": `{"permissionRequest":{"kind":"write","canOfferSessionApproval":true,"diff":"-a\n+b\n","fileName":"/w/a.go","intention":"change","newFileContents":"new\n","resolvedPath":"/w/a.go","toolCallId":"c1"},` +
			`"promptRequest":{"kind":"write","canOfferSessionApproval":true,"diff":"-a\n+b\n","fileName":"/w/a.go","intention":"change","newFileContents":"new\n","resolvedPath":"/w/a.go","toolCallId":"c1"},"requestId":"r1"}`,
		"url": `{"permissionRequest":{"kind":"url","intention":"look","redirectedFrom":"https://example.org","toolCallId":"c1","url":"https://example.com/x"},` +
			`"promptRequest":{"kind":"url","intention":"look","redirectedFrom":"https://example.org","toolCallId":"c1","url":"https://example.com/x"},"requestId":"r1"}`,
		"custom": `{"permissionRequest":{"kind":"custom-tool","args":{"to":"live"},"toolCallId":"c1","toolDescription":"Deploys.","toolName":"deploy"},` +
			`"promptRequest":{"kind":"custom-tool","args":{"to":"live"},"toolCallId":"c1","toolDescription":"Deploys.","toolName":"deploy"},"requestId":"r1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			// The SDK's own encoder escapes what HTML would read.
			got := strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(string(asked(t, alone(&state.State{}), requests()[name])))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLogsOfOtherRuntimesAreRead(t *testing.T) {
	var h state.State
	for _, data := range []string{
		`{"requestId":"1","result":{"kind":"approved-for-session","approval":{"kind":"commands","commandIdentifiers":["go test","ls"]}}}`,
		`{"requestId":"2","result":{"kind":"approved-for-location","locationKey":"/w","approval":{"kind":"write"}}}`,
		`{"requestId":"3","result":{"kind":"approved-for-session","approval":{"kind":"mcp","serverName":"x","toolName":null}}}`,
		`{"requestId":"4","result":{"kind":"approved","rules":[{"kind":"url","argument":"a.example"},{"kind":"new","argument":"x"},{"kind":"shell","argument":"*"},7]}}`,
		`{"requestId":"5","result":{"kind":"denied-by-rules","rules":[{"kind":"read","argument":null}]}}`,
		`{"requestId":"6","result":7}`,
	} {
		h.Apply(h.Seq+1, wire.Event{Header: wire.Header{Type: "permission.completed"}, Data: []byte(data)})
	}
	var got []string
	for _, r := range h.Approved {
		got = append(got, r.String())
	}
	if want := "shell(go test) shell(ls) write mcp(x) url(a.example)"; strings.Join(got, " ") != want {
		t.Errorf("approved %q, want %q", got, want)
	}
}

// An answer from before a resume counts for the very act that it was asked about, and
// not for another call that has its id.
func TestAnOldAnswerCountsForTheSameActOnly(t *testing.T) {
	p := alone(&state.State{})
	all := requests()
	for name, q := range all {
		before := json.RawMessage(asked(t, p, q))
		for other, now := range all {
			_, why := p.decide(known(now), &now)
			if got := sameRequest(before, why.event("r2", &now, &tool.Call{ID: "c1"})); got != (name == other) {
				t.Errorf("%s, then %s: %v", name, other, got)
			}
		}
	}
	moved := all["read"]
	moved.Path.Real = "/etc/shadow"
	_, why := p.decide(known(moved), &moved)
	if sameRequest(json.RawMessage(asked(t, p, all["read"])), why.event("r2", &moved, &tool.Call{ID: "c1"})) {
		t.Error("a link that leads elsewhere by now is the same")
	}
}
