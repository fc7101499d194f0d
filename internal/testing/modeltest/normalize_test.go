package modeltest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// normalised returns how a live request's messages compare.
func normalised(t *testing.T, messages string) []string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://x/chat/completions", nil)
	if err != nil {
		t.Fatal(err)
	}
	req, err := parseRequest(r, []byte(`{"model":"m","messages":[`+messages+`]}`))
	if err != nil {
		t.Fatalf("%s: %v", messages, err)
	}
	return newNormalizer("/home/me/Work/").conversation(asLive(req))
}

// user and result are messages of one kind.
func user(text string) string   { return message("user", text) }
func result(text string) string { return message("tool", text) }

func message(role, text string) string {
	quoted, _ := json.Marshal(text)
	return `{"role":"` + role + `","content":` + string(quoted) + `}`
}

func TestWhatComparesEqual(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		equal      bool
	}{
		{"any system message", message("system", "a"), message("system", "b"), true},
		{"another role is another message", message("developer", "a"), message("system", "a"), false},
		{"times and reminders", user("<current_datetime>now</current_datetime>\n\nhi\n<reminder>a\nb</reminder>"), user("hi"), true},
		{"two more wrappers", user("<system_reminder>x\n</system_reminder>[[PLAN]] hi <agent_instructions>\n</agent_instructions>"), user("[[PLAN]] hi"), true},
		{"a time over two lines stays", user("<current_datetime>\n</current_datetime>hi"), user("hi"), false},
		{"other wrappers stay", user("<note>x</note>hi"), user("hi"), false},
		{"blank lines within stay", user("a\n\n\nb"), user("a\nb"), false},
		{
			"whatever a compaction asks",
			user("Please create a detailed summary of the conversation so far. The history is being compacted so\nx"),
			user("Please create a detailed summary of the conversation so far. The history is being compacted: y"), true,
		},
		{"a list of one text", `{"role":"user","content":[{"type":"text","text":"hi "}]}`, user("hi"), true},
		{"an image is a line", `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url"},{"type":"file"}]}`, user("hi\n[image]"), true},
		{"an assistant's spaces count", message("assistant", "a "), message("assistant", "a"), false},
		{"no content in three ways", `{"role":"assistant","content":null}`, message("assistant", ""), true},
		{"a JSON result", result(`{"b": 1, "a": [true, null, {"d":2,"c":1.50}]}`), result(`{"a":[true,null,{"c":1.50,"d":2}],"b":1}`), true},
		{"a result in its envelope", result(`{"resultType":"success","textResultForLlm":"ok "}`), result(`ok `), false},
		{"another result in its envelope", result(`{"resultType":"success","textResultForLlm":{"b":1,"a":2}}`), result(`{"a":2,"b":1}`), true},
		{"a failure keeps its envelope", result(`{"resultType":"failure","textResultForLlm":"no"}`), result("no"), false},
		{"a result's end", result("a\n b\n"), result("a\n b"), true},
		{"not quite JSON", result("1. one\n"), result("1. one"), true},
		{"a result in parts is none", `{"role":"tool","content":[{"type":"text","text":"a"}]}`, result(""), true},
		{"the tools on offer", result("Tool 'x' does not exist. Available tools that can be called are a, b."), result("Tool 'x' does not exist."), true},
		{"two ways to say exit", result("a\n<shellId: 7 completed with exit code -1>"), result("a\n<exited with exit code -1>"), true},
		{"an output file's name", result("in /a/session-state/temp/12-copilot-tool-output-x1.txt"), result("in /b/c/session-state/temp/7-copilot-tool-output-z.txt"), true},
		{"two ways to be interrupted", result("Failed to execute `x` tool due to error: Error: Session aborted"), result("<shell context is being reconfigured; retry the command>"), true},
		{"the work directory", result("see /HOME/me/work//a\\b c\\d"), result("see ${workdir}/a/b c\\d"), true},
		{"a neighbour of it", result("/home/me/other"), result("${workdir}/other"), false},
	} {
		if got := slices.Equal(normalised(t, tc.a), normalised(t, tc.b)); got != tc.equal {
			t.Errorf("%s: equal is %v, want %v\n%s\n%s", tc.name, got, tc.equal, normalised(t, tc.a), normalised(t, tc.b))
		}
	}
}

func TestCallsCompareByOrderNameAndCompactArguments(t *testing.T) {
	live := `{"role":"assistant","tool_calls":[
			{"id":"p","function":{"name":"bash","arguments":"{\"z\": \"/home/me/work/f\", \"a\": 1}"}},
			{"id":"q","function":{"name":"view","arguments":""}},
			{"id":"r","function":{"name":"view","arguments":"{oops"}}]},
		{"role":"tool","tool_call_id":"r","content":"3"},{"role":"tool","tool_call_id":"p","content":"1"},{"role":"tool","tool_call_id":"q","content":"2"}`
	stored := []Message{
		{Role: "assistant", ToolCalls: []ToolCall{
			{"toolcall_0", "${shell}", `{"z":"${workdir}/f","a":1}`}, {"toolcall_1", "view", "{}"}, {"toolcall_2", "view", "{oops"},
		}},
		{Role: "tool", ToolCallID: "toolcall_0", Content: "1"},
		{Role: "tool", ToolCallID: "toolcall_1", Content: "2"},
		{Role: "tool", ToolCallID: "toolcall_2", Content: "3"},
	}
	got, want := normalised(t, live), newNormalizer("").conversation(asStored(stored))
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	stored[0].ToolCalls[0].Arguments = `{"a":1,"z":"${workdir}/f"}`
	if slices.Equal(got, newNormalizer("").conversation(asStored(stored))) {
		t.Error("the order of argument keys does not count, but it must")
	}
}

func TestExplainPointsAtTheDifference(t *testing.T) {
	long := strings.Repeat("日本語", 100)
	for _, tc := range []struct {
		name   string
		live   []string
		stored [][]string
		want   []string
	}{
		{"nothing stored", []string{"a"}, nil, []string{"no conversations"}},
		{"the nearest one", []string{"a", "x"}, [][]string{{"b"}, {"a", "y", "z"}}, []string{"conversation 1", "message 1 differs at byte 0", "request: x", "stored:  y"}},
		{"a fit without an answer", []string{"a"}, [][]string{{"a", "user"}}, []string{"fits so far", "user"}},
		{"one too many", []string{"a", "b"}, [][]string{{"a"}}, []string{"goes on after the recorded end", "request: b"}},
		{"deep inside", []string{long + "1" + long}, [][]string{{long + "2" + long}}, []string{"byte 900", "…", "語1日", "語2日"}},
	} {
		got := explain(tc.live, tc.stored)
		for _, want := range tc.want {
			if !strings.Contains(got, want) || strings.Contains(got, "\ufffd") {
				t.Errorf("%s: %q does not hold %q, or cuts a character", tc.name, got, want)
			}
		}
	}
}
