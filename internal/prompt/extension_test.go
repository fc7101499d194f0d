package prompt_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// The attachments that an agent gets, and the warnings to the user about the others.
func TestForExtension(t *testing.T) {
	long := strings.Repeat("x", 512<<10+1)
	d := memory(t, "/w/a.go", "package a\r\n", "/w/sub/.env", "KEY=1", "/w/blob", "a\x00b", "/w/long.ts", long, "/else/b.yml", "b: 1", "/w/secret", "no")
	blob := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, tc := range []struct {
		name, attachment, reference, warning string
	}{
		{"a file", `{"type":"file","path":"/w/a.go"}`, `client.file a.go {"content":"package a\r\n","language":"go"}`, ""},
		{"by its relative name", `{"type":"file","path":"./sub/../a.go"}`, `client.file a.go {"content":"package a\r\n","language":"go"}`, ""},
		{"outside it is known by its last name", `{"type":"file","path":"/else/b.yml"}`, `client.file b.yml {"content":"b: 1","language":"yaml"}`, ""},
		{"a hidden one", `{"type":"file","path":"sub/.env"}`, `client.file sub/.env {"content":"hidden-file","language":"env"}`, "begins with a dot"},
		{"a long one", `{"type":"file","path":"long.ts"}`, `client.file long.ts {"content":"file-too-large","language":"typescript"}`, "512.0 KB"},
		{"one that is not text", `{"type":"file","path":"blob"}`, "", "it is not text"},
		{"one that is not there", `{"type":"file","path":"none"}`, "", "none"},
		{"one that may not be read", `{"type":"file","path":"secret"}`, "", "secret"},
		{"a folder", `{"type":"directory","path":"/w/sub"}`, "", `the kind "directory"`},
		{"a folder that says it is a file", `{"type":"file","path":"/w/sub"}`, "", "it is a folder"},
		{
			"a selection",
			`{"type":"selection","filePath":"/w/a.go","text":"a","selection":{"start":{"line":0,"character":8},"end":{"line":0,"character":9}}}`,
			`client.selection a.go {"content":"a","start":{"line":0,"col":8},"end":{"line":0,"col":9}}`, "",
		},
		{"a long selection", `{"type":"selection","filePath":"/w/a.go","text":"` + long + `"}`, "", "too long"},
		{"a text", `{"type":"blob","mimeType":"text/plain","displayName":"notes.md","data":"` + blob("# hi") + `"}`, `client.file notes.md {"content":"# hi","language":"markdown"}`, ""},
		{"a picture", `{"type":"blob","mimeType":"image/png","displayName":"p.png","data":"` + blob("png") + `"}`, "", "p.png"},
		{"something else", `{"type":"github_url","url":"https://x.test"}`, "", `the kind "github_url"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := "[" + tc.attachment + "]"
			u := prompt.ForExtension("as it is", json.RawMessage(list), prompt.UserOptions{Disk: refusing(d, "/w/secret"), Cwd: "/w"})
			if u.Text != "as it is" || string(u.Attachments) != list {
				t.Errorf("the message is %+v", u)
			}
			var refs []struct {
				Type, ID string
				Data     json.RawMessage
			}
			if u.References != nil {
				if err := json.Unmarshal(u.References, &refs); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			for _, r := range refs {
				got += r.Type + " " + r.ID + " " + string(r.Data)
			}
			if diff := cmp.Diff(tc.reference, got); diff != "" {
				t.Errorf("the reference (-want +got):\n%s", diff)
			}
			if said := strings.Join(u.Warnings, "; "); !strings.Contains(said, tc.warning) || (said == "") != (tc.warning == "") {
				t.Errorf("the warnings are %q, want %q", said, tc.warning)
			}
		})
	}
}

// All that is attached is bounded, in size and in number.
func TestForExtensionIsBounded(t *testing.T) {
	d := memory(t, "/w/a.txt", strings.Repeat("x", 500<<10))
	list := "[" + strings.TrimSuffix(strings.Repeat(`{"type":"file","path":"a.txt"},`, 1100), ",") + "]"
	u := prompt.ForExtension("", json.RawMessage(list), prompt.UserOptions{Disk: d, Cwd: "/w"})
	if len(u.References) > 5<<20 || strings.Count(string(u.References), `"type"`) != 1000 || !strings.Contains(u.Warnings[len(u.Warnings)-1], "at most 1000 attachments") {
		t.Errorf("%d bytes of references, %d warnings", len(u.References), len(u.Warnings))
	}
}
