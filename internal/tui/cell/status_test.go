package cell

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A narrow status line keeps its most important parts, and no row reaches the edge.
func TestStatusRow(t *testing.T) {
	s := Status{
		Model: "large-model", Mode: "plan", Folder: "~/src/application", Branch: "feature/parser", Context: 81, Tokens: 1_234_567, Cost: 1.5,
		Queued: 2, Jobs: 1,
	}
	var b strings.Builder
	for _, width := range []int{20, 30, 40, 60, 80, 100, 200} {
		b.WriteString(texts([]row.Row{s.Row(width)}))
	}
	s.Free = true
	b.WriteString(texts([]row.Row{s.Row(20), s.Row(80)}))
	s.Vi = "normal"
	b.WriteString(texts([]row.Row{s.Row(40), s.Row(80)}))
	s.Server = "build.example:8000"
	b.WriteString(texts([]row.Row{s.Row(60), s.Row(200)}))
	s.Note = "press Ctrl-C again to leave"
	b.WriteString(texts(append(s.Rows(80), s.Rows(20)...)))
	b.WriteString(texts([]row.Row{Status{Context: -1}.Row(80), Status{Mode: "interactive"}.Row(80)}))
	golden.Text(t, "status", b.String())
}

// A model at an address, in a file or with a long id has a short name in the status line.
func TestShortModel(t *testing.T) {
	for name, want := range map[string]string{
		"":                                     "",
		"gpt-6.1":                              "gpt-6.1",
		"http://127.0.0.1:8000/v1#qwen3-coder": "qwen3-coder",
		"https://x.example/v1#org/model":       "org/model",
		"https://x.example/v1#":                "https://x.example/v1#",
		"ollama:qwen3:8b":                      "ollama:qwen3:8b",
		"openrouter:z-ai/glm-5":                "openrouter:z-ai/glm-5",
		"/home/ann/models/qwen3-q4.gguf":       "qwen3-q4",
		`C:\models\qwen3-q4.gguf`:              "qwen3-q4",
		"http://h/v1#/models/qwen3-q4.gguf":    "qwen3-q4",
		"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.claude-sonnet-5": "eu.claude-sonnet-5",
		"a-model-with-a-name-that-does-not-come-to-an-end":                               "a-model-with-a-name-that-does-n…",
	} {
		if got := shortModel(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Nothing moves in an idle session, and a question that waits needs no spinner.
func TestTick(t *testing.T) {
	f := newFeed(Options{})
	check := func(when string, want time.Duration) {
		t.Helper()
		if got := f.Activity(f.at).Tick(); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("at first", 0)
	f.event(t, "user.message", `{"content":"Go."}`)
	check("in a run", spinnerTick)
	f.event(t, "permission.requested", `{"requestId":"p","permissionRequest":{"kind":"shell","toolCallId":"a","fullCommandText":"ls"}}`)
	check("with a question", time.Second)
	f.event(t, "permission.completed", `{"requestId":"p","result":{"kind":"approved"}}`)
	f.event(t, "tool.execution_start", `{"toolCallId":"a","toolName":"bash","arguments":{"command":"ls"}}`)
	f.event(t, "tool.execution_complete", `{"toolCallId":"a","success":true,"result":{"content":"<running, shellId: s1; more>"}}`)
	f.event(t, "session.idle", `{}`)
	check("with a job", time.Second)
	f.event(t, "tool.execution_start", `{"toolCallId":"b","toolName":"stop_bash","arguments":{"shellId":"s1"}}`)
	f.event(t, "tool.execution_complete", `{"toolCallId":"b","success":true,"result":{"content":"<stopped, shellId: s1>"}}`)
	f.event(t, "session.idle", `{}`)
	check("idle", 0)
	f.event(t, "session.compaction_start", `{}`)
	check("in a compaction", spinnerTick)
}

// The last live rows are shown where there is no room for all of them.
func TestLiveHasItsHeight(t *testing.T) {
	f := newFeed(Options{})
	f.event(t, "user.message", `{"content":"Go."}`)
	for _, id := range []string{"a", "b", "c"} {
		f.event(t, "tool.execution_start", `{"toolCallId":"`+id+`","toolName":"bash","arguments":{"command":"make `+id+`"}}`)
		f.event(t, "tool.execution_partial_result", `{"toolCallId":"`+id+`","partialOutput":"1\n2\n3\n4\n5\n6\n7\n"}`)
	}
	f.Take(80)
	for height, want := range map[int]int{0: 0, 2: 2, 4: 4, 9: 4, 10: 10, 18: 10, 19: 19, 50: 19} {
		if got := f.Live(80, height, f.at); len(got) != want {
			t.Errorf("%d rows of height %d, want %d:\n%s", len(got), height, want, texts(got))
		}
	}
	if last := f.Live(80, 2, f.at)[1].String(); !strings.Contains(last, "make c") {
		t.Errorf("the last row is %q", last)
	}
}

// The failure of a run is explained by the caller, and said once.
func TestExplain(t *testing.T) {
	f := newFeed(Options{})
	f.event(t, "user.message", `{"content":"Go."}`)
	f.event(t, "assistant.turn_start", `{}`)
	f.event(t, "model.call_failure", `{"errorMessage":"HTTP 401"}`)
	f.event(t, "assistant.turn_end", `{}`)
	e := wire.Event{Header: wire.Header{Type: "session.error"}, Data: []byte(`{"errorType":"authentication","message":"HTTP 401"}`)}
	f.Event(follow.Event{Event: e, Explained: "authentication: HTTP 401. To check the key: sidestick doctor"}, f.at)
	f.event(t, "session.idle", `{}`)
	want := "› Go.\n\n✗ authentication: HTTP 401. To check the key: sidestick doctor\n"
	if got := texts(f.Take(80)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The interface has notices of its own, which are harmless like all others.
func TestNotes(t *testing.T) {
	f := newFeed(Options{})
	f.Note("copied \x1b[2J")
	f.Warn("the clipboard cannot be reached\nhere")
	if got, want := texts(f.Take(80)), "copied \ufffd[2J\n! the clipboard cannot be reached\n  here\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A call without a result, as in the log of a program that died, stays where it began.
func TestCallWithoutResult(t *testing.T) {
	tr, err := Read(seq(logged(t, `user.message {"content":"One."}
assistant.turn_start {"turnId":"0"}
tool.execution_start {"toolCallId":"a","toolName":"view","arguments":{"path":"x"}}
assistant.turn_start {"turnId":"1","purpose":"compaction"}
assistant.turn_end {"turnId":"1"}
assistant.turn_end {"turnId":"0"}
user.message {"content":"Two."}`), nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range tr.Len() {
		got = append(got, strings.TrimSpace(texts(tr.Rows(i, 80))))
	}
	want := []string{"› One.", "✗ [1] view x · no result · 0.3 s", "› Two."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// The page shows what the session has measured, before the first model call and after it.
func TestContextPage(t *testing.T) {
	parts := []ContextPart{{"system message and instructions", 1016}, {"built-in tools", 4268}, {"tools of MCP servers", 0}, {"messages", 900}, {"results of tools", 110_000}}
	var b strings.Builder
	for _, c := range []Context{{}, Context{}.With(128_000, parts...), Context{Used: 120_000}.With(128_000, parts...), Context{Used: 120_000}.With(100_000, parts...)} {
		for _, width := range widths {
			b.WriteString("--\n" + texts(c.Rows(width)))
		}
	}
	golden.Text(t, "context", b.String())
}

// Reasoning that is shown in full becomes final line by line.
func TestReasoningInFull(t *testing.T) {
	f := newFeed(Options{})
	f.ShowReasoning("full")
	f.event(t, "assistant.turn_start", `{}`)
	var got []string
	for _, piece := range []string{`\n`, `\nThe user`, ` asks.\nI `, `look.`} {
		f.event(t, "assistant.reasoning_delta", `{"reasoningId":"r","deltaContent":"`+piece+`"}`)
		got = append(got, texts(f.Take(80))+"|"+texts(f.Live(80, 10, f.at)))
	}
	f.event(t, "assistant.reasoning", `{"reasoningId":"r","content":"The user asks.\nI look."}`)
	f.event(t, "assistant.message", `{"messageId":"m","content":"Done."}`)
	got = append(got, texts(f.Take(80)))
	want := []string{"|", "∴ thinking\n|The user\n", "The user asks.\n|I\n", "|I look.\n", "I look.\n\nDone.\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// A folded text names the key that shows it, if there is one.
func TestFoldedRowsNameTheKeyOfTheSettings(t *testing.T) {
	for _, tc := range []struct {
		keys []string
		want string
	}{{[]string{"f2"}, "… 8 more rows, F2 shows all"}, {nil, "… 8 more rows\n"}} {
		keys, err := keymap.Default().With(map[string][]string{keymap.Output: tc.keys})
		if err != nil {
			t.Fatal(err)
		}
		f := newFeed(Options{Keys: keys})
		f.event(t, "user.message", `{"content":"`+strings.Repeat(`a line\n`, 20)+`"}`)
		if got := texts(f.Take(80)); !strings.Contains(got, tc.want) {
			t.Errorf("%q is not in\n%s", tc.want, got)
		}
	}
}

// While a server of tools is starting, the user does not read that only the provider is waited for.
func TestAnMCPServerThatIsStarting(t *testing.T) {
	f := newFeed(Options{})
	state := func(status string) {
		f.event(t, "session.mcp_server_status_changed", `{"serverName":"slow","status":"`+status+`"}`)
	}
	state("pending")
	f.event(t, "user.message", `{"content":"hello"}`)
	f.event(t, "assistant.turn_start", `{"turnId":"0"}`)
	if got, want := f.doing(f.at), "waiting; the MCP server slow is starting"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	state("connected")
	if got := f.doing(f.at); got != doesWait {
		t.Errorf("connected: %q, want %q", got, doesWait)
	}
}
