package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// rowCase is events, and the row that the last of them has.
type rowCase struct {
	name   string
	events []string
	want   timeline.Row
}

func call(tool, arguments string) string {
	return `{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"` + tool + `","arguments":` + arguments + `}}`
}

func result(content string) string {
	return `{"type":"tool.execution_complete","data":{"toolCallId":"a","success":true,"result":{"content":"` + content + `"}}}`
}

func rowCases() []rowCase {
	return []rowCase{
		{"an answer that was cut off", []string{`{"type":"abort","data":{"cutOffAnswer":{"content":"word by"}}}`}, timeline.Row{Kind: timeline.Model, Body: "word by\n\n(interrupted)"}},
		{
			"the end of a long answer",
			[]string{`{"type":"abort","data":{"cutOffAnswer":{"content":"word by","omitted":7}}}`},
			timeline.Row{Kind: timeline.Model, Body: "(The beginning of this answer was not kept: it was too long.)\n\nword by\n\n(interrupted)"},
		},
		{"a long command", []string{call("bash", `{"command":"set -e\nmake\u001b\n"}`)}, timeline.Row{Kind: timeline.Tool, Title: "$ set -e … 1 line more", Body: "set -e\nmake<U+001B>", Tool: "bash", Call: "a"}},
		{"a short command", []string{call("bash", `{"command":"make\n"}`)}, timeline.Row{Kind: timeline.Tool, Title: "$ make", Tool: "bash", Call: "a"}},
		{
			"a change",
			[]string{call("edit", `{"path":"a","old_str":"x","new_str":"y"}`), `{"type":"tool.execution_complete","data":{"toolCallId":"a","success":true,"result":{"content":"done","detailedContent":"@@ -1 +1 @@\n-x\n+y\n"}}}`},
			timeline.Row{Kind: timeline.Result, Body: "@@ -1 +1 @@\n-x\n+y\n", Of: "edit a (+1 −1)", Tool: "edit", Diff: true, Call: "a"},
		},
		{
			"a server",
			[]string{call("bash", `{"command":"serve","mode":"async"}`), result(`ready\n<running, shellId: s-1; read_bash shows more, write_bash types, stop_bash ends it>`)},
			timeline.Row{Kind: timeline.Result, Title: "continues in shell s-1: ready", Body: "ready", Of: "$ serve", Tool: "bash", Shell: "s-1", Running: true, Call: "a"},
		},
		{
			"a slow command",
			[]string{call("bash", `{"command":"make"}`), result(`<still running after 30 seconds, shellId: s2; it goes on. read_bash waits for more, stop_bash ends it>`)},
			timeline.Row{Kind: timeline.Result, Title: "continues in shell s2", Of: "$ make", Tool: "bash", Shell: "s2", Running: true, Call: "a"},
		},
		{
			"nothing new",
			[]string{call("read_bash", `{"shellId":"s2"}`), result(`<no new output, still running, shellId: s2>`)},
			timeline.Row{Kind: timeline.Result, Title: "continues in shell s2", Of: "read shell s2", Tool: "read_bash", Shell: "s2", Running: true, Call: "a"},
		},
		{
			"its end",
			[]string{call("read_bash", `{"shellId":"s2"}`), result(`built\n<exited with exit code 0>`)},
			timeline.Row{Kind: timeline.Result, Title: "built", Body: "built\n", Of: "read shell s2", Tool: "read_bash", Exit: new(0), Shell: "s2", Call: "a"},
		},
		{
			"a stopped command",
			[]string{call("stop_bash", `{"shellId":"s2"}`), result(`<stopped, shellId: s2>`)},
			timeline.Row{Kind: timeline.Result, Title: "stopped shell s2", Of: "stop shell s2", Tool: "stop_bash", Shell: "s2", Call: "a"},
		},
		{
			"a message",
			[]string{`{"type":"user.message","data":{"content":"Look.","source":"schedule-1","attachments":[{"type":"file","path":"/src/a\u001b.go"},{"type":"file","displayName":"shot.png","path":"/x"},{"type":"selection","filePath":"/src/b.go"},{"type":"blob"},7]}}`},
			timeline.Row{Kind: timeline.User, Body: "Look.", From: "schedule-1", Attached: []string{"a<U+001B>.go", "shot.png", "b.go", "blob", "a file"}},
		},
		{"a message of the user", []string{`{"type":"user.message","data":{"content":"Look.","source":"user"}}`}, timeline.Row{Kind: timeline.User, Body: "Look."}},
		{
			"a sub-agent",
			[]string{`{"type":"subagent.started","agentId":"g","data":{"agentName":"scout","task":{"name":"a","description":"look"}}}`},
			timeline.Row{Kind: timeline.Agent, Title: "agent a (scout) begins: look", Of: "agent a (scout)", Agent: "g"},
		},
	}
}

// A row says which tool it is about, whether its text is a diff, who has written a message, what
// is attached to it, and whether a command continues.
func TestDetailsOfRows(t *testing.T) {
	for _, tc := range rowCases() {
		var r timeline.Reader
		var got timeline.Row
		for _, l := range tc.events {
			got = r.Add(event(t, l))
		}
		if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(timeline.Row{}, "Time")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tc.name, diff)
		}
	}
}

func TestFilling(t *testing.T) {
	info := event(t, `{"type":"session.usage_info","data":{"currentTokens":10,"tokenLimit":100,"tokenLimitSource":"the list of models","systemTokens":2,"toolDefinitionsTokens":3,"conversationTokens":4}}`)
	if got, want := timeline.ReadFilling(info), (timeline.Filling{Used: 10, Limit: 100, System: 2, Tools: 3, Conversation: 4, Source: "the list of models"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	other := event(t, `{"type":"session.compaction_start","data":{"currentTokens":10,"tokenLimit":100}}`)
	if got := timeline.ReadFilling(other); got != (timeline.Filling{}) {
		t.Errorf("another event fills the window: %+v", got)
	}
}
