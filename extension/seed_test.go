package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/extension"
)

// The statements of GitHub's page on how an agent communicates with the platform, in
// its order. The table in docs/extensions.md names these tests beside the statements.
// What the page shows is in the JSON of its examples; its comments are left out.

// seedAgent serves an agent to anybody, with options.
func seedAgent(t *testing.T, a extension.Agent, o extension.HandlerOptions) (url string) {
	t.Helper()
	o.Unsigned = true
	server := httptest.NewServer(extension.NewHandler(a, o))
	t.Cleanup(server.Close)
	return server.URL
}

// seedBody is the data of the curl command of the page.
const seedBody = `{
        "messages": [
            {
                "role": "user",
                "content": "What is a closure in javascript?",
                "copilot_references": []
            }
        ]
    }`

// seedBlocks calls an agent as the page's curl command does, and returns the blocks of
// its answer, header lines and data, without the first chunk.
func seedBlocks(t *testing.T, url, body string) []string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Token", "RUNTIME_GENERATED_TOKEN")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", resp.StatusCode, err, text)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")[1:]
}

// seedWritten is what an agent that only writes this sends: the blocks after the first
// chunk and before the last, and [DONE].
func seedWritten(t *testing.T, write func(w *extension.Writer) error) []string {
	t.Helper()
	url := seedAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return write(w) }, extension.HandlerOptions{})
	blocks := seedBlocks(t, url, seedBody)
	return blocks[:len(blocks)-2]
}

// seedEvents reads an answer; a warning is its text, in case of failure.
func seedEvents(t *testing.T, body string) (list []extension.Event) {
	t.Helper()
	for e, err := range extension.ReadReply(strings.NewReader(body)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// seedFound reports whether the strict reader finds fault with data under a name.
func seedFound(event, data string) []extension.Finding {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	if event != "" {
		event = "event: " + event + "\n"
	}
	body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n" + event + "data: " + data +
		"\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	return extension.Check(header, http.StatusOK, strings.NewReader(body))
}

// seedPlatform calls an agent through a thread, and returns it and what it sent.
func seedPlatform(t *testing.T, reply string) (thread *extension.Thread, sent *[]*http.Request, bodies *[]string) {
	t.Helper()
	sent, bodies = &[]*http.Request{}, &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent, *bodies = append(*sent, r), append(*bodies, string(body))
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	return extension.NewClient(extension.ClientOptions{}).NewThread(server.URL), sent, bodies
}

// seedSay is a turn, of which only the events matter.
func seedSay(t *testing.T, events func(func(extension.Event, error) bool)) (list []extension.Event) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// seedAsked is the confirmation that an agent asks for, and nothing else.
func seedAsked(t *testing.T, thread *extension.Thread) *extension.Confirmation {
	t.Helper()
	got := seedSay(t, thread.Say(t.Context(), "turn it off"))
	if len(got) != 1 || got[0].Kind != extension.EventConfirmation {
		t.Fatalf("the answer is %+v, want a confirmation", got)
	}
	return got[0].Confirmation
}

// The examples of the page, without their comments and trailing commas.
const (
	seedConfirmation = `{"type":"action","title":"Turn off feature flag","message":"Are you sure you wish to turn off the ` + "`copilot`" +
		` feature flag?","confirmation":{"id":"id-123","other":"identifier-as-needed"}}`
	seedErrors     = `[{"type":"function","code":"recentchanges","message":"The repository does not exist","identifier":"github/hello-world"}]`
	seedReferences = `[{"type":"blackbeard.story","id":"snippet","data":{"file":"story.go","start":"0","end":"13","content":"func main()...writeStory()..."},` +
		`"is_implicit":false,"metadata":{"display_name":"Lines 1-13 from story.go","display_icon":"icon","display_url":"http://blackbeard.com/story/1"}}]`
	seedDefault = `{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-3.5-turbo-0125", ` +
		`"system_fingerprint": "fp_44709d6fcb", "choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`
)

var (
	seedQuestion = extension.Confirmation{
		Title: "Turn off feature flag", Message: "Are you sure you wish to turn off the `copilot` feature flag?",
		Data: json.RawMessage(`{"id":"id-123","other":"identifier-as-needed"}`),
	}
	seedFault     = extension.Fault{Type: "function", Code: "recentchanges", Message: "The repository does not exist", Identifier: "github/hello-world"}
	seedReference = extension.Reference{
		Type: "blackbeard.story", ID: "snippet",
		Data:     json.RawMessage(`{"file":"story.go","start":"0","end":"13","content":"func main()...writeStory()..."}`),
		Metadata: extension.Metadata{DisplayName: "Lines 1-13 from story.go", DisplayIcon: "icon", DisplayURL: "http://blackbeard.com/story/1"},
	}
)

// Agents and platform talk in server-sent events, both ways round.
func TestSeedServerSentEvents(t *testing.T) {
	url := seedAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return w.Text("Hello.") }, extension.HandlerOptions{})
	resp, err := http.Post(url, "application/json", strings.NewReader(seedBody))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("the answer is %q", got)
	}
}

// One event for each interaction: there is a switch that keeps to it; chunks of text
// are not counted, as no client does.
func TestSeedOneEventForEachInteraction(t *testing.T) {
	url := seedAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		if err := w.References(seedReference); err != nil {
			return err
		}
		return w.Confirm(seedQuestion)
	}, extension.HandlerOptions{OneEvent: true})
	named := slices.DeleteFunc(seedBlocks(t, url, seedBody), func(b string) bool { return !strings.HasPrefix(b, "event: ") })
	if len(named) != 1 || !strings.HasPrefix(named[0], "event: copilot_confirmation\n") {
		t.Errorf("sent are %q", named)
	}
}

// The four kinds there are, through both sides.
func TestSeedFourEvents(t *testing.T) {
	url := seedAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		for _, err := range []error{w.Text("Hello."), w.References(seedReference), w.Errors(seedFault), w.Confirm(seedQuestion)} {
			if err != nil {
				return err
			}
		}
		return nil
	}, extension.HandlerOptions{})
	got := seedSay(t, extension.NewClient(extension.ClientOptions{}).NewThread(url).Say(t.Context(), "hello"))
	want := []extension.Event{
		{Kind: extension.EventText, Text: "Hello."},
		{Kind: extension.EventReferences, References: []extension.Reference{seedReference}},
		{Kind: extension.EventFaults, Faults: []extension.Fault{seedFault}},
		{Kind: extension.EventConfirmation, Confirmation: &seedQuestion},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A confirmation goes as an event type and a data field, byte for byte the example.
func TestSeedConfirmationIsWritten(t *testing.T) {
	got := seedWritten(t, func(w *extension.Writer) error { return w.Confirm(seedQuestion) })
	if want := []string{"event: copilot_confirmation\ndata: " + seedConfirmation}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestSeedConfirmationIsRead(t *testing.T) {
	got := seedEvents(t, "event: copilot_confirmation\ndata: "+seedConfirmation+"\n\n")
	if diff := cmp.Diff([]extension.Event{{Kind: extension.EventConfirmation, Confirmation: &seedQuestion}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := seedFound("copilot_confirmation", seedConfirmation); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// "action" is the only type.
func TestSeedConfirmationTypeIsAction(t *testing.T) {
	if found := seedFound("copilot_confirmation", strings.Replace(seedConfirmation, `"action"`, `"choice"`, 1)); len(found) == 0 {
		t.Error("the type choice breaks no rule")
	}
}

// Without a title or a message there is nothing to show.
func TestSeedConfirmationNeedsTitleAndMessage(t *testing.T) {
	for _, c := range []extension.Confirmation{{Message: "m"}, {Title: "t"}} {
		var refused error
		seedWritten(t, func(w *extension.Writer) error { refused = w.Confirm(c); return nil })
		if refused == nil {
			t.Errorf("%+v is sent", c)
		}
	}
	for _, field := range []string{`"title":"Turn off feature flag",`, `"type":"action",`} {
		if found := seedFound("copilot_confirmation", strings.Replace(seedConfirmation, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
}

// The agent's own data are optional.
func TestSeedConfirmationDataIsOptional(t *testing.T) {
	got := seedEvents(t, `event: copilot_confirmation`+"\n"+`data: {"type":"action","title":"t","message":"m"}`+"\n\n")
	got = slices.DeleteFunc(got, func(e extension.Event) bool { return e.Kind == extension.EventWarning })
	want := []extension.Event{{Kind: extension.EventConfirmation, Confirmation: &extension.Confirmation{Title: "t", Message: "m"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// After the person has accepted or dismissed, the agent receives the state and its own
// data, as the example has them.
func TestSeedDecisionIsSent(t *testing.T) {
	for accepted, state := range map[bool]string{true: "accepted", false: "dismissed"} {
		thread, _, bodies := seedPlatform(t, "event: copilot_confirmation\ndata: "+seedConfirmation+"\n\n")
		question := seedAsked(t, thread)
		seedSay(t, thread.Decide(t.Context(), *question, accepted))
		want := `"copilot_confirmations":[{"state":"` + state + `","confirmation":{"id":"id-123","other":"identifier-as-needed"}}]`
		if last := (*bodies)[1]; !strings.Contains(last, want) {
			t.Errorf("sent is %s, want %s in it", last, want)
		}
	}
}

func TestSeedDecisionIsRead(t *testing.T) {
	for state, accepted := range map[string]bool{"accepted": true, "dismissed": false} {
		r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"` + state +
			`","confirmation":{"id":"id-123","other":"identifier-as-needed"}}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		want := &extension.Decision{Accepted: accepted, Data: seedQuestion.Data}
		if diff := cmp.Diff(want, r.Decision()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", state, diff)
		}
	}
}

// Those two are the only states.
func TestSeedDecisionHasTwoStates(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"postponed","confirmation":{"id":"1"}}]}]}`))
	if err == nil {
		t.Errorf("postponed is %+v", r.Decision())
	}
}

// The text calls the data an array of strings, the example an object: either comes back.
func TestSeedDecisionDataMayBeAnArray(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"accepted","confirmation":["id-123","other"]}]}]}`))
	if err != nil || r.Decision() == nil || string(r.Decision().Data) != `["id-123","other"]` {
		t.Errorf("the decision is %+v, %v", r.Decision(), err)
	}
}

// The agent then completes or cancels what it asked about: the round trip.
func TestSeedDecisionIsActedOn(t *testing.T) {
	url := seedAgent(t, func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		d := r.Decision()
		if d == nil {
			return w.Confirm(seedQuestion)
		}
		return w.Text(fmt.Sprintf("accepted is %v: %s", d.Accepted, d.Data))
	}, extension.HandlerOptions{})
	for _, accepted := range []bool{true, false} {
		thread := extension.NewClient(extension.ClientOptions{}).NewThread(url)
		question := seedAsked(t, thread)
		got := seedSay(t, thread.Decide(t.Context(), *question, accepted))
		want := fmt.Sprintf("accepted is %v: %s", accepted, seedQuestion.Data)
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("the answer is %+v, want %q", got, want)
		}
	}
}

// Errors go as a list under an event type, byte for byte the example.
func TestSeedErrorsAreWritten(t *testing.T) {
	got := seedWritten(t, func(w *extension.Writer) error { return w.Errors(seedFault) })
	if want := []string{"event: copilot_errors\ndata: " + seedErrors}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestSeedErrorsAreRead(t *testing.T) {
	two := seedErrors[:len(seedErrors)-1] + "," + seedErrors[1:]
	got := seedEvents(t, "event: copilot_errors\ndata: "+two+"\n\n")
	want := []extension.Event{{Kind: extension.EventFaults, Faults: []extension.Fault{seedFault, seedFault}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := seedFound("copilot_errors", seedErrors); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// An error's type is reference, function or agent.
func TestSeedErrorTypes(t *testing.T) {
	for kind, right := range map[string]bool{"reference": true, "function": true, "agent": true, "network": false} {
		f := seedFault
		f.Type = kind
		var refused error
		seedWritten(t, func(w *extension.Writer) error { refused = w.Errors(f); return nil })
		found := seedFound("copilot_errors", strings.Replace(seedErrors, `"function"`, `"`+kind+`"`, 1))
		if (refused == nil) != right || (len(found) == 0) != right {
			t.Errorf("%s: the writer says %v, the strict reader %+v", kind, refused, found)
		}
	}
}

// The code is the agent's own word, the message is shown, the identifier links: none
// may be missing.
func TestSeedErrorFields(t *testing.T) {
	for _, field := range []string{`"code":"recentchanges",`, `"message":"The repository does not exist",`, `"type":"function",`, `,"identifier":"github/hello-world"`} {
		if found := seedFound("copilot_errors", strings.Replace(seedErrors, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
	for _, f := range []extension.Fault{
		{Type: "agent", Message: "m", Identifier: "i"}, {Type: "agent", Code: "c", Identifier: "i"}, {Type: "agent", Code: "c", Message: "m"},
	} {
		got := seedWritten(t, func(w *extension.Writer) error { _ = w.Errors(f); return nil }) // refused, or filled in
		for _, block := range got {
			if strings.Contains(block, `:""`) {
				t.Errorf("%+v is sent as %s", f, block)
			}
		}
	}
}

// References go as a list under an event type, byte for byte the example.
func TestSeedReferencesAreWritten(t *testing.T) {
	got := seedWritten(t, func(w *extension.Writer) error { return w.References(seedReference) })
	if want := []string{"event: copilot_references\ndata: " + seedReferences}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestSeedReferencesAreRead(t *testing.T) {
	got := seedEvents(t, "event: copilot_references\ndata: "+seedReferences+"\n\n")
	want := []extension.Event{{Kind: extension.EventReferences, References: []extension.Reference{seedReference}}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := seedFound("copilot_references", seedReferences); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// A reference has a type and an id.
func TestSeedReferenceNeedsTypeAndID(t *testing.T) {
	for _, field := range []string{`"type":"blackbeard.story",`, `"id":"snippet",`} {
		if found := seedFound("copilot_references", strings.Replace(seedReferences, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
	for _, ref := range []extension.Reference{{Type: "a.b"}, {ID: "1"}} {
		var refused error
		seedWritten(t, func(w *extension.Writer) error { refused = w.References(ref); return nil })
		if refused == nil {
			t.Errorf("%+v is sent", ref)
		}
	}
}

// Its data, is_implicit and metadata are optional.
func TestSeedReferenceOptionalFields(t *testing.T) {
	got := seedEvents(t, "event: copilot_references\n"+`data: [{"type":"blackbeard.story","id":"snippet"},{"type":"a.b","id":"2","is_implicit":true}]`+"\n\n")
	got = slices.DeleteFunc(got, func(e extension.Event) bool { return e.Kind == extension.EventWarning })
	want := []extension.Event{{Kind: extension.EventReferences, References: []extension.Reference{
		{Type: "blackbeard.story", ID: "snippet"}, {Type: "a.b", ID: "2", Implicit: true},
	}}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without what it is called it is not shown: authors are told.
func TestSeedReferenceWithoutNameIsNotShown(t *testing.T) {
	found := seedFound("copilot_references", strings.Replace(seedReferences, `"display_name":"Lines 1-13 from story.go",`, "", 1))
	if len(found) == 0 {
		t.Error("without a display_name it breaks no rule")
	}
}

// An agent may rely on what it referred to coming back in later turns, also where
// nobody could show it.
func TestSeedReferenceMemory(t *testing.T) {
	thread, _, bodies := seedPlatform(t, "event: copilot_references\ndata: "+seedReferences+"\n\n")
	seedSay(t, thread.Say(t.Context(), "a story, please"))
	seedSay(t, thread.Say(t.Context(), "another one"))
	r, err := extension.ParseRequest([]byte((*bodies)[1]))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Find("blackbeard.story")
	if diff := cmp.Diff([]extension.Reference{seedReference}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The default event is unnamed, a data field alone, a chunk of a chat completion.
func TestSeedDefaultEventIsWritten(t *testing.T) {
	got := seedWritten(t, func(w *extension.Writer) error { return w.Text("Hello.") })
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

func TestSeedDefaultEventIsRead(t *testing.T) {
	for _, e := range seedEvents(t, "data: "+seedDefault+"\n\n") {
		if e.Kind != extension.EventWarning {
			t.Errorf("the example, which has no text, is %+v", e)
		}
	}
	got := seedEvents(t, "data: "+strings.Replace(seedDefault, `"content":""`, `"content":"Hello."`, 1)+"\n\n")
	if diff := cmp.Diff([]extension.Event{{Kind: extension.EventText, Text: "Hello."}}, got); diff != "" {
		t.Errorf("with text (-want +got):\n%s", diff)
	}
}

// The comments and trailing commas of the examples are for who reads the page. An agent
// that sends them is told by the strict reader.
func TestSeedCommentsAreNoJSON(t *testing.T) {
	commented := strings.Replace(seedReferences, `,"metadata"`, `, /* how it is shown */ "metadata"`, 1)
	trailing := strings.Replace(seedReferences, `"http://blackbeard.com/story/1"}`, `"http://blackbeard.com/story/1",}`, 1)
	for _, data := range []string{commented, trailing} {
		if found := seedFound("copilot_references", data); len(found) == 0 {
			t.Errorf("breaks no rule: %s", data)
		}
	}
}

// The agent receives a list of messages: the curl command of the page.
func TestSeedCurlIsAnswered(t *testing.T) {
	var got *extension.Request
	url := seedAgent(t, func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		got = r
		return w.Text("Hello.")
	}, extension.HandlerOptions{})
	seedBlocks(t, url, seedBody)
	if len(got.Messages) != 1 || got.Messages[0].Role != "user" || got.Prompt() != "What is a closure in javascript?" || len(got.Find("")) > 0 {
		t.Errorf("the agent is asked %+v", got)
	}
	if got.Token != "RUNTIME_GENERATED_TOKEN" || got.Header.Get("Accept") != "application/json" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the agent is told %q and %v", got.Token, got.Header)
	}
}

// A request of ours has all that the curl command has.
func TestSeedCurlIsWhatWeSend(t *testing.T) {
	thread, sent, bodies := seedPlatform(t, "data: [DONE]\n\n")
	thread.Token = "RUNTIME_GENERATED_TOKEN"
	seedSay(t, thread.Say(t.Context(), "What is a closure in javascript?"))
	r := (*sent)[0]
	for name, want := range map[string]string{"Accept": "application/json", "Content-Type": "application/json", "X-GitHub-Token": "RUNTIME_GENERATED_TOKEN"} {
		if got := r.Header.Get(name); r.Method != http.MethodPost || !strings.HasPrefix(got, want) {
			t.Errorf("%s with %s: %q, want POST with %q", r.Method, name, got, want)
		}
	}
	var body struct {
		Messages []map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte((*bodies)[0]), &body); err != nil || len(body.Messages) != 1 {
		t.Fatalf("sent is %s, %v", (*bodies)[0], err)
	}
	for name, want := range map[string]string{"role": `"user"`, "content": `"What is a closure in javascript?"`, "copilot_references": "[]"} {
		if got := string(body.Messages[0][name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Beside each message there may be the data of each of the events: references and
// decisions, on the message that they belong to.
func TestSeedMessagesCarryReferencesAndDecisions(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"a story","copilot_references":[],"copilot_confirmations":[]},` +
		`{"role":"assistant","content":"","copilot_references":` + seedReferences + `,"copilot_errors":null},` +
		`{"role":"user","content":"","copilot_confirmations":[{"state":"accepted","confirmation":{"id":"id-123"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Messages[1].References) != 1 || len(r.Messages[2].Decisions) != 1 || len(r.Messages[0].References)+len(r.Messages[0].Decisions) != 0 {
		t.Errorf("the messages are %+v", r.Messages)
	}
}
