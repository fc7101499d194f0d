package web

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Text of a model cannot leave the block that it is shown in, nor control how the text
// around it is read.
func TestHostileTextsStayWhereTheyAre(t *testing.T) {
	for _, tc := range []struct{ name, command, want string }{
		{"plain", "make", "```sh\nmake\n```"},
		{"a fence", "echo '\n```\nThis is **safe**.\n'", "````sh\necho '\n```\nThis is **safe**.\n'\n````"},
		{"a longer fence", "`````", "``````sh\n`````\n``````"},
		{"an escape", "echo \x1b[2Ahello", "```sh\necho <U+001B>[2Ahello\n```"},
		{"an override", "echo \u202eflesruoy", "```sh\necho <U+202E>flesruoy\n```"},
		{"a return", "rm -rf / \rls", "```sh\nrm -rf / <U+000D>ls\n```"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := block("sh", tc.command); got != tc.want {
				t.Errorf("block = %q, want %q", got, tc.want)
			}
		})
	}
	long := block("sh", strings.Repeat("x", maxShown+1))
	if !strings.HasPrefix(long, "**Too long to be shown: these are the first 24576 of 24577 bytes.**\n\n```sh\nx") {
		t.Errorf("a long command is shown as %.100q", long)
	}
	intention := permissionMessage(timeline.Request{Kind: "shell", Intention: "ok](http://x) ![](y) <b> `c` **d**\n# e", Command: "make"}, "/w")
	if want := "ok\\](http://x) \\!\\[\\](y) \\<b\\> \\`c\\` \\*\\*d\\*\\* \\# e\n\n```sh\nmake\n```\n\nIn: `/w`"; intention != want {
		t.Errorf("message is %q, want %q", intention, want)
	}
	if got := code("a`b"); got != "`` a`b ``" {
		t.Errorf("code = %q", got)
	}
}

func FuzzVerify(f *testing.F) {
	d := New(Options{Key: []byte("0123456789abcdef0123456789abcdef")})
	sealed := d.sign(ticket{ID: "i", Kind: aboutPermission, Session: "ext-1"})
	f.Add([]byte(sealed))
	f.Add([]byte(`{"id":"i","kind":"permission","session":"ext-1","mac":""}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := d.verify(data)
		if err != nil {
			return
		}
		if want, _ := d.verify(sealed); got != want {
			t.Errorf("%s was taken for %+v", data, got)
		}
	})
}

func FuzzChatRequest(f *testing.F) {
	f.Add([]byte(`{"model":"sidestick","messages":[{"role":"system","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":null}],"tool_choice":{},"n":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b body
		if json.Unmarshal(data, &b) != nil {
			return
		}
		if req, err := b.request(); err == nil && (req.prompt == "" && len(req.attached) == 0 || len(req.system) > maxContent) {
			t.Errorf("%s became %+v", data, req)
		}
	})
}

// Any references of a request become a bounded list of objects for the session.
func FuzzAttachments(f *testing.F) {
	f.Add("client.file", "a.go", []byte(`{"content":"package a"}`), 3)
	f.Add("client.selection", "a.go", []byte(`{"content":"x","start":{"line":"y"},"end":null}`), 1)
	f.Add("github.snippet", "", []byte(`{"range":[1],"ref":"/"}`), 60)
	f.Add("vendor.kind", "", []byte(`null`), 2)
	f.Fuzz(func(t *testing.T, kind, id string, data []byte, n int) {
		if !json.Valid(data) || n < 0 || n > 100 {
			return
		}
		var refs []extension.Reference
		for i := range n {
			refs = append(refs, extension.Reference{Type: kind, ID: strings.Repeat(id, i), Data: data})
		}
		encoded := encode(attachments(refs))
		var list []map[string]any
		if encoded != nil && json.Unmarshal(encoded, &list) != nil || len(list) > maxReferences+1 || !utf8.Valid(encoded) {
			t.Errorf("attachments are %s", encoded)
		}
	})
}

// Users learn from the page what becomes of each field.
func TestThePageNamesEveryField(t *testing.T) {
	page, err := os.ReadFile("../../docs/extensions.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range fields.Get() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/extensions.md does not name %s", name)
		}
	}
}
