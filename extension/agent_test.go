package extension_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// hello is the smallest request.
const hello = `{"messages":[{"role":"user","content":"hello"}]}`

// quiet are the options of a handler that checks no signatures and logs nothing. example.com and agent.test are the hosts of
// requests without a listener.
var quiet = extension.HandlerOptions{Unsigned: true, Hosts: []string{"example.com", "agent.test"}, Logger: slog.New(slog.DiscardHandler)}

// postBody sends a body to a handler.
func postBody(t *testing.T, h http.Handler, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body)))
	return w
}

var (
	answerID = regexp.MustCompile(`chatcmpl-[A-Z2-7]{26}`)
	created  = regexp.MustCompile(`"created":\d{9,}`)
)

// still returns an answer with its id and time replaced, because they change. It fails the
// test if the answer has several ids.
func still(t *testing.T, body string) string {
	t.Helper()
	for _, id := range answerID.FindAllString(body, -1) {
		if id != answerID.FindString(body) {
			t.Errorf("chunks have several ids:\n%s", body)
		}
	}
	return created.ReplaceAllString(answerID.ReplaceAllString(body, "ID"), `"created":0`)
}

// chunk is one chunk of an answer that still returned.
func chunk(delta, reason string) string {
	return `data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"agent","choices":[{"index":0,"delta":` +
		delta + `,"finish_reason":` + reason + "}]}\n\n"
}

var (
	ack = chunk(`{"role":"assistant","content":""}`, "null")
	end = chunk(`{"content":null}`, `"stop"`) + "data: [DONE]\n\n"
)

// textChunk is a chunk of text.
func textChunk(text string) string { return chunk(`{"content":`+text+`}`, "null") }

func eventOf(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// These are the bytes of a whole answer, written without helpers.
func TestAnAnswerByteForByte(t *testing.T) {
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return w.Text("You said: " + r.Prompt() + "\n")
	}, quiet)
	w := postBody(t, h, hello)
	want := `data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"agent","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"agent","choices":[{"index":0,"delta":{"content":"You said: hello\n"},"finish_reason":null}]}

data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"agent","choices":[{"index":0,"delta":{"content":null},"finish_reason":"stop"}]}

data: [DONE]

`
	if diff := cmp.Diff(want, still(t, w.Body.String())); diff != "" {
		t.Error(diff)
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache"}, "X-Accel-Buffering": {"no"}}
	if diff := cmp.Diff(header, w.Header()); w.Code != http.StatusOK || diff != "" {
		t.Errorf("status %d\n%s", w.Code, diff)
	}
}

var storyReference = extension.Reference{
	Type: "blackbeard.story", ID: "snippet", Data: []byte(`{ "file":"<a>.go", "big":12345678901234567890}`),
	Metadata: extension.Metadata{DisplayName: "Lines 1-13", DisplayURL: "http://blackbeard.com/?a&b"},
}

var storyReferenceJSON = `{"type":"blackbeard.story","id":"snippet","data":{ "file":"<a>.go", "big":12345678901234567890},"is_implicit":false,` +
	`"metadata":{"display_name":"Lines 1-13","display_url":"http://blackbeard.com/?a&b"}}`

var (
	iconReference     = extension.Reference{Type: "a.b", ID: "2", Implicit: true, Metadata: extension.Metadata{DisplayName: "two", DisplayIcon: "star"}}
	iconReferenceJSON = `{"type":"a.b","id":"2","is_implicit":true,"metadata":{"display_name":"two","display_icon":"star"}}`
	askToTurnOff      = extension.Confirmation{Title: "Turn off", Message: "Turn off `copilot`?", Data: []byte(`{"id":"id-123", "b":1.0,"a":"&"}`)}
	askToTurnOffJSON  = `{"type":"action","title":"Turn off","message":"Turn off ` + "`copilot`" + `?","confirmation":{"id":"id-123", "b":1.0,"a":"&"}}`
	functionFault     = extension.Fault{Type: extension.FaultFunction, Code: "recentchanges", Message: "no such repository", Identifier: "github/hello"}
	functionFaultJSON = `{"type":"function","code":"recentchanges","message":"no such repository","identifier":"github/hello"}`
)

// writtenAnswers has agents and what their answers are on the wire.
var writtenAnswers = []struct {
	name  string
	one   bool
	agent func(w *extension.Writer) error
	want  string
}{
	{"nothing", false, func(*extension.Writer) error { return nil }, ""},
	{"text, one line each", false, func(w *extension.Writer) error {
		return errors.Join(w.Text("a\nb"), w.Text(""), w.Text("\"<&>\"\u2028\x00"))
	}, textChunk(`"a\nb"`) + textChunk(`"\"<&>\"\u2028\u0000"`)},
	{"text that is not UTF-8", false, func(w *extension.Writer) error { return w.Text("a\xffb") }, textChunk("\"a\uFFFDb\"")},
	{"what is shown besides comes after the text", false, func(w *extension.Writer) error {
		return errors.Join(w.Confirm(askToTurnOff), w.Errors(functionFault), w.References(storyReference), w.Text("late"))
	}, textChunk(`"late"`) + eventOf("copilot_references", "["+storyReferenceJSON+"]") + eventOf("copilot_errors", "["+functionFaultJSON+"]") + eventOf("copilot_confirmation", askToTurnOffJSON)},
	{"references of several calls are one event", false, func(w *extension.Writer) error {
		return errors.Join(w.References(storyReference), w.References(), w.References(iconReference, storyReference))
	}, eventOf("copilot_references", "["+storyReferenceJSON+","+iconReferenceJSON+"]")},
	{"errors too", false, func(w *extension.Writer) error {
		return errors.Join(w.Errors(functionFault), w.Errors(functionFault))
	}, eventOf("copilot_errors", "["+functionFaultJSON+","+functionFaultJSON+"]")},
	{"one event: the confirmation", true, func(w *extension.Writer) error {
		return errors.Join(w.Errors(functionFault), w.References(storyReference), w.Confirm(askToTurnOff))
	}, eventOf("copilot_confirmation", askToTurnOffJSON)},
	{"one event: the errors", true, func(w *extension.Writer) error {
		return errors.Join(w.Errors(functionFault), w.References(storyReference))
	}, eventOf("copilot_errors", "["+functionFaultJSON+"]")},
	{"one event: the references", true, func(w *extension.Writer) error { return w.References(storyReference) }, eventOf("copilot_references", "["+storyReferenceJSON+"]")},
	{"data of several lines becomes one", false, func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte("\n{\n \"id\" : 1.50,\r\n \"x\":\"\\n\"}")})
	}, eventOf("copilot_confirmation", `{"type":"action","title":"t","message":"m","confirmation":{"id":1.50,"x":"\n"}}`)},
	{"the agent's error", false, func(w *extension.Writer) error {
		_ = w.Text("so far")
		return errors.New("the database is <down>")
	}, textChunk(`"so far"`) + eventOf("copilot_errors", `[{"type":"agent","code":"failed","message":"the database is <down>","identifier":"ID"}]`)},
	{"who fails asks nothing, and keeps the rest", true, func(w *extension.Writer) error {
		_ = errors.Join(w.Confirm(askToTurnOff), w.Errors(functionFault))
		return errors.New("no")
	}, eventOf("copilot_errors", "["+functionFaultJSON+`,{"type":"agent","code":"failed","message":"no","identifier":"ID"}]`)},
	{"an error without words", false, func(*extension.Writer) error { return errors.New("\n") }, eventOf("copilot_errors", `[{"type":"agent","code":"failed","message":"The agent failed.","identifier":"ID"}]`)},
	{"a long error", false, func(*extension.Writer) error { return errors.New(strings.Repeat("é", 3000)) }, eventOf("copilot_errors", `[{"type":"agent","code":"failed","message":"`+strings.Repeat("é", 2048)+`…","identifier":"ID"}]`)},
	{"a panic after text", false, func(w *extension.Writer) error {
		_ = w.Text("so far")
		panic("the password is 1234")
	}, textChunk(`"so far"`) + eventOf("copilot_errors", `[{"type":"agent","code":"internal","message":"The agent failed. Its log says why.","identifier":"ID"}]`)},
	{"bytes, as characters", false, func(w *extension.Writer) error {
		for _, p := range []string{"a\xc3", "\xa9", "\xf0\x9f\x98", "", "\x80b"} {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				return fmt.Errorf("Write(%q) = %d, %w", p, n, err)
			}
		}
		return nil
	}, textChunk(`"a"`) + textChunk(`"é"`) + textChunk(`"😀b"`)},
	{"text, as characters", false, func(w *extension.Writer) error {
		return errors.Join(w.Text("a\xf0\x9f"), w.Text("\x98"), w.Text("\x80b"))
	}, textChunk(`"a"`) + textChunk(`"😀b"`)},
	{"a character that never ends", false, func(w *extension.Writer) error {
		_, _ = w.Write([]byte("a\xc3"))
		_ = w.Text("b")
		_, err := w.Write([]byte("c\xf0\x9f"))
		return err
	}, textChunk(`"a"`) + textChunk("\"\uFFFDb\"") + textChunk(`"c"`) + textChunk("\"\uFFFD\uFFFD\"")},
	{"a text longer than clients take at once", false, func(w *extension.Writer) error {
		return w.Text("x" + strings.Repeat("é", 512))
	}, textChunk(`"x`+strings.Repeat("é", 511)+`"`) + textChunk(`"é"`)},
}

func TestAnswers(t *testing.T) {
	breaks := map[string]string{ // findings of the strict check that are the agent's choice
		"nothing": "empty answer",
		"what is shown besides comes after the text": "second named event",
	}

	for _, tc := range writtenAnswers {
		t.Run(tc.name, func(t *testing.T) {
			o := quiet
			o.OneEvent = tc.one
			h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return tc.agent(w) }, o)
			w := postBody(t, h, hello)
			if diff := cmp.Diff(ack+tc.want+end, still(t, w.Body.String())); diff != "" {
				t.Error(diff)
			}
			for _, f := range extension.Check(w.Header(), w.Code, w.Body) {
				if f.Name != breaks[tc.name] {
					t.Errorf("Check reports %v", f)
				}
			}
		})
	}
}

func TestAConfirmationHasAnID(t *testing.T) {
	for _, tc := range []struct{ data, want string }{
		{"", `\{"id":"[A-Z2-7]{26}"\}`},
		{"{}", `\{"id":"[A-Z2-7]{26}"\}`},
		{" { } ", `\{"id":"[A-Z2-7]{26}" \}`},
		{`{"repo":"a", "ID":1}`, `\{"id":"[A-Z2-7]{26}","repo":"a", "ID":1\}`},
		{`{"x":{"id":1}}`, `\{"id":"[A-Z2-7]{26}","x":\{"id":1\}\}`},
		{`{"\u0069d":7}`, `\{"\\u0069d":7\}`},
	} {
		h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte(tc.data)})
		}, quiet)
		body := postBody(t, h, hello).Body.String()
		if !regexp.MustCompile(`"confirmation":` + tc.want + `\}\n`).MatchString(body) {
			t.Errorf("of Data %q came\n%s", tc.data, body)
		}
	}
}

var (
	shownName         = extension.Metadata{DisplayName: "name"}
	plainReference    = extension.Reference{Type: "a.b", ID: "1", Metadata: shownName}
	plainConfirmation = extension.Confirmation{Title: "t", Message: "m"}
	agentFault        = extension.Fault{Type: "agent", Code: "c", Message: "m", Identifier: "i"}
	tooManyFaults     = slices.Repeat([]extension.Fault{agentFault}, 1001)
)

// refusedWrites has what a writer refuses, and its error.
var refusedWrites = []struct {
	name  string
	write func(w *extension.Writer) error
	want  string // part of the error
}{
	{"a reference without type", func(w *extension.Writer) error {
		return w.References(plainReference, extension.Reference{ID: "2", Metadata: shownName})
	}, `reference 2 ("2"): it has no Type`},
	{"without id", func(w *extension.Writer) error {
		return w.References(extension.Reference{Type: "a.b", Metadata: shownName})
	}, "it has no ID"},
	{"without a name", func(w *extension.Writer) error {
		return w.References(extension.Reference{Type: "a.b", ID: "1", Metadata: extension.Metadata{DisplayName: " "}})
	}, "it has no Metadata.DisplayName"},
	{"with data that is not an object", func(w *extension.Writer) error {
		return w.References(extension.Reference{Type: "a.b", ID: "1", Data: []byte(`"x"`), Metadata: shownName})
	}, "its Data is not a JSON object"},
	{"with the id of another", func(w *extension.Writer) error {
		other := plainReference
		other.Type = "a.c"
		return w.References(plainReference, other)
	}, "another of this answer has its ID"},
	{"with too much in it", func(w *extension.Writer) error {
		big := plainReference
		big.Data = []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
		return w.References(big)
	}, "at most 1000"},
	{"a confirmation without title", func(w *extension.Writer) error { return w.Confirm(extension.Confirmation{Message: "m"}) }, "it has no Title"},
	{"without message", func(w *extension.Writer) error { return w.Confirm(extension.Confirmation{Title: "t"}) }, "it has no Message"},
	{"with a list", func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte(`["a"]`)})
	}, "its Data is not a JSON object"},
	{"with broken data", func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte(`{"id":`)})
	}, "its Data is not a JSON object"},
	{"with data that is not UTF-8", func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte("{\"id\":\"\xff\"}")})
	}, "in UTF-8"},
	{"with an empty id", func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: "m", Data: []byte(`{"id":"x","id":""}`)})
	}, "has an id that is neither"},
	{"with too much in it", func(w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "t", Message: strings.Repeat("m", 1<<20)})
	}, "it is longer than"},
	{"a second confirmation", func(w *extension.Writer) error {
		_ = w.Confirm(plainConfirmation)
		return w.Confirm(plainConfirmation)
	}, "the answer has one already"},
	{"an error of another type", func(w *extension.Writer) error { return w.Errors(extension.Fault{Type: "fatal"}) }, `its Type "fatal" is not reference, function or agent`},
	{"without code", func(w *extension.Writer) error { return w.Errors(extension.Fault{Type: "agent"}) }, "it has no Code"},
	{"without identifier", func(w *extension.Writer) error {
		return w.Errors(extension.Fault{Type: "agent", Code: "c", Message: "m"})
	}, "it has no Identifier"},
	{"too many errors", func(w *extension.Writer) error { return w.Errors(tooManyFaults...) }, "at most 1000"},
}

func TestWhatIsNotWritten(t *testing.T) {
	for _, tc := range refusedWrites {
		t.Run(tc.name, func(t *testing.T) {
			h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
				if err := tc.write(w); err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("error %v, want one with %q", err, tc.want)
				}
				return nil
			}, quiet)
			body := postBody(t, h, hello).Body.String()
			if kept := strings.Contains(body, "event: "); kept && tc.name != "a second confirmation" {
				t.Errorf("some of it was written:\n%s", body)
			}
		})
	}
}

// The user sees nothing of a panic, the log has all of it; neither contains the token.
func TestWhatIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { panic("the reason") },
		extension.HandlerOptions{Unsigned: true, Hosts: quiet.Hosts, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"messages":[{"content":"the body"}]}`))
	r.Header.Set("X-GitHub-Token", "the token")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !strings.Contains(log.String(), "the reason") || !strings.Contains(log.String(), "agent_test.go") {
		t.Errorf("the log does not say where and why: %s", &log)
	}
	for _, secret := range []string{"the token", "the body"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
	if strings.Contains(w.Body.String(), "the reason") {
		t.Errorf("the user sees %s", w.Body)
	}
}
