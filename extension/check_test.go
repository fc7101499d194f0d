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

// inShort is findings in short: the rule's name, the line, the byte.
func inShort(findings []extension.Finding) (short []string) {
	for _, f := range findings {
		short = append(short, fmt.Sprintf("%s %d %d", f.Name, f.Line, f.Offset))
	}
	return short
}

func TestCheck(t *testing.T) {
	end := stop + done
	at := len(hi) // the offset of line 3
	second := func(name string) []string { return []string{fmt.Sprintf("%s 3 %d", name, at)} }
	named := func(event, data string) string { return hi + "event: " + event + "\ndata: " + data + "\n\n" + end }
	fourth := func(event string, names ...string) (want []string) {
		for _, name := range names {
			want = append(want, fmt.Sprintf("%s 4 %d", name, at+len("event: \n")+len(event)))
		}
		return want
	}
	tried := map[string]bool{}
	for _, tc := range []struct {
		name, body string
		want       []string
	}{
		{"impeccable", hi + end, nil},
		{"with comments and text", ": ping\n\n" + hi + ": ping\n\n" + hi + end, nil},
		{"with references", hi + refs + end, nil},
		{"with a confirmation", hi + ask + end, nil},
		{"with errors", hi + errs + end, nil},
		{"with no references", hi + "event: copilot_references\ndata: []\n\n" + end, nil},
		{"no choices yet", `data: {"id":"c","choices":[]}` + "\n\n" + hi + end, nil},

		{"JSON", `{"choices":[{"index":1,"message":{"content":"hi"}}]}`, []string{"stream 1 0"}},
		{"text", "hi\nthere", []string{"stream 1 0"}},
		{"nothing", "", []string{"unreadable 1 0"}},
		{"a page", "<html>", []string{"unreadable 1 0"}},
		{"silence", stop + done, []string{"empty answer 0 0"}},
		{"cut off", hi + "data: {", []string{fmt.Sprintf("unreadable 3 %d", at)}},
		{"an endless line", hi + strings.Repeat("x", 1<<20+1), []string{fmt.Sprintf("unreadable 2 %d", at-1)}},

		{"a mark", "\uFEFF" + hi + end, []string{"byte order mark 1 0"}},
		{"CR", hi + strings.Replace(stop, "\n", "\r\n", 1) + done, second("line end")},
		{"the last event not closed", hi + stop + "data: [DONE]\n", []string{fmt.Sprintf("unclosed event 5 %d", at+len(stop))}},
		{"an event not closed", hi + strings.TrimSuffix(refs, "\n") + errs + end, []string{
			fmt.Sprintf("unclosed event 5 %d", at+len(refs)-1), fmt.Sprintf("second named event 6 %d", at+len(refs)-1+len("event: copilot_errors\n")),
		}},
		{"several data lines", hi + strings.TrimSuffix(stop, "\n") + done, []string{fmt.Sprintf("one data line 4 %d", at+len(stop)-1)}},
		{"spread JSON", hi + "data: {\"id\":\"c\",\"choices\":\ndata: []}\n\n" + end, second("spread JSON")},
		{"id", hi + "id: 1\n" + end, second("field")},
		{"retry", hi + "retry: 1\n" + end, second("field")},
		{"an unknown field", hi + "foo\n" + end, second("field")},
		{"an indented field", hi + " " + end, second("field")},
		{"event: message", strings.Replace(hi, "data", "event: message\ndata", 1) + end, []string{"name left over 2 15"}},
		{"event: message with text", named("message", `{"body":"a"}`), fourth("message", "event name", "not a chunk")},
		{"an unknown event", named("copilot_done", `{}`), fourth("copilot_done", "unknown event")},
		{"a second named event", hi + refs + ask + end, []string{fmt.Sprintf("second named event 7 %d", at+len(refs)+len("event: copilot_confirmation\n"))}},
		{"a chunk swallowed", hi + "event: copilot_errors\n" + hi + end, fourth("copilot_errors", "name left over")},
		{"text", hi + "data: oops\n\n" + end, second("not JSON")},
		{"a string", hi + "data: \"oops\"\n\n" + end, second("not JSON")},
		{"no [DONE]", hi + stop, []string{"no [DONE] 0 0"}},
		{"text after [DONE]", hi + done + stop, []string{fmt.Sprintf("after [DONE] 5 %d", at+len(done))}},
		{"two [DONE]", hi + stop + done + done, []string{fmt.Sprintf("after [DONE] 7 %d", at+len(stop+done))}},
		{"no stop", hi + done, []string{"no stop 0 0"}},
		{"two stops", hi + stop + stop + done, []string{fmt.Sprintf("after stop 5 %d", at+len(stop))}},
		{"text after stop", hi + stop + hi + done, []string{fmt.Sprintf("after stop 5 %d", at+len(stop))}},
		{"cut short", hi + strings.Replace(stop, `"stop"`, `"length"`, 1) + done, second("not whole")},
		{"content alone", hi + `data: {"content":"a"}` + "\n\n" + end, second("not a chunk")},
		{"choices that are none", hi + `data: {"id":"c","choices":{}}` + "\n\n" + end, second("not a chunk")},
		{"an unknown object", hi + `data: {"a":1}` + "\n\n" + end, second("unknown object")},
		{"inline", hi + `data: {"copilot_references":[{"type":"v.k","id":"1","metadata":{"display_name":"N"}}]}` + "\n\n" + end, second("not under its name")},
		{"no index", hi + strings.Replace(stop, `"index":0,`, "", 1) + done, second("no index")},
		{"another choice", hi + strings.Replace(hi, `"index":0`, `"index":1`, 1) + end, second("other choice")},
		{"message", hi + strings.Replace(hi, "delta", "message", 1) + end, second("not a delta")},
		{"content of parts", hi + strings.Replace(hi, `"hi"`, `[{"text":"a"}]`, 1) + end, second("content")},
		{"no role", strings.Replace(hi, `"role":"assistant",`, "", 1) + end, []string{"no role 0 0"}},
		{"another id", hi + strings.Replace(stop, `"c"`, `"d"`, 1) + done, second("id changes")},
		{"no id", hi + strings.Replace(stop, `"id":"c",`, "", 1) + done, second("id changes")},
		{"tool calls", hi + strings.Replace(stop, `"content":null`, `"tool_calls":[{"id":"1"}]`, 1) + done, second("tool calls")},
		{"an error object", hi + `data: {"error":{"message":"no"}}` + "\n\n" + end, second("error object")},

		{"a single reference", named("copilot_references", `{"type":"v.k","id":"1","metadata":{"display_name":"N"}}`), fourth("copilot_references", "references")},
		{"a reference without a type", named("copilot_references", `[{"id":"1","metadata":{"display_name":"N"}}]`), fourth("copilot_references", "reference")},
		{"without a display name", named("copilot_references", `[{"type":"v.k","id":"1"}]`), fourth("copilot_references", "display name")},
		{
			"two of an id, data of no object, no link",
			named("copilot_references", `[{"type":"v.k","id":"1","data":[],"metadata":{"display_name":"N"}},{"type":"v.k","id":"1","metadata":{"display_name":"N","display_url":"javascript:x"}}]`),
			fourth("copilot_references", "reference data", "reference data", "reference data"),
		},
		{"no title", named("copilot_confirmation", `{"type":"action","message":"M","confirmation":{"id":"1"}}`), fourth("copilot_confirmation", "confirmation")},
		{"no type", named("copilot_confirmation", `{"title":"T","message":"M","confirmation":{"id":"1"}}`), fourth("copilot_confirmation", "confirmation type")},
		{"no data", named("copilot_confirmation", `{"type":"action","title":"T","message":"M"}`), fourth("copilot_confirmation", "confirmation data")},
		{"empty data", named("copilot_confirmation", `{"type":"action","title":"T","message":"M","confirmation":{ }}`), fourth("copilot_confirmation", "confirmation data")},
		{"no id", named("copilot_confirmation", `{"type":"action","title":"T","message":"M","confirmation":{"a":1}}`), fourth("copilot_confirmation", "confirmation id")},
		{"a single error", named("copilot_errors", `{"type":"agent","code":"c","message":"m","identifier":"i"}`), fourth("copilot_errors", "errors")},
		{"no errors", named("copilot_errors", `[]`), fourth("copilot_errors", "errors")},
		{"an error without a code", named("copilot_errors", `[{"type":"agent","message":"m","identifier":"i"}]`), fourth("copilot_errors", "error fields")},
		{"an error of another type", named("copilot_errors", `[{"type":"x","code":"c","message":"m","identifier":"i"}]`), fourth("copilot_errors", "error type")},

		{"many references", named("copilot_references", "["+strings.Repeat(`{"type":"v.k","id":"1","metadata":{"display_name":"N"}},`, 8_000)+"1]"), fourth("copilot_references",
			"reference data", "reference data", "reference data", "reference data", "reference data", "too many")},
		{"five of a rule at most", hi + strings.Repeat("x\n", 9) + end, []string{
			fmt.Sprintf("field 3 %d", at), fmt.Sprintf("field 4 %d", at+2), fmt.Sprintf("field 5 %d", at+4), fmt.Sprintf("field 6 %d", at+6), fmt.Sprintf("field 7 %d", at+8),
		}},
	} {
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
		"answer: error: the status is 404 [1 status]. Answer 200, also when something goes wrong, and say what in copilot_errors; clients lose what comes with another status.",
		fmt.Sprintf("line 6 (byte %d): error: The agent sent an event of an unknown kind, x [13 unknown event]. "+
			"Send no other events than copilot_references, copilot_confirmation and copilot_errors, and text without a name.", len(hi+stop+"event: x\n")),
	}
	if d := cmp.Diff(want, []string{f[0].String(), f[1].String()}); d != "" {
		t.Error(d)
	}
}

// Our own agents are impeccable.
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
		h := extension.NewHandler(agent, extension.HandlerOptions{Unsigned: true, Logger: slog.New(slog.DiscardHandler)})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`)))
		if findings := extension.Check(w.Header(), w.Code, w.Body); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}
