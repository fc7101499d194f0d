package timeline_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func event(t *testing.T, line string) wire.Event {
	t.Helper()
	e, err := wire.ParseEvent([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSourcesOfAnAnswer(t *testing.T) {
	var r timeline.Reader
	row := r.Add(event(t, `{"type":"assistant.message","data":{"content":"A story.","model":"m","citations":{"spans":[],"sources":[
		{"id":"1","title":"Lines 1-13\u001b[31m\nof story.go","url":"https://user@blackbeard.test:8443/story/1"},
		{"id":"2","title":"A map"},
		{"id":"3","path":"docs/map.md","url":"javascript:alert(1)"},
		{"id":"4"}]}}}`))
	var got []string
	for _, s := range row.Sources {
		got = append(got, s.String())
	}
	want := []string{"Lines 1-13\ufffd[31m of story.go  (blackbeard.test:8443)", "A map", "docs/map.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestConfirmationsOfAnAgent(t *testing.T) {
	const asked = `{"type":"permission.requested","data":{"requestId":"r","permissionRequest":{"kind":"custom-tool","toolName":"copilot_confirmation",%s
		"toolCallId":"c","args":{"title":"Turn off\u001b[2J","message":"Sure?","confirmation":"{\"id\":1}"}}}}`
	q, ok := timeline.ReadRequest(event(t, fmt.Sprintf(asked, `"managedApprovalRequired":true,`)))
	title, message, confirms := q.Confirmation()
	if !ok || !confirms || title != "Turn off\x1b[2J" || message != "Sure?" || q.Title("") != "confirm: Turn off\ufffd[2J" {
		t.Errorf("read %q, %q, %v, %q", title, message, confirms, q.Title(""))
	}
	q, _ = timeline.ReadRequest(event(t, fmt.Sprintf(asked, "")))
	if _, _, confirms := q.Confirmation(); confirms {
		t.Error("a client's tool of that name passes for a confirmation")
	}
	for _, tc := range []struct{ end, title string }{
		{`"success":true,"result":{"content":"accepted"}`, "accepted"},
		{`"success":false,"error":{"message":"dismissed: nobody"}`, "dismissed: nobody"},
	} {
		var r timeline.Reader
		start := r.Add(event(t, `{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"copilot_confirmation","arguments":{"title":"Turn off"}}}`))
		end := r.Add(event(t, `{"type":"tool.execution_complete","data":{"toolCallId":"c",`+tc.end+`}}`))
		if start.Title != "confirmation: Turn off" || end.Title != tc.title || end.Failed || end.Of != start.Title {
			t.Errorf("rows %+v and %+v, want %q", start, end, tc.title)
		}
	}
}
