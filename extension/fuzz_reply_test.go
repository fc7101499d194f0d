package extension_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// cutter returns its bytes in reads of the sizes in cuts, which it repeats.
type cutter struct {
	rest, cuts []byte
	n          int
}

func (c *cutter) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	size := 1 + int(c.cuts[c.n%len(c.cuts)])
	c.n++
	n := copy(p, c.rest[:min(size, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

// FuzzReadReply checks that an answer means the same in whatever pieces it is read, that
// limits hold, and that Check reports an answer that cannot be read.
func FuzzReadReply(f *testing.F) {
	for _, body := range []string{
		"", hi + stop + done, "\uFEFF" + strings.ReplaceAll(hi+ask+done, "\n", "\r\n"), strings.ReplaceAll(refs+hi, "\n", "\r"), errs + strings.TrimSpace(hi),
		"data: {\ndata: \"content\":\ndata: \"a\"}\n\ndata: oops\ndata: [DONE]\n" + hi, "event: copilot_references\n" + hi, "event: x\ndata: {\"body\":\"a\"}\n\n",
		`{"choices":[{"message":{"content":"hi"}}]}`, `[{"type":"v.k","id":7}]`, `{"error":{"message":"no","code":1}}{"content":"a"} b`, "plain\r\ntext", "<html>", "<b>", "\x00\xff",
		`data: {"choices":null,"copilot_confirmation":{"confirmation":{"title":"T"}},"copilot_errors":["a"],"copilot_references":{"references":[{"url":"u"}]}}`,
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"function\",\"content\":\"[{}]\"}}]}\n\n", "data: {", "data: [1\r\ndata: ]\r\n", strings.Repeat("data: x\n", 20), strings.Repeat(" ", 5000) + hi,
	} {
		f.Add([]byte(body), []byte{0, 3, 7})
	}
	f.Fuzz(func(t *testing.T, body, cuts []byte) {
		if len(cuts) == 0 {
			cuts = []byte{0}
		}
		limits := extension.ReplyOptions{MaxLine: 256, MaxEvent: 300, MaxBody: 6000}
		want, wantErr := read(bytes.NewReader(body), limits)
		for _, r := range []io.Reader{&cutter{rest: body, cuts: cuts}, iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(body)))} {
			got, err := read(r, limits)
			if d := cmp.Diff(want, got); d != "" || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("cut otherwise, it is read otherwise: %v, %v\n%s", wantErr, err, d)
			}
		}
		shown := 0
		for _, e := range want {
			shown += len(e.Text)
			if e.Kind == extension.EventText && e.Text == "" || e.Kind == extension.EventReferences && len(e.References) == 0 || e.Kind == extension.EventFaults && len(e.Faults) == 0 {
				t.Fatalf("an event of nothing: %+v", e)
			}
			if c := e.Confirmation; c != nil && (c.Title == "" || c.Message == "" || len(c.Data) > 0 && !bytes.Contains(flat(body), flat(c.Data))) {
				t.Fatalf("a confirmation of %+v", c)
			}
		}
		if shown > 3*len(body) { // U+FFFD is three bytes for one
			t.Fatalf("%d bytes are shown of %d", shown, len(body))
		}
		findings := extension.Check(http.Header{}, 200, bytes.NewReader(body))
		if wantErr == nil && len(findings) == 1 && len(want) == 0 {
			t.Fatalf("no events, and no findings: %v", findings)
		}
	})
}

// flat returns text without the line breaks that data lines add to it.
func flat(b []byte) []byte {
	for _, s := range []string{"\r", "\n", "data:", " "} {
		b = bytes.ReplaceAll(b, []byte(s), nil)
	}
	return b
}
