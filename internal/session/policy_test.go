package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// bare is a session as far as permissions go.
func bare() *Session {
	s := &Session{
		id: "s1", reg: NewRegistry(Options{FS: vfs.NewMem(), Resolve: filepath.Clean}),
		files: workspace.New("s1", workspace.Folder{FS: vfs.NewMem(), Dir: "/s1"}),
	}
	s.state.Cwd = "/w"
	return s
}

// requests are one of every kind that tools make.
func requests() map[string]permit.Request {
	place := func(name string) permit.Path { return permit.Path{Name: name, Real: name} }
	understood := func(text string) permit.Request {
		return permit.Request{Kind: permit.Shell, Tool: "bash", Intention: "try it", Command: effects.Of(text, "/w", "/home/u", filepath.Clean)}
	}
	contents := "new\n"
	return map[string]permit.Request{
		"shell":        understood("git status && ls src > out.txt"),
		"pipeline":     understood("go test ./... | tail -5"),
		"unclear":      understood("echo $(date)"),
		"outside":      understood("cat /etc/hosts"),
		"address":      understood("curl https://example.com/x"),
		"read":         {Kind: permit.Read, Tool: "view", Intention: "see", Path: place("/w/a.go")},
		"read outside": {Kind: permit.Read, Tool: "view", Intention: "see", Path: place("/etc/hosts")},
		"write":        {Kind: permit.Write, Tool: "edit", Intention: "change", Path: place("/w/a.go"), Diff: "-a\n+b\n", Contents: &contents},
		"write git":    {Kind: permit.Write, Tool: "edit", Intention: "change", Path: place("/w/.git/config"), Diff: "+b\n"},
		"url":          {Kind: permit.URL, Tool: "web_fetch", Intention: "look", Address: "https://example.com/x", RedirectedFrom: "https://example.org"},
		"plain url":    {Kind: permit.URL, Tool: "web_fetch", Intention: "look", Address: "http://example.com/x"},
		"custom":       {Kind: permit.CustomTool, Tool: "deploy", Description: "Deploys.", Args: []byte(`{"to":"live"}`)},
	}
}

// askedOf is the request as the log holds it.
func (s *Session) askedOf(t *testing.T, q permit.Request) wire.Raw {
	t.Helper()
	data, err := wire.Marshal(s.permissionRequest("r1", q, tool.Call{ID: "c1"}, s.rulesFor(q).Decide(q)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

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
			got := strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(string(bare().askedOf(t, requests()[name])))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An approval for the session means the same whether the process that asked is still
// there or the log was read: the request is allowed from then on, and what stays in the
// log is enough to know.
func TestAnApprovalForTheSessionIsReadBackFromTheLog(t *testing.T) {
	for name, want := range map[string]string{
		"shell":        "shell(git status) shell(ls)",
		"pipeline":     "shell(go test) shell(tail)",
		"unclear":      "",
		"outside":      "",
		"address":      "shell(curl)",
		"read":         "read",
		"read outside": "read(/etc/hosts)",
		"write":        "write",
		"write git":    "write(/w/.git/config)",
		"url":          "url(example.com)",
		"plain url":    "url(http://example.com)",
		"custom":       "deploy",
	} {
		t.Run(name, func(t *testing.T) {
			s := bare()
			q := requests()[name]
			a := permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}
			again := askedFor(s.askedOf(t, q))
			a.Rules = s.rulesFor(again).Covering(again)
			result, err := wire.Marshal(&wire.PermissionCompleted{RequestID: "r1", Result: permissionResult(a)})
			if err != nil {
				t.Fatal(err)
			}
			var resumed state.State
			resumed.Apply(1, wire.Event{Header: wire.Header{Type: "permission.completed"}, Data: result})
			s.state.Approved = resumed.Approved
			var got []string
			for _, r := range resumed.Approved {
				got = append(got, r.String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("approved %q, want %q; the log says %s", got, want, result)
			}
			allowed := s.rulesFor(q).Decide(q).Verdict == permit.Allow
			// A program's approval covers neither files that its output goes to nor addresses.
			if expect := want != "" && name != "shell" && name != "address"; allowed != expect {
				t.Errorf("allowed from then on: %v, want %v", allowed, expect)
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
	if want := "shell(go test) shell(ls) write url(a.example)"; strings.Join(got, " ") != want {
		t.Errorf("approved %q, want %q", got, want)
	}
}

func TestGrants(t *testing.T) {
	disk := vfs.NewMem()
	one, two := &grants{fs: disk, path: "/home/permissions.json"}, &grants{fs: disk, path: "/home/permissions.json"}
	rule := func(s string) []wire.PermissionRule { return []wire.PermissionRule{{Kind: "shell", Argument: &s}} }
	for i, g := range []*grants{one, two} {
		if err := g.change(func(b *book) {
			b.at("/w").add(rule([]string{"ls", "cat"}[i]))
			b.Addresses = append(b.Addresses, "a.example")
		}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := one.read()
	if err != nil || len(b.Locations["/w"].Rules) != 2 || len(one.addresses()) != 2 {
		t.Errorf("one process sees %+v, %v of what two wrote", b.Locations["/w"], err)
	}
	disk.Crash()
	if b, err = two.read(); err != nil || b.Locations["/w"] == nil || len(b.Locations["/w"].Rules) != 2 {
		t.Fatalf("after a power cut %+v, %v is left", b, err)
	}
	f, err := disk.OpenFile("/home/permissions.json", os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := one.read(); err == nil || !strings.Contains(err.Error(), "/home/permissions.json") {
		t.Errorf("a damaged file is read with %v, want an error that names it", err)
	}
	if err := one.change(func(b *book) { b.Trusted = nil }); err == nil {
		t.Error("a damaged file is overwritten")
	}
	if one.addresses() != nil {
		t.Error("a damaged file allows something")
	}
}

// A client approves a host without its scheme; the approval covers what was asked.
func TestAHostIsApprovedAsItWasAskedAbout(t *testing.T) {
	s := bare()
	for address, want := range map[string]permit.Verdict{"http://example.com/x": permit.Allow, "https://example.com/x": permit.Allow, "http://example.com:8080/x": permit.Ask} {
		rules := sameScheme([]permit.Rule{{Kind: permit.URL, Argument: "example.com"}}, address)
		q := permit.Request{Kind: permit.URL, Address: address}
		if got := s.rulesFor(q).With(rules...).Decide(q); got.Verdict != want {
			t.Errorf("%s is %v after its host was approved, want %v", address, got.Verdict, want)
		}
	}
}

// What a hook allows is allowed, but for what may be denied.
func TestAHookAllowsNothingThatMayBeDenied(t *testing.T) {
	for command, want := range map[string]permit.Outcome{
		"make": permit.Approved, "rm x": permit.Forbidden, "eval $X": permit.Unanswerable, "sh -c \"$X\"": permit.Unanswerable, "echo $(date)": permit.Approved,
	} {
		s := bare()
		s.policy.rules.Deny = []permit.Rule{{Kind: permit.Shell, Argument: "rm"}}
		q := permit.Request{Kind: permit.Shell, Tool: "bash", Command: effects.Of(command, "/w", "/home/u", filepath.Clean)}
		decided, why := s.rule(q)
		got := permit.Unanswerable
		if a := hooked("allow", decided, why); a != nil {
			got = a.Outcome
		}
		if got != want {
			t.Errorf("%s: %v (%s), want %v", command, got, why.Why, want)
		}
	}
}

// An answer from before a resume counts for the very act that it was asked about, and
// not for another call that has its id.
func TestAnOldAnswerCountsForTheSameActOnly(t *testing.T) {
	s := bare()
	all := requests()
	for name, q := range all {
		asked := json.RawMessage(s.askedOf(t, q))
		for other, now := range all {
			_, why := s.rule(now)
			if got := sameAct(asked, s.permissionRequest("r2", now, tool.Call{ID: "c1"}, why)); got != (name == other) {
				t.Errorf("%s, then %s: %v", name, other, got)
			}
		}
	}
	moved := all["read"]
	moved.Path.Real = "/etc/shadow"
	_, why := s.rule(moved)
	if sameAct(json.RawMessage(s.askedOf(t, all["read"])), s.permissionRequest("r2", moved, tool.Call{ID: "c1"}, why)) {
		t.Error("a link that leads elsewhere by now is the same")
	}
}
