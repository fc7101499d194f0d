package extension_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// inShort returns findings in short: the rule's name, the line, the byte.
func inShort(findings []extension.Finding) (short []string) {
	for _, f := range findings {
		short = append(short, fmt.Sprintf("%s %d %d", f.Name, f.Line, f.Offset))
	}
	return short
}

var (
	wholeEnd  = stop + done
	thirdLine = len(hi) // the offset of line 3
)

func onThirdLine(name string) []string { return []string{fmt.Sprintf("%s 3 %d", name, thirdLine)} }

func namedEvent(event, data string) string {
	return hi + "event: " + event + "\ndata: " + data + "\n\n" + wholeEnd
}

func onFourthLine(event string, names ...string) (want []string) {
	for _, name := range names {
		want = append(want, fmt.Sprintf("%s 4 %d", name, thirdLine+len("event: \n")+len(event)))
	}
	return want
}

// checked has answers and what the strict check finds in them.
var checked = []struct {
	name, body string
	want       []string
}{
	{"impeccable", hi + wholeEnd, nil},
	{"with comments and text", ": ping\n\n" + hi + ": ping\n\n" + hi + wholeEnd, nil},
	{"with references", hi + refs + wholeEnd, nil},
	{"with a confirmation", hi + ask + wholeEnd, nil},
	{"with errors", hi + errs + wholeEnd, nil},
	{"with no references", hi + "event: copilot_references\ndata: []\n\n" + wholeEnd, nil},
	{"no choices yet", `data: {"id":"c","choices":[]}` + "\n\n" + hi + wholeEnd, nil},

	{"JSON", `{"choices":[{"index":1,"message":{"content":"hi"}}]}`, []string{"stream 1 0"}},
	{"text", "hi\nthere", []string{"stream 1 0"}},
	{"nothing", "", []string{"unreadable 1 0"}},
	{"a page", "<html>", []string{"unreadable 1 0"}},
	{"silence", stop + done, []string{"empty answer 0 0"}},
	{"cut off", hi + "data: {", []string{fmt.Sprintf("unreadable 3 %d", thirdLine)}},
	{"an endless line", hi + strings.Repeat("x", 1<<20+1), []string{fmt.Sprintf("unreadable 2 %d", thirdLine-1)}},

	{"a mark", "\uFEFF" + hi + wholeEnd, []string{"byte order mark 1 0"}},
	{"CR", hi + strings.Replace(stop, "\n", "\r\n", 1) + done, onThirdLine("line end")},
	{"the last event not closed", hi + stop + "data: [DONE]\n", []string{fmt.Sprintf("unclosed event 5 %d", thirdLine+len(stop))}},
	{"an event not closed", hi + strings.TrimSuffix(refs, "\n") + errs + wholeEnd, []string{
		fmt.Sprintf("unclosed event 5 %d", thirdLine+len(refs)-1), fmt.Sprintf("second named event 6 %d", thirdLine+len(refs)-1+len("event: copilot_errors\n")),
	}},
	{"several data lines", hi + strings.TrimSuffix(stop, "\n") + done, []string{fmt.Sprintf("one data line 4 %d", thirdLine+len(stop)-1)}},
	{"spread JSON", hi + "data: {\"id\":\"c\",\"choices\":\ndata: []}\n\n" + wholeEnd, onThirdLine("spread JSON")},
	{"id", hi + "id: 1\n" + wholeEnd, onThirdLine("field")},
	{"retry", hi + "retry: 1\n" + wholeEnd, onThirdLine("field")},
	{"an unknown field", hi + "foo\n" + wholeEnd, onThirdLine("field")},
	{"an indented field", hi + " " + wholeEnd, onThirdLine("field")},
	{"event: message", strings.Replace(hi, "data", "event: message\ndata", 1) + wholeEnd, []string{"name left over 2 15"}},
	{"event: message with text", namedEvent("message", `{"body":"a"}`), onFourthLine("message", "event name", "not a chunk")},
	{"an unknown event", namedEvent("copilot_done", `{}`), onFourthLine("copilot_done", "unknown event")},
	{"a second named event", hi + refs + ask + wholeEnd, []string{fmt.Sprintf("second named event 7 %d", thirdLine+len(refs)+len("event: copilot_confirmation\n"))}},
	{"a chunk swallowed", hi + "event: copilot_errors\n" + hi + wholeEnd, onFourthLine("copilot_errors", "name left over")},
	{"text", hi + "data: oops\n\n" + wholeEnd, onThirdLine("not JSON")},
	{"a string", hi + "data: \"oops\"\n\n" + wholeEnd, onThirdLine("not JSON")},
	{"no [DONE]", hi + stop, []string{"no [DONE] 0 0"}},
	{"text after [DONE]", hi + done + stop, []string{fmt.Sprintf("after [DONE] 5 %d", thirdLine+len(done))}},
	{"two [DONE]", hi + stop + done + done, []string{fmt.Sprintf("after [DONE] 7 %d", thirdLine+len(stop+done))}},
	{"no stop", hi + done, []string{"no stop 0 0"}},
	{"two stops", hi + stop + stop + done, []string{fmt.Sprintf("after stop 5 %d", thirdLine+len(stop))}},
	{"text after stop", hi + stop + hi + done, []string{fmt.Sprintf("after stop 5 %d", thirdLine+len(stop))}},
	{"cut short", hi + strings.Replace(stop, `"stop"`, `"length"`, 1) + done, onThirdLine("incomplete")},
	{"content alone", hi + `data: {"content":"a"}` + "\n\n" + wholeEnd, onThirdLine("not a chunk")},
	{"choices that are none", hi + `data: {"id":"c","choices":{}}` + "\n\n" + wholeEnd, onThirdLine("not a chunk")},
	{"an unknown object", hi + `data: {"a":1}` + "\n\n" + wholeEnd, onThirdLine("unknown object")},
	{"inline", hi + `data: {"copilot_references":[{"type":"v.k","id":"1","metadata":{"display_name":"N"}}]}` + "\n\n" + wholeEnd, onThirdLine("not under its name")},
	{"no index", hi + strings.Replace(stop, `"index":0,`, "", 1) + done, onThirdLine("no index")},
	{"another choice", hi + strings.Replace(hi, `"index":0`, `"index":1`, 1) + wholeEnd, onThirdLine("other choice")},
	{"message", hi + strings.Replace(hi, "delta", "message", 1) + wholeEnd, onThirdLine("not a delta")},
	{"content of parts", hi + strings.Replace(hi, `"hi"`, `[{"text":"a"}]`, 1) + wholeEnd, onThirdLine("content")},
	{"no role", strings.Replace(hi, `"role":"assistant",`, "", 1) + wholeEnd, []string{"no role 0 0"}},
	{"another id", hi + strings.Replace(stop, `"c"`, `"d"`, 1) + done, onThirdLine("id changes")},
	{"no id", hi + strings.Replace(stop, `"id":"c",`, "", 1) + done, onThirdLine("id changes")},
	{"tool calls", hi + strings.Replace(stop, `"content":null`, `"tool_calls":[{"id":"1"}]`, 1) + done, onThirdLine("tool calls")},
	{"an error object", hi + `data: {"error":{"message":"no"}}` + "\n\n" + wholeEnd, onThirdLine("error object")},

	{"a single reference", namedEvent("copilot_references", `{"type":"v.k","id":"1","metadata":{"display_name":"N"}}`), onFourthLine("copilot_references", "references")},
	{"a reference without a type", namedEvent("copilot_references", `[{"id":"1","metadata":{"display_name":"N"}}]`), onFourthLine("copilot_references", "reference")},
	{"without a display name", namedEvent("copilot_references", `[{"type":"v.k","id":"1"}]`), onFourthLine("copilot_references", "display name")},
	{
		"two of an id, data of no object, no link",
		namedEvent("copilot_references", `[{"type":"v.k","id":"1","data":[],"metadata":{"display_name":"N"}},{"type":"v.k","id":"1","metadata":{"display_name":"N","display_url":"javascript:x"}}]`),
		onFourthLine("copilot_references", "reference data", "reference data", "reference data"),
	},
	{
		"fields of references of another type",
		namedEvent("copilot_references", `[{"type":"v.k","id":7,"is_implicit":"false","metadata":{"display_name":"N","display_icon":1}},{"type":"v.k","metadata":"N"}]`),
		onFourthLine("copilot_references", "field type", "field type", "field type", "field type", "display name", "reference"),
	},
	{"a code that is a number", namedEvent("copilot_errors", `[{"type":"agent","code":7,"message":"m","identifier":"i"}]`), onFourthLine("copilot_errors", "field type")},
	{"half a character", hi + strings.Replace(hi, "hi", `\ud83d`, 1) + strings.Replace(hi, "hi", `\ude00`, 1) + wholeEnd, onThirdLine("split character")},
	{"no title", namedEvent("copilot_confirmation", `{"type":"action","message":"M","confirmation":{"id":"1"}}`), onFourthLine("copilot_confirmation", "confirmation")},
	{"no type", namedEvent("copilot_confirmation", `{"title":"T","message":"M","confirmation":{"id":"1"}}`), onFourthLine("copilot_confirmation", "confirmation type")},
	{"no data", namedEvent("copilot_confirmation", `{"type":"action","title":"T","message":"M"}`), onFourthLine("copilot_confirmation", "confirmation data")},
	{"empty data", namedEvent("copilot_confirmation", `{"type":"action","title":"T","message":"M","confirmation":{ }}`), onFourthLine("copilot_confirmation", "confirmation data")},
	{"no id", namedEvent("copilot_confirmation", `{"type":"action","title":"T","message":"M","confirmation":{"a":1}}`), onFourthLine("copilot_confirmation", "confirmation id")},
	{"a single error", namedEvent("copilot_errors", `{"type":"agent","code":"c","message":"m","identifier":"i"}`), onFourthLine("copilot_errors", "errors")},
	{"no errors", namedEvent("copilot_errors", `[]`), onFourthLine("copilot_errors", "errors")},
	{"an error without a code", namedEvent("copilot_errors", `[{"type":"agent","message":"m","identifier":"i"}]`), onFourthLine("copilot_errors", "error fields")},
	{"an error of another type", namedEvent("copilot_errors", `[{"type":"x","code":"c","message":"m","identifier":"i"}]`), onFourthLine("copilot_errors", "error type")},

	{"many references", namedEvent("copilot_references", "["+strings.Repeat(`{"type":"v.k","id":"1","metadata":{"display_name":"N"}},`, 8_000)+"1]"), onFourthLine("copilot_references",
		"reference data", "reference data", "reference data", "reference data", "reference data", "too many")},
	{"five of a rule at most", hi + strings.Repeat("x\n", 9) + wholeEnd, []string{
		fmt.Sprintf("field 3 %d", thirdLine), fmt.Sprintf("field 4 %d", thirdLine+2), fmt.Sprintf("field 5 %d", thirdLine+4), fmt.Sprintf("field 6 %d", thirdLine+6), fmt.Sprintf("field 7 %d", thirdLine+8),
	}},
}

// An answer with status 200 that is an error, as servers of models send it, is a failure, and the author reads which.
func TestCheckShowsTheErrorOfAnAnswer(t *testing.T) {
	for _, body := range []string{`{"error":{"message":"no quota"}}`, `{"error":"no quota"}`, `data: {"error":{"message":"no quota"}}` + "\n\n"} {
		shown := false
		for _, f := range extension.Check(http.Header{"Content-Type": {"application/json"}}, http.StatusOK, strings.NewReader(body)) {
			shown = shown || f.Severity == extension.Fail && strings.Contains(f.Text, "no quota")
		}
		if !shown {
			t.Errorf("no failure of %q has its text", body)
		}
	}
}

func TestCheck(t *testing.T) {
	tried := map[string]bool{}
	for _, tc := range checked {
		t.Run(tc.name, func(t *testing.T) {
			findings := extension.Check(http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, 200, strings.NewReader(tc.body))
			if d := cmp.Diff(tc.want, inShort(findings)); d != "" {
				t.Errorf("%q:\n%s", tc.body, d)
			}
			for _, f := range findings {
				tried[f.Name] = true
				if rule := extension.Rules()[f.Rule-1]; rule.Number != f.Rule || rule.Name != f.Name || rule.Severity != f.Severity || rule.Fix != f.Fix || f.Text == "" {
					t.Errorf("%+v is not of rule %+v", f, rule)
				}
			}
		})
	}
	for i, rule := range extension.Rules() {
		if rule.Number != i+1 || rule.Name == "" || rule.Fix == "" || rule.Severity != extension.Warn && rule.Severity != extension.Fail {
			t.Errorf("rule %d is %+v", i+1, rule)
		}
		if !tried[rule.Name] && rule.Name != "status" && rule.Name != "content type" {
			t.Errorf("rule %d, %s, is broken by no test", rule.Number, rule.Name)
		}
	}
}

func TestCheckTheHead(t *testing.T) {
	body := hi + stop + done
	for _, tc := range []struct {
		header http.Header
		status int
		want   []string
	}{
		{nil, 0, nil},
		{http.Header{"Content-Type": {"Text/Event-Stream"}}, 200, nil},
		{http.Header{"Content-Type": {"text/html"}}, 500, []string{"status 0 0", "content type 0 0"}},
		{http.Header{}, 201, []string{"status 0 0", "content type 0 0"}},
	} {
		if d := cmp.Diff(tc.want, inShort(extension.Check(tc.header, tc.status, strings.NewReader(body)))); d != "" {
			t.Errorf("%v, %d:\n%s", tc.header, tc.status, d)
		}
	}
	f := extension.Check(nil, 404, strings.NewReader(hi+stop+"event: x\ndata: {}\n\n"+done))
	if len(f) != 2 {
		t.Fatalf("found %v", f)
	}
	want := []string{
		"answer: error: the status is 404 [1 status]. Send status 200 even if something fails, and report the failure in copilot_errors; clients drop a body that comes with another status.",
		fmt.Sprintf("line 6 (byte %d): error: The agent sent an event of an unknown kind, x [13 unknown event]. "+
			"Send no other events than copilot_references, copilot_confirmation and copilot_errors, and text without a name.", len(hi+stop+"event: x\n")),
	}
	if d := cmp.Diff(want, []string{f[0].String(), f[1].String()}); d != "" {
		t.Error(d)
	}
}

// Answers of this package have no findings.
func TestCheckOurAgents(t *testing.T) {
	for name, agent := range map[string]extension.Agent{
		"text":    func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return w.Text("hi") },
		"failure": func(context.Context, *extension.Request, *extension.Writer) error { return fmt.Errorf("broke") },
		"confirmation": func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			return w.Confirm(extension.Confirmation{Title: "T", Message: "M"})
		},
		"references": func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			return w.References(extension.Reference{Type: "v.k", ID: "1", Metadata: extension.Metadata{DisplayName: "N"}})
		},
	} {
		h := extension.NewHandler(agent, extension.HandlerOptions{Unsigned: true, Hosts: quiet.Hosts, Logger: slog.New(slog.DiscardHandler)})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`)))
		if findings := extension.Check(w.Header(), w.Code, w.Body); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}
