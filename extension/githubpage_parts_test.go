package extension_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/extension"
)

// Errors are sent as a list under an event type, byte for byte as in the example.
func TestGitHubPageErrorsAreWritten(t *testing.T) {
	got := pageWritten(t, func(w *extension.Writer) error { return w.Errors(pageFault) })
	if want := []string{"event: copilot_errors\ndata: " + pageErrors}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestGitHubPageErrorsAreRead(t *testing.T) {
	two := pageErrors[:len(pageErrors)-1] + "," + pageErrors[1:]
	got := pageEvents(t, "event: copilot_errors\ndata: "+two+"\n\n")
	want := []extension.Event{{Kind: extension.EventFaults, Faults: []extension.Fault{pageFault, pageFault}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := pageFound("copilot_errors", pageErrors); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// An error's type is reference, function or agent.
func TestGitHubPageErrorTypes(t *testing.T) {
	for kind, right := range map[string]bool{"reference": true, "function": true, "agent": true, "network": false} {
		f := pageFault
		f.Type = kind
		var refused error
		pageWritten(t, func(w *extension.Writer) error { refused = w.Errors(f); return nil })
		found := pageFound("copilot_errors", strings.Replace(pageErrors, `"function"`, `"`+kind+`"`, 1))
		if (refused == nil) != right || (len(found) == 0) != right {
			t.Errorf("%s: the writer says %v, the strict reader %+v", kind, refused, found)
		}
	}
}

// The agent chooses the code, the user sees the message, and the identifier makes the
// link: none may be missing.
func TestGitHubPageErrorFields(t *testing.T) {
	for _, field := range []string{`"code":"recentchanges",`, `"message":"The repository does not exist",`, `"type":"function",`, `,"identifier":"github/hello-world"`} {
		if found := pageFound("copilot_errors", strings.Replace(pageErrors, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
	for _, f := range []extension.Fault{
		{Type: "agent", Message: "m", Identifier: "i"}, {Type: "agent", Code: "c", Identifier: "i"}, {Type: "agent", Code: "c", Message: "m"},
	} {
		got := pageWritten(t, func(w *extension.Writer) error { _ = w.Errors(f); return nil }) // an error, or filled in
		for _, block := range got {
			if strings.Contains(block, `:""`) {
				t.Errorf("%+v is sent as %s", f, block)
			}
		}
	}
}

// References are sent as a list under an event type, byte for byte as in the example.
func TestGitHubPageReferencesAreWritten(t *testing.T) {
	got := pageWritten(t, func(w *extension.Writer) error { return w.References(pageReference) })
	if want := []string{"event: copilot_references\ndata: " + pageReferences}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestGitHubPageReferencesAreRead(t *testing.T) {
	got := pageEvents(t, "event: copilot_references\ndata: "+pageReferences+"\n\n")
	want := []extension.Event{{Kind: extension.EventReferences, References: []extension.Reference{pageReference}}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := pageFound("copilot_references", pageReferences); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// A reference has a type and an id.
func TestGitHubPageReferenceNeedsTypeAndID(t *testing.T) {
	for _, field := range []string{`"type":"blackbeard.story",`, `"id":"snippet",`} {
		if found := pageFound("copilot_references", strings.Replace(pageReferences, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
	for _, ref := range []extension.Reference{{Type: "a.b"}, {ID: "1"}} {
		var refused error
		pageWritten(t, func(w *extension.Writer) error { refused = w.References(ref); return nil })
		if refused == nil {
			t.Errorf("%+v is sent", ref)
		}
	}
}

// Its data, is_implicit and metadata are optional.
func TestGitHubPageReferenceOptionalFields(t *testing.T) {
	got := pageEvents(t, "event: copilot_references\n"+`data: [{"type":"blackbeard.story","id":"snippet"},{"type":"a.b","id":"2","is_implicit":true}]`+"\n\n")
	got = slices.DeleteFunc(got, func(e extension.Event) bool { return e.Kind == extension.EventWarning })
	want := []extension.Event{{Kind: extension.EventReferences, References: []extension.Reference{
		{Type: "blackbeard.story", ID: "snippet"}, {Type: "a.b", ID: "2", Implicit: true},
	}}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A reference without a display name is not shown, and the author is warned.
func TestGitHubPageReferenceWithoutNameIsNotShown(t *testing.T) {
	found := pageFound("copilot_references", strings.Replace(pageReferences, `"display_name":"Lines 1-13 from story.go",`, "", 1))
	if len(found) == 0 {
		t.Error("without a display_name it breaks no rule")
	}
}

// An agent gets its references back in later turns, also from a platform that cannot show
// them.
func TestGitHubPageReferenceMemory(t *testing.T) {
	thread, _, bodies := pagePlatform(t, "event: copilot_references\ndata: "+pageReferences+"\n\n")
	pageSay(t, thread.Say(t.Context(), "a story, please"))
	pageSay(t, thread.Say(t.Context(), "another one"))
	r, err := extension.ParseRequest([]byte((*bodies)[1]))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Find("blackbeard.story")
	if diff := cmp.Diff([]extension.Reference{pageReference}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The default event has no name: it is a data field with a chunk of a chat completion.
func TestGitHubPageDefaultEventIsWritten(t *testing.T) {
	got := pageWritten(t, func(w *extension.Writer) error { return w.Text("Hello.") })
	if len(got) != 1 || strings.Contains(got[0], "\n") || !strings.HasPrefix(got[0], "data: {") {
		t.Fatalf("sent is %q, want one line of data", got)
	}
	var chunk struct {
		ID, Object, Model string
		Created           int64
		Choices           []struct {
			Index        *int
			Delta        struct{ Content string }
			FinishReason *string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(got[0], "data: ")), &chunk); err != nil {
		t.Fatal(err)
	}
	if chunk.ID == "" || chunk.Object != "chat.completion.chunk" || chunk.Created == 0 || chunk.Model == "" || len(chunk.Choices) != 1 ||
		chunk.Choices[0].Index == nil || *chunk.Choices[0].Index != 0 || chunk.Choices[0].Delta.Content != "Hello." || chunk.Choices[0].FinishReason != nil {
		t.Errorf("the chunk is %s", got[0])
	}
}

func TestGitHubPageDefaultEventIsRead(t *testing.T) {
	for _, e := range pageEvents(t, "data: "+pageDefault+"\n\n") {
		if e.Kind != extension.EventWarning {
			t.Errorf("the example, which has no text, is %+v", e)
		}
	}
	got := pageEvents(t, "data: "+strings.Replace(pageDefault, `"content":""`, `"content":"Hello."`, 1)+"\n\n")
	if diff := cmp.Diff([]extension.Event{{Kind: extension.EventText, Text: "Hello."}}, got); diff != "" {
		t.Errorf("with text (-want +got):\n%s", diff)
	}
}
