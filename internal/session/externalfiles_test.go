package session_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Pictures that a client's tool returns are shown to the model and kept in the log. It used to get
// only the text.
func TestPicturesOfAClientsToolAreShown(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(dot.Bytes())
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("shot"))
		s.send("go")
		s.answer(`"result":{"textResultForLlm":"here","resultType":"success","binaryResultsForLlm":[` +
			`{"type":"image","mimeType":"image/png","description":"screen","data":"` + data + `"},` +
			`{"type":"resource","mimeType":"application/zip","data":"AA=="},{"type":"image","mimeType":"image/png","data":"?"}]}`)
		s.until("session.idle")
		sent := string(d.model.Requests()[1].Raw)
		for _, want := range []string{
			"here\\n[the file number 2 of type application/zip, 1 bytes, which cannot be shown]\\nThe file number 3 cannot be shown: it is not base64",
			`{"role":"user","content":[{"type":"text","text":"Image file at path screen"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}`,
		} {
			if !strings.Contains(sent, want) {
				t.Errorf("sent %s\nwant %s", sent, want)
			}
		}
		if kept := d.conversation(); !strings.Contains(kept, "here") {
			t.Errorf("the conversation is %s", kept)
		}
		for _, e := range d.stored(s.s.ID()) {
			if e.Type == "tool.execution_complete" && !strings.Contains(string(e.Data), `"binaryResultsForLlm":[{"type":"image","data":"`+data) {
				t.Errorf("the log has %s", e.Data)
			}
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "shot", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}
