package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The functions below make events, for tables.

func said(s string) extension.Event { return extension.Event{Kind: extension.EventText, Text: s} }

func warned(s string) extension.Event {
	return extension.Event{Kind: extension.EventWarning, Warning: s}
}

func referred(refs ...extension.Reference) extension.Event {
	return extension.Event{Kind: extension.EventReferences, References: refs}
}

func asked(title, message, data string) extension.Event {
	c := &extension.Confirmation{Title: title, Message: message}
	if data != "" {
		c.Data = []byte(data)
	}
	return extension.Event{Kind: extension.EventConfirmation, Confirmation: c}
}

func failed(faults ...extension.Fault) extension.Event {
	return extension.Event{Kind: extension.EventFaults, Faults: faults}
}

func named(id, name, url string) extension.Reference {
	return extension.Reference{Type: "v.k", ID: id, Metadata: extension.Metadata{DisplayName: name, DisplayURL: url}}
}

type events = []extension.Event

type raw = json.RawMessage

// read returns the events of a body and the error after them.
func read(r io.Reader, o ...extension.ReplyOptions) (got events, err error) {
	for e, failed := range extension.ReadReply(r, o...) {
		if failed != nil {
			return got, failed
		}
		got = append(got, e)
	}
	return got, nil
}

const (
	hi   = `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"hi"},"finish_reason":null}]}` + "\n\n"
	stop = `data: {"id":"c","choices":[{"index":0,"delta":{"content":null},"finish_reason":"stop"}]}` + "\n\n"
	done = "data: [DONE]\n\n"
	ask  = "event: copilot_confirmation\n" + `data: {"type":"action","title":"T","message":"M","confirmation":{"id":"1"}}` + "\n\n"
	refs = "event: copilot_references\n" + `data: [{"type":"v.k","id":"1","metadata":{"display_name":"N"}}]` + "\n\n"
	errs = "event: copilot_errors\n" + `data: [{"type":"function","code":"c","message":"m","identifier":"i"}]` + "\n\n"
)

const (
	notProtocol = "The agent sent text in a form that is not of the protocol; it is shown as it came."
	saidNothing = "The agent answered, but said nothing."
)

// splitChunks returns an answer in chunks with these contents, as JSON without the quotes.
func splitChunks(contents ...string) (body string) {
	for _, content := range contents {
		body += chunkOf(`{"index":0,"delta":{"content":"` + content + `"}}`)
	}
	return body
}

func chunkOf(fields string) string { return `data: {"choices":[` + fields + "]}\n\n" }

var (
	oneReference = referred(named("1", "N", ""))
	oneFault     = extension.Fault{Type: "function", Code: "c", Message: "m", Identifier: "i"}
)

// replies has bodies of replies and the events in them.
var replies = []struct {
	name, body string
	want       events
}{
	{"an answer", chunkOf(`{"index":0,"delta":{"content":"","role":"assistant"}}`) + hi + stop + done, events{said("hi")}},

	// Framing, section 6.
	{"a byte order mark", "\uFEFF" + hi, events{said("hi")}},
	{"CRLF", strings.ReplaceAll(hi+done, "\n", "\r\n"), events{said("hi")}},
	{"CR", strings.ReplaceAll(hi+done, "\n", "\r"), events{said("hi")}},
	{"empty lines before", "\r\n\n" + hi, events{said("hi")}},
	{"no space after the colon", strings.Replace(hi, ": ", ":", 1), events{said("hi")}},
	{"comments", ": ping\n\n" + hi + ":\n" + done, events{said("hi")}},
	{"id and retry", "id: 1\nretry: 5\n" + hi, events{said("hi")}},
	{"an unknown field", "data: \nx: y\n" + hi, events{said("hi")}},
	{"lines that are indented", "\n   " + strings.ReplaceAll(hi+done, "\n\n", "\n\n   "), events{said("hi")}},
	{"the last event not closed", hi + strings.TrimSuffix(hi, "\n"), events{said("hi"), said("hi")}},
	{"the last line not ended", hi + strings.TrimSuffix(hi, "\n\n"), events{said("hi"), said("hi")}},
	{"several values in an event", strings.ReplaceAll(hi+hi+done, "\n\n", "\n"), events{said("hi"), said("hi")}},
	{"JSON over lines", "data: {\"choices\":\ndata: [{\"delta\":\ndata:\ndata: {\"content\":\"a\"}}]}\n\n", events{said("a")}},
	{"indented JSON over lines, not closed", "event: copilot_confirmation\ndata: {\ndata:   \"title\": \"T\",\ndata:   \"message\": \"M\",\ndata:   \"confirmation\": { \"id\": 1 }\ndata: }", events{asked("T", "M", `{ "id": 1 }`)}},
	{"text, then a chunk in the same event", "data: oops\n" + hi, events{warned(notProtocol), said("oops"), said("hi")}},
	{"text around chunks in an event", "data: a\ndata: b\n" + strings.TrimSuffix(hi, "\n") + "data: c\n\n", events{warned(notProtocol), said("a\nb"), said("hi"), said("c")}},
	{"double stop and [DONE]", hi + stop + done + stop + done, events{said("hi")}},
	{"no [DONE]", hi, events{said("hi")}},
	{"text after finish_reason", hi + stop + hi, events{said("hi"), said("hi")}},
	{"text after [DONE]", hi + done + hi, events{said("hi"), said("hi")}},
	{"[DONE] with space around", hi + "data:   [DONE]  \n\n", events{said("hi")}},
	{"data that is text", "data: Something went wrong\n\n", events{warned(notProtocol), said("Something went wrong")}},
	{"data that is a JSON string", "data: \"a\\nb\"\n\n", events{warned(notProtocol), said("a\nb")}},
	{"data that is a number", "data: 42\n\n", events{warned(notProtocol), said("42")}},
	{"text of several events", "data: a\n\ndata:  b\n\n", events{warned(notProtocol), said("a"), said(" b")}},
	{"broken JSON within", "data: {\"choices\":\n\n" + hi, events{warned(notProtocol), said(`{"choices":`), said("hi")}},
	{"text that is not UTF-8", "data: a\xff\n\n", events{warned(notProtocol), said("a\uFFFD")}},
	{"silence", stop + done, events{warned(saidNothing)}},
	{"only a comment", ": ping\n\n", events{warned(saidNothing)}},

	// Bodies that are not streams.
	{"a JSON answer", `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`, events{said("hi")}},
	{"over lines, with a mark", "\uFEFF \n{\n\"choices\":[{\"message\":{\"content\":\"hi\"}}]\n}\n", events{said("hi")}},
	{"JSON lines", `{"choices":[{"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"delta":{"content":"b"}}]}`, events{said("a"), said("b")}},
	{"a JSON error", `{"error":{"message":"no","type":"server_error","code":null}}`, events{failed(extension.Fault{Type: "agent", Code: "server_error", Message: "no"})}},
	{"a JSON error in a word", `{"error":"no"}`, events{failed(extension.Fault{Type: "agent", Message: "no"})}},
	{"JSON content", `{"content":"hi"}`, events{said("hi")}},
	{"a JSON list of chunks", `[{"choices":[{"delta":{"content":"a"}}]},{"choices":[{"delta":{"content":"b"}}]}]`, events{said("a"), said("b")}},
	{"JSON of unknown kind", `{"b":1,"a":2}`, events{warned("The agent sent something that cannot be shown: a JSON object with a, b."), warned(saidNothing)}},
	{"a text that begins like JSON", "[x] done", events{warned(notProtocol), said("[x] done")}},
	{"plain text", "Hello,\r\nworld: data\n", events{said("Hello,\n"), said("world: data\n")}},
	{"plain text that begins like a field", "database", events{said("database")}},
	{"plain text of markup", "<b>hi</b>", events{said("<b>hi</b>")}},

	// Chunks, 5.1.
	{"no choices yet", `data: {"choices":[],"prompt_filter_results":[]}` + "\n\n" + hi, events{said("hi")}},
	{"no index", chunkOf(`{"delta":{"content":"a"}}`), events{said("a")}},
	{"index null", chunkOf(`{"index":null,"delta":{"content":"a"}}`), events{said("a")}},
	{"other choices", chunkOf(`{"delta":{"content":"b"},"index":1},{"index":0,"delta":{"content":"a"}},{"index":2,"message":{"content":"c"}}`), events{said("a")}},
	{"two choices of index 0", chunkOf(`{"index":0,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"}}`), events{said("ab")}},
	{"message for delta", chunkOf(`{"index":0,"message":{"role":"assistant","content":"a"}}`), events{said("a")}},
	{"delta before message", chunkOf(`{"index":0,"delta":{"content":"a"},"message":{"content":"b"}}`), events{said("a")}},
	{"an empty delta and a message", chunkOf(`{"index":0,"delta":{},"message":{"content":"b"}}`), events{said("b")}},
	{"text for delta", chunkOf(`{"index":0,"text":"a"}`), events{said("a")}},
	{"content of parts", chunkOf(`{"index":0,"delta":{"content":[{"type":"text","text":"a"},"b",{"type":"image"}]}}`), events{said("ab")}},
	{"a refusal", chunkOf(`{"index":0,"delta":{"refusal":"no"}}`), events{said("no")}},
	{"escapes and surrogates", chunkOf(`{"index":0,"delta":{"content":"\u0041\n\ud83d\ude00"}}`), events{said("A\n😀")}},
	{"a character split over chunks", splitChunks("a\xf0\x9f", "\x98", "\x80b"), events{said("a"), said("😀b")}},
	{"a pair of escapes split over chunks", splitChunks(`a\ud83d`, "", `\ude00b\ud83d`, `\uDE00`), events{said("a"), said("😀b"), said("😀")}},
	{"half a pair", splitChunks(`\ud83d`, "a", `\ude00`), events{said("\uFFFDa"), said("\uFFFD")}},
	{"half a character at the end", splitChunks("a\xf0\x9f"), events{said("a"), said("\uFFFD\uFFFD")}},
	{"a character split over text and JSON", "data: \xf0\x9f\n\ndata: \"\x98\x80\"\n\n" + `data: {"content":"\ud83d"}` + "\n\n" + splitChunks(`\ude00`), events{warned(notProtocol), said("😀"), said("😀")}},
	{"control characters come as they are", chunkOf(`{"index":0,"delta":{"content":"\u001b[2J"}}`), events{said("\x1b[2J")}},
	{"an answer cut short", chunkOf(`{"index":0,"delta":{"content":"a"},"finish_reason":"length"}`) + stop, events{said("a"), warned("The answer is incomplete: the agent's model reached its limit.")}},
	{
		"tool calls", chunkOf(`{"index":0,"delta":{"content":null,"tool_calls":[{"index":0,"function":{"name":"rm"}}]}}`) + chunkOf(`{"index":0,"delta":{"function_call":{"name":"rm"}}}`) + hi,
		events{warned("The agent's model wants a tool to be called, which is for the agent to do; it is not done here."), said("hi")},
	},
	{"an error in mid-stream", hi + `data: {"error":{"message":"no","code":"e"}}` + "\n\n", events{said("hi"), failed(extension.Fault{Type: "agent", Code: "e", Message: "no"})}},
	{"choices that are none", `data: {"choices":{"a":1}}` + "\n\n" + `data: {"choices":[1]}` + "\n\n" + hi, events{said("hi")}},

	// References, 5.2.
	{"references", refs, events{oneReference}},
	{
		"with all they have",
		"event: copilot_references\n" + `data: [{"type":"v.k","id":"1","data":{"b": 1.0,"a":2},"is_implicit":true,"metadata":{"display_name":"N","display_icon":"i","display_url":"https://x/"},"more":[ 1 ]}]` + "\n\n",
		events{referred(extension.Reference{
			Type: "v.k", ID: "1", Data: []byte(`{"b": 1.0,"a":2}`), Implicit: true,
			Metadata: extension.Metadata{DisplayName: "N", DisplayIcon: "i", DisplayURL: "https://x/"},
			Rest:     map[string]raw{"more": raw("[ 1 ]")},
		})},
	},
	{"a single reference", strings.NewReplacer("[", "", "]", "").Replace(refs), events{oneReference}},
	{"references in an object", strings.NewReplacer("[", `{"references":[`, "]", "]}").Replace(refs), events{oneReference}},
	{"without a name", `data: {"references":[{"type":"v.k","id":"1","metadata":{"display_name":"N"}}]}` + "\n\n", events{oneReference}},
	{"as a list without a name", strings.TrimPrefix(refs, "event: copilot_references\n"), events{oneReference}},
	{"inline", `data: {"choices":null,"copilot_references":[{"type":"v.k","id":"1","metadata":{"display_name":"N"}}],"id":null}` + "\n\n", events{oneReference}},
	{"by type", `data: {"type":"copilot_references","data":[{"type":"v.k","id":"1","metadata":{"display_name":"N"}}]}` + "\n\n", events{oneReference}},
	{"as a function", chunkOf(`{"index":0,"delta":{"role":"function","content":"[{\"type\":\"v.k\",\"id\":\"1\",\"metadata\":{\"display_name\":\"N\"}}]"}}`), events{oneReference}},
	{
		"with title and URL only", "event: copilot_references\n" + `data: [{"title":"N","url":"https://x/"}]` + "\n\n",
		events{warned("The agent refers to something without a type or an id."), referred(extension.Reference{
			Type: "unknown", ID: "https://x/", Metadata: extension.Metadata{DisplayName: "N", DisplayURL: "https://x/"},
			Rest: map[string]raw{"title": raw(`"N"`), "url": raw(`"https://x/"`)},
		})},
	},
	{"nothing to show of it", "event: copilot_references\n" + `data: [{"type":"v.k","id":"1"}]` + "\n\n", events{referred(named("1", "", ""))}},
	{"none", "event: copilot_references\ndata: []\n\n" + hi, events{said("hi")}},

	// Confirmations, 5.3.
	{"a confirmation comes last", ask + hi + done, events{said("hi"), asked("T", "M", `{"id":"1"}`)}},
	{"two", ask + ask + hi, events{said("hi"), asked("T", "M", `{"id":"1"}`), asked("T", "M", `{"id":"1"}`)}},
	{"its data as it came", "event: copilot_confirmation\n" + `data: {"title":"T","message":"M","confirmation": {"z": 1.0e2, "a":"\u0041"} }` + "\n\n", events{asked("T", "M", `{"z": 1.0e2, "a":"\u0041"}`)}},
	{"data that is a list", "event: copilot_confirmation\n" + `data: {"title":"T","message":"M","confirmation":["a"]}` + "\n\n", events{asked("T", "M", `["a"]`)}},
	{"without data", "event: copilot_confirmation\n" + `data: {"title":"T","message":"M","confirmation":null}` + "\n\n", events{asked("T", "M", "")}},
	{"wrapped", `data: {"confirmation":{"title":"T","message":"M","id":7}}` + "\n\n", events{asked("T", "M", `{"title":"T","message":"M","id":7}`)}},
	{"wrapped twice", "event: copilot_confirmation\n" + `data: {"confirmation":{"title":"T","message":"M","confirmation":{"id":7}}}` + "\n\n", events{asked("T", "M", `{"id":7}`)}},
	{"by type", `data: {"type":"copilot_confirmation","title":"T","message":"M","confirmation":{"id":7}}` + "\n\n", events{asked("T", "M", `{"id":7}`)}},
	{"by type, in data", `data: {"type":"copilot_confirmation","data":{"title":"T","message":"M","confirmation":{"id":7}}}` + "\n\n", events{asked("T", "M", `{"id":7}`)}},
	{"inline", `data: {"choices":null,"copilot_confirmation":{"title":"T","message":"M","confirmation":{"id":7}},"id":null}` + "\n\n", events{asked("T", "M", `{"id":7}`)}},
	{
		"without a title", "event: copilot_confirmation\n" + `data: {"confirmation":{"id":7}}` + "\n\n",
		events{warned("The agent asks for a confirmation without saying in full what of."), asked("Confirm", "The agent asks for a yes, and does not say what for.", `{"id":7}`)},
	},
	{"that cannot be read", "event: copilot_confirmation\ndata: [1\n\n" + hi, events{warned("The agent sent confirmation that cannot be read."), said("hi")}},

	// Errors, 5.4.
	{"errors", hi + errs, events{said("hi"), failed(oneFault)}},
	{"a single error", strings.NewReplacer("[", "", "]", "").Replace(errs), events{failed(oneFault)}},
	{"errors without a name", strings.TrimPrefix(errs, "event: copilot_errors\n"), events{failed(oneFault)}},
	{"inline", `data: {"copilot_errors":[{"type":"function","code":"c","message":"m","identifier":"i"}]}` + "\n\n", events{failed(oneFault)}},
	{"several", "event: copilot_errors\n" + `data: [{"message":"a","code":7},"b"]` + "\n\n", events{failed(extension.Fault{Type: "agent", Code: "7", Message: "a"}, extension.Fault{Type: "agent", Message: "b"})}},
	{"of another type", "event: copilot_references\n" + `data: [{"type":"v.k","is_implicit":"true"}]` + "\n\n", events{referred(extension.Reference{Type: "v.k", ID: "unknown", Implicit: true, Rest: map[string]raw{"is_implicit": raw(`"true"`)}})}},
	{"without a message", "event: copilot_errors\n" + `data: [{"type":"agent","code":"sso"}]` + "\n\n", events{warned("The agent reported an error without saying which."), failed(extension.Fault{Type: "agent", Code: "sso", Message: "an error without a message"})}},
	{"that are text", "event: copilot_errors\ndata: it broke\n\n", events{warned("The agent sent an error that is not in the form of the protocol."), failed(extension.Fault{Type: "agent", Message: "it broke"})}},
	{"in an event error", "event: error\n" + `data: {"message":"it broke"}` + "\n\n", events{failed(extension.Fault{Type: "agent", Message: "it broke"})}},

	// Names, 5.6 and rule 12.4.
	{"a named event swallows a chunk", "event: copilot_references\n" + hi, events{said("hi")}},
	{"a name left over after its data", strings.TrimSuffix(refs, "\n") + hi + hi, events{oneReference, said("hi"), said("hi")}},
	{"event: closes an event", strings.TrimSuffix(refs, "\n") + errs, events{oneReference, failed(oneFault)}},
	{"a name without data", "event: copilot_errors\n\n" + hi, events{said("hi")}},
	{"the name message", "event: message\n" + hi, events{said("hi")}},
	{"copilot_text", "event: copilot_text\n" + `data: {"body":"a"}` + "\n\n", events{warned(`The agent sent an event of an unknown kind, copilot_text.`), said("a")}},
	{"a name that would steer a terminal", "event: \x1b[2J\ndata: {}\n\n" + hi, events{warned(`The agent sent an event of an unknown kind, \x1b[2J.`), said("hi")}},
	{
		"others", "event: copilot_ack\ndata: {}\n\nevent: copilot_message\n" + `data: {"content":"a"}` + "\n\nevent: x\n" + `data: {"message":"b"}` + "\n\nevent: done\ndata: bye\n\nevent: done\ndata: [DONE]\n\n",
		events{warned(`The agent sent an event of an unknown kind, copilot_ack.`), said("a"), said("b")},
	},
}

func TestReadReply(t *testing.T) {
	for _, tc := range replies {
		t.Run(tc.name, func(t *testing.T) {
			for _, cut := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
			} {
				got, err := read(cut(strings.NewReader(tc.body)))
				if d := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
					t.Errorf("read %q: %v\n%s", tc.body, err, d)
				}
			}
		})
	}
}

func TestReplyThatCannotBeRead(t *testing.T) {
	page := "<!DOCTYPE html>\n<html><body>Sign in</body></html>"
	for _, tc := range []struct {
		name, body string
		want       events
		kind       fault.Kind
		why        string
	}{
		{"nothing", "", nil, fault.Invalid, "the agent answered nothing at all"},
		{"white space", " \r\n\n", nil, fault.Invalid, "the agent answered nothing at all"},
		{"a page", page, nil, fault.Invalid, "the agent answered a web page; is this the address of an agent?"},
		{"a page of another kind", "\n<HTML>", nil, fault.Invalid, "the agent answered a web page; is this the address of an agent?"},
		{"bytes", "\x89PNG\r\n\x1a\n", nil, fault.Invalid, "the agent answered bytes that are not text"},
		{"a NUL", "a\x00b", nil, fault.Invalid, "the agent answered bytes that are not text"},
		{"a document cut off", `{"choices":[{"message":{"content":"hi`, nil, fault.Unavailable, "the answer was cut off within an event"},
		{"an event cut off", hi + `data: {"choices":[{"ind`, events{said("hi")}, fault.Unavailable, "the answer was cut off within an event"},
		{"a confirmation is not asked then", ask + `data: {"choices":[{"ind`, nil, fault.Unavailable, "the answer was cut off within an event"},
		{"a line too long", hi + "data: " + strings.Repeat("x", 200), events{said("hi")}, fault.Invalid, "line is longer than 120 bytes"},
		{"a line too long, of text", strings.Repeat("x", 200), nil, fault.Invalid, "line is longer than 120 bytes"},
		{"an event too long", strings.Repeat("data: [[[[[[[[[\n", 20), nil, fault.Invalid, "an event is longer than 150 bytes"},
		{"a body too long", strings.Repeat(": ping\n", 200), nil, fault.Invalid, "the answer is longer than 1000 bytes"},
		{"a document too long", "[" + strings.Repeat(" ", 150), nil, fault.Invalid, "an answer of JSON is longer than 150 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tc.body), extension.ReplyOptions{MaxLine: 120, MaxEvent: 150, MaxBody: 1000})
			if d := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); d != "" || fault.KindOf(err) != tc.kind || fault.Message(err) != tc.why {
				t.Errorf("read: %v, want %s\n%s", err, tc.why, d)
			}
		})
	}
	if got, err := read(strings.NewReader(hi+hi), extension.ReplyOptions{MaxBody: int64(len(hi) + 5)}); len(got) != 1 || fault.KindOf(err) != fault.Invalid {
		t.Errorf("a body too long by an event: %v, %v", got, err)
	}
	if got, err := read(strings.NewReader("dat"), extension.ReplyOptions{MaxBody: 2}); got != nil || fault.KindOf(err) != fault.Invalid {
		t.Errorf("a body too long before its form is known: %v, %v", got, err)
	}
	boom := errors.New("boom")
	for _, begun := range []string{"", "{", hi, "text", " "} {
		r := io.MultiReader(strings.NewReader(begun), iotest.ErrReader(boom))
		if _, err := read(r); !errors.Is(err, boom) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a reader that fails after %q: %v", begun, err)
		}
		r = io.MultiReader(strings.NewReader(begun), iotest.ErrReader(context.Canceled))
		if _, err := read(r); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Canceled {
			t.Errorf("a reader that is canceled after %q: %v", begun, err)
		}
	}
	whole := strings.Repeat(": ping\n", 140) + "data: [DONE]\n\n123456"
	if _, err := read(strings.NewReader(whole), extension.ReplyOptions{MaxBody: int64(len(whole))}); err != nil {
		t.Errorf("a body of all bytes: %v", err)
	}
}

func TestListsAreBounded(t *testing.T) {
	entries := strings.Repeat("{},", 20_000) + "{}"
	fields := `{"id":"1"` + strings.Repeat(`,"a":1`, 30_000) + "}"
	for _, tc := range []struct {
		name, body string
		want       int
	}{
		{"references", "event: copilot_references\ndata: [" + entries + "]\n\n", 10_000},
		{"references in lists", strings.Repeat(`data: {"references":[{},{},{}]}`+"\n\n", 5_000), 10_000},
		{"references with fields", "event: copilot_references\ndata: [" + fields + "," + fields + "," + fields + "," + fields + "]\n\n", 3},
		{"errors", "event: copilot_errors\ndata: [" + entries + "]\n\n", 10_000},
		{"errors in lists", strings.Repeat(`data: {"errors":[{},{},{}]}`+"\n\n", 5_000), 10_000},
		{"errors alone", strings.Repeat(`data: {"error":{}}`+"\n\n", 20_000), 10_000},
	} {
		got, err := read(strings.NewReader(tc.body))
		n, long := 0, 0
		var refs []extension.Reference
		for _, e := range got {
			refs = append(refs, e.References...)
			n += len(e.References) + len(e.Faults)
			if strings.Contains(e.Warning, "more") && strings.Contains(e.Warning, "than anybody reads") {
				long++
			}
		}
		if n != tc.want || long != 1 || err != nil {
			t.Errorf("%s: %d with %d warnings, %v, want %d", tc.name, n, long, err, tc.want)
		}
		body, err := (&extension.Request{Messages: []extension.Message{{References: refs}}}).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := extension.ParseRequest(body); err != nil {
			t.Errorf("%s cannot be sent back: %v", tc.name, err)
		}
	}
	got, err := read(strings.NewReader(strings.Repeat(ask, 40)))
	if len(got) != 33 || got[0].Kind != extension.EventWarning || err != nil {
		t.Errorf("%d events of 40 confirmations, %v", len(got), err)
	}
}

// Events are yielded as they arrive, not with the next one or at the end.
func TestReplyIsToldAtOnce(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	parts := []string{hi, strings.TrimSuffix(hi, "\n"), hi, refs}
	go func() { _, _ = io.WriteString(w, parts[0]) }()
	n := 0
	for e, err := range extension.ReadReply(r) {
		if err != nil || e.Kind != extension.EventText && n < len(parts)-1 {
			t.Fatalf("event %d: %v, %v", n, e, err)
		}
		if n++; n == len(parts) {
			break // leaving the loop reads no more of the body either
		}
		go func() { _, _ = io.WriteString(w, parts[n]) }()
	}
}

// Chunks are looked for in a list, but not in lists inside it: each level would be read
// again, and an event of 1 MiB would take seconds.
func TestListsInListsAreNotLookedInto(t *testing.T) {
	const chunk = `{"choices":[{"index":0,"delta":{"content":"hi"}}]}`
	got, err := read(strings.NewReader("data: [" + chunk + ",[" + chunk + "]," + chunk + "]\n\n"))
	var text string
	for _, e := range got {
		text += e.Text
	}
	if text != "hihi" || len(got) != 3 || err != nil {
		t.Errorf("read %+v, %v", got, err)
	}
}
