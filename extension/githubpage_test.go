package extension_test

import (
	"context"
	"encoding/json"
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
// its order. The table in testdata/githubpage.md names these tests beside the statements.
// The JSON is that of the page's examples, without their comments.

// pageAgent serves an agent to anybody, with options.
func pageAgent(t *testing.T, a extension.Agent, o extension.HandlerOptions) (url string) {
	t.Helper()
	o.Unsigned = true
	server := httptest.NewServer(extension.NewHandler(a, o))
	t.Cleanup(server.Close)
	return server.URL
}

// pageBody is the data of the curl command of the page.
const pageBody = `{
        "messages": [
            {
                "role": "user",
                "content": "What is a closure in javascript?",
                "copilot_references": []
            }
        ]
    }`

// pageBlocks calls an agent as the page's curl command does, and returns the blocks of
// its answer, header lines and data, without the first chunk.
func pageBlocks(t *testing.T, url, body string) []string {
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

// pageWritten returns what an agent sends that only does this: the blocks after the first
// chunk and before the last one and [DONE].
func pageWritten(t *testing.T, write func(w *extension.Writer) error) []string {
	t.Helper()
	url := pageAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return write(w) }, extension.HandlerOptions{})
	blocks := pageBlocks(t, url, pageBody)
	return blocks[:len(blocks)-2]
}

// pageEvents reads an answer; a warning is its text, in case of failure.
func pageEvents(t *testing.T, body string) (list []extension.Event) {
	t.Helper()
	for e, err := range extension.ReadReply(strings.NewReader(body)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// pageFound returns what the strict reader finds wrong with data under an event name.
func pageFound(event, data string) []extension.Finding {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	if event != "" {
		event = "event: " + event + "\n"
	}
	body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n" + event + "data: " + data +
		"\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	return extension.Check(header, http.StatusOK, strings.NewReader(body))
}

// pagePlatform calls an agent through a thread, and returns it and what it sent.
func pagePlatform(t *testing.T, reply string) (thread *extension.Thread, sent *[]*http.Request, bodies *[]string) {
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

// pageSay returns the events of a turn.
func pageSay(t *testing.T, events func(func(extension.Event, error) bool)) (list []extension.Event) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// The examples of the page, without their comments and trailing commas.
const (
	pageConfirmation = `{"type":"action","title":"Turn off feature flag","message":"Are you sure you wish to turn off the ` + "`copilot`" +
		` feature flag?","confirmation":{"id":"id-123","other":"identifier-as-needed"}}`
	pageErrors     = `[{"type":"function","code":"recentchanges","message":"The repository does not exist","identifier":"github/hello-world"}]`
	pageReferences = `[{"type":"blackbeard.story","id":"snippet","data":{"file":"story.go","start":"0","end":"13","content":"func main()...writeStory()..."},` +
		`"is_implicit":false,"metadata":{"display_name":"Lines 1-13 from story.go","display_icon":"icon","display_url":"http://blackbeard.com/story/1"}}]`
	pageDefault = `{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-3.5-turbo-0125", ` +
		`"system_fingerprint": "fp_44709d6fcb", "choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`
)

var (
	pageQuestion = extension.Confirmation{
		Title: "Turn off feature flag", Message: "Are you sure you wish to turn off the `copilot` feature flag?",
		Data: json.RawMessage(`{"id":"id-123","other":"identifier-as-needed"}`),
	}
	pageFault     = extension.Fault{Type: "function", Code: "recentchanges", Message: "The repository does not exist", Identifier: "github/hello-world"}
	pageReference = extension.Reference{
		Type: "blackbeard.story", ID: "snippet",
		Data:     json.RawMessage(`{"file":"story.go","start":"0","end":"13","content":"func main()...writeStory()..."}`),
		Metadata: extension.Metadata{DisplayName: "Lines 1-13 from story.go", DisplayIcon: "icon", DisplayURL: "http://blackbeard.com/story/1"},
	}
)

// Agents and platform exchange server-sent events, in both directions.
func TestGitHubPageServerSentEvents(t *testing.T) {
	url := pageAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return w.Text("Hello.") }, extension.HandlerOptions{})
	resp, err := http.Post(url, "application/json", strings.NewReader(pageBody))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("the answer is %q", got)
	}
}

// One event for each interaction: an option enforces it. Chunks of text are not counted,
// because no client counts them.
func TestGitHubPageOneEventForEachInteraction(t *testing.T) {
	url := pageAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		if err := w.References(pageReference); err != nil {
			return err
		}
		return w.Confirm(pageQuestion)
	}, extension.HandlerOptions{OneEvent: true})
	named := slices.DeleteFunc(pageBlocks(t, url, pageBody), func(b string) bool { return !strings.HasPrefix(b, "event: ") })
	if len(named) != 1 || !strings.HasPrefix(named[0], "event: copilot_confirmation\n") {
		t.Errorf("sent are %q", named)
	}
}

// All four kinds of events, through both sides.
func TestGitHubPageFourEvents(t *testing.T) {
	url := pageAgent(t, func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		for _, err := range []error{w.Text("Hello."), w.References(pageReference), w.Errors(pageFault), w.Confirm(pageQuestion)} {
			if err != nil {
				return err
			}
		}
		return nil
	}, extension.HandlerOptions{})
	got := pageSay(t, extension.NewClient(extension.ClientOptions{}).NewThread(url).Say(t.Context(), "hello"))
	want := []extension.Event{
		{Kind: extension.EventText, Text: "Hello."},
		{Kind: extension.EventReferences, References: []extension.Reference{pageReference}},
		{Kind: extension.EventFaults, Faults: []extension.Fault{pageFault}},
		{Kind: extension.EventConfirmation, Confirmation: &pageQuestion},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The comments and trailing commas of the examples are for readers of the page. The strict
// reader reports an agent that sends them.
func TestGitHubPageCommentsAreNoJSON(t *testing.T) {
	commented := strings.Replace(pageReferences, `,"metadata"`, `, /* how it is shown */ "metadata"`, 1)
	trailing := strings.Replace(pageReferences, `"http://blackbeard.com/story/1"}`, `"http://blackbeard.com/story/1",}`, 1)
	for _, data := range []string{commented, trailing} {
		if found := pageFound("copilot_references", data); len(found) == 0 {
			t.Errorf("breaks no rule: %s", data)
		}
	}
}

// The agent receives a list of messages, as in the page's curl command.
func TestGitHubPageCurlIsAnswered(t *testing.T) {
	var got *extension.Request
	url := pageAgent(t, func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		got = r
		return w.Text("Hello.")
	}, extension.HandlerOptions{})
	pageBlocks(t, url, pageBody)
	if len(got.Messages) != 1 || got.Messages[0].Role != "user" || got.Prompt() != "What is a closure in javascript?" || len(got.Find("")) > 0 {
		t.Errorf("the agent is asked %+v", got)
	}
	if got.Token != "RUNTIME_GENERATED_TOKEN" || got.Header.Get("Accept") != "application/json" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the agent gets %q and %v", got.Token, got.Header)
	}
}

// A request of this package has everything that the curl command has.
func TestGitHubPageCurlIsWhatWeSend(t *testing.T) {
	thread, sent, bodies := pagePlatform(t, "data: [DONE]\n\n")
	thread.Token = "RUNTIME_GENERATED_TOKEN"
	pageSay(t, thread.Say(t.Context(), "What is a closure in javascript?"))
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

// A message may carry the data of each event: references and decisions are decoded to the
// message that they belong to.
func TestGitHubPageMessagesCarryReferencesAndDecisions(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"a story","copilot_references":[],"copilot_confirmations":[]},` +
		`{"role":"assistant","content":"","copilot_references":` + pageReferences + `,"copilot_errors":null},` +
		`{"role":"user","content":"","copilot_confirmations":[{"state":"accepted","confirmation":{"id":"id-123"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Messages[1].References) != 1 || len(r.Messages[2].Decisions) != 1 || len(r.Messages[0].References)+len(r.Messages[0].Decisions) != 0 {
		t.Errorf("the messages are %+v", r.Messages)
	}
}
