package mcp

import (
	"io"
	"strings"
	"testing"
)

func TestLinesThatAreNoMessages(t *testing.T) {
	var skipped tail
	m := newMessages(io.NopCloser(strings.NewReader(strings.Join([]string{
		"Starting…", `{"jsonrpc":"2.0","method":"a"}`, "", "{", `{"jsonrpc":"1.0","method":"b"}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{}},7,{"jsonrpc":"2.0","method":"c"}]`, `{"jsonrpc":"2.0","id":2,"error":{"code":1}}`,
	}, "\n"))), &skipped, func(err error) { t.Error(err) })
	read, err := io.ReadAll(m)
	want := `{"jsonrpc":"2.0","method":"a"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"c"}` + "\n" + `{"jsonrpc":"2.0","id":2,"error":{"code":1}}` + "\n"
	if string(read) != want || err != nil {
		t.Errorf("read %s, %v", read, err)
	}
	if got := skipped.String(); !strings.HasPrefix(got, "Starting…\n{\n") || !strings.HasSuffix(got, "\n7") {
		t.Errorf("skipped %q", got)
	}
}

func TestATailIsBounded(t *testing.T) {
	var kept tail
	for range 1000 {
		_, _ = kept.Write([]byte("a line of text\n"))
	}
	if got := kept.String(); len(got) > maxTail || !strings.HasPrefix(got, "a line") || !strings.HasSuffix(got, "text") {
		t.Errorf("it keeps %d bytes: %.40q", len(got), got)
	}
	_, _ = kept.Write([]byte(strings.Repeat("x", 3*maxTail)))
	if got := kept.String(); len(got) != maxTail {
		t.Errorf("it keeps %d bytes", len(got))
	}
}

func FuzzMessages(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","method":"a"}` + "\n[]\n[1]\n")
	f.Fuzz(func(t *testing.T, printed string) {
		m := newMessages(io.NopCloser(strings.NewReader(printed)), &tail{}, func(error) {})
		read, _ := io.ReadAll(m) // whatever is read is messages
		for line := range strings.Lines(string(read)) {
			if kindOf([]byte(strings.TrimSpace(line))) == noise {
				t.Errorf("%q is no message", line)
			}
		}
	})
}
