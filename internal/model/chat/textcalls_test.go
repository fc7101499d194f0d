package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// described are tools with schemas.
func described() []model.Tool {
	return []model.Tool{
		{Name: "bash", Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string"},"wait":{"type":"integer"},"env":{"type":["object","null"]}},"required":["command"]}`)},
		{Name: "create", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"file_text":{"type":"string"}},"required":["path","file_text"]}`)},
	}
}

// cuts are the ways in which a text arrives: whole, in single bytes, and in two pieces with each byte as the border.
func cuts(text string) (all [][]string) {
	all = append(all, []string{text}, strings.Split(text, ""))
	for i := range text {
		if i > 0 {
			all = append(all, []string{text[:i], text[i:]})
		}
	}
	return all
}

// heardAlways is what is heard of a text, however it is cut.
func heardAlways(t *testing.T, text string) heard {
	t.Helper()
	var first heard
	for i, pieces := range cuts(text) {
		got := hear(t, described(), pieces, "stop")
		if i == 0 {
			first = got
		} else if d := cmp.Diff(first, got); d != "" {
			t.Fatalf("in the pieces %q (-whole +pieces):\n%s", pieces, d)
		}
	}
	return first
}

// Each form comes from the chat template of a family of models.
func TestCallsAsTextInEveryForm(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want heard
	}{
		"Hermes":                  {"<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"its tag in a text":       {`<tool_call>{"name":"create","arguments":{"path":"a","file_text":"</tool_call>"}}</tool_call>`, heard{Calls: []string{`create{"path":"a","file_text":"</tool_call>"}`}}},
		"Llama":                   {`I look. <function=bash>{"command": "ls"}</function>`, heard{Text: "I look. ", Calls: []string{`bash{"command":"ls"}`}}},
		"Qwen3-Coder":             {"<tool_call>\n<function=bash>\n<parameter=command>\nls\n  -l\n</parameter>\n<parameter=wait>\n5\n</parameter>\n</function>\n</tool_call>", heard{Calls: []string{`bash{"command":"ls\n  -l","wait":5}`}}},
		"without outer tags":      {"<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"two":                     {"<function=bash><parameter=command>a</parameter></function>\n<function=bash><parameter=command>b</parameter></function>", heard{Calls: []string{`bash{"command":"a"}`, `bash{"command":"b"}`}}},
		"a number as text":        {"<function=bash><parameter=command>12</parameter></function>", heard{Calls: []string{`bash{"command":"12"}`}}},
		"an object":               {`<function=bash><parameter=command>a</parameter><parameter=env>{"A": 1}</parameter></function>`, heard{Calls: []string{`bash{"command":"a","env":{"A":1}}`}}},
		"a number that is not":    {"<function=bash><parameter=command>a</parameter><parameter=wait>soon</parameter></function>", heard{Calls: []string{`bash{"command":"a","wait":"soon"}`}}},
		"a tag in a file":         {"<function=create><parameter=path>a</parameter><parameter=file_text>\n</parameter> is a tag\n</parameter></function>", heard{Calls: []string{`create{"path":"a","file_text":"\u003c/parameter\u003e is a tag"}`}}},
		"no parameters":           {"<function=bash>\n</function>", heard{Calls: []string{`bash{}`}}},
		"no end":                  {"<function=bash><parameter=command>ls</parameter>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"Mistral":                 {`[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}, {"name": "bash", "arguments": {"command": "ps"}}]`, heard{Calls: []string{`bash{"command":"ls"}`, `bash{"command":"ps"}`}}},
		"Mistral, newer":          {`Now.[TOOL_CALLS]bash[ARGS]{"command": "ls"}[TOOL_CALLS]bash[ARGS]{"command": "ps"}`, heard{Text: "Now.", Calls: []string{`bash{"command":"ls"}`, `bash{"command":"ps"}`}}},
		"Mistral, with an end":    {`[TOOL_CALLS] [{"name":"bash","arguments":{"command":"ls"}}][/TOOL_CALLS]`, heard{Calls: []string{`bash{"command":"ls"}`}}},
		"fenced":                  {"```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\", \"wait\": 3}}\n```\n", heard{Calls: []string{`bash{"command":"ls","wait":3}`}}},
		"fenced after thought":    {"<think>a</think>\n\n```\n{\n  \"name\": \"bash\",\n  \"arguments\": {\"command\": \"ls\"}\n}\n```", heard{Thought: "a", Calls: []string{`bash{"command":"ls"}`}}},
		"keys of two objects":     {`<tool_call>{"id":1,"name":"bash","arguments":{"command":"ls","env":{"name":"a","A":1,"a":2,"of":[{"A":1},{"A":1}]}}}</tool_call>`, heard{Calls: []string{`bash{"command":"ls","env":{"name":"a","A":1,"a":2,"of":[{"A":1},{"A":1}]}}`}}},
		"a block of a list first": {"1. ```sh\n   ls\n   ```\n\nNow.\n<function=bash>{\"command\":\"ls\"}</function>", heard{Text: "1. ```sh\n   ls\n   ```\n\nNow.\n", Calls: []string{`bash{"command":"ls"}`}}},
		"code in a line first":    {"I use `ls`: <function=bash>{\"command\":\"ls\"}</function>", heard{Text: "I use `ls`: ", Calls: []string{`bash{"command":"ls"}`}}},
		"a closed block first":    {"```sh\nls\n```\n<function=bash>{\"command\":\"ls\"}</function>", heard{Text: "```sh\nls\n```\n", Calls: []string{`bash{"command":"ls"}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, heardAlways(t, tc.text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A text that only looks like a call stays text, to the byte.
func TestTextThatIsNoCall(t *testing.T) {
	call := `<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`
	for name, text := range map[string]string{
		"an explanation":                  "Models write " + call + " to call a tool.",
		"an explanation in code":          "Models write `" + call + "`",
		"a README with an example":        "# Calls\n\n```xml\n" + call + "\n```\n\nThat is all.",
		"a README that ends with one":     "# Calls\n\n```xml\n" + call + "\n```",
		"a block that was never closed":   "# Calls\n\n~~~~\n~~~\n" + call,
		"a block in a quotation":          "> ```\n> " + call,
		"a block with a function":         "```\n<function=bash>{\"command\":\"ls\"}</function>\n```",
		"a block with Mistral's":          "```\n[TOOL_CALLS][{\"name\":\"bash\",\"arguments\":{}}]",
		"a function that was not offered": "<function=rm>{}</function>",
		"one that begins like another":    "<function=bashful>{}</function>",
		"the tag alone":                   "<function=",
		"a text that ends like a tag":     "a [TOOL_",
		"a list":                          "[1, 2] and [TOOL_CALLS] of nothing",
		"Mistral's without a list":        "[TOOL_CALLS][1, 2]",
		"Mistral's of another tool":       `[TOOL_CALLS][{"name":"bash","arguments":{}},{"name":"rm","arguments":{}}]`,
		"a function without its end":      "<function=bash><parameter=command>ls",
		"text within the function":        "<function=bash>ls</function>",
		"text after the function":         "<function=bash>{\"command\":\"ls\"}</function> does it.",
		"blanks":                          "<tool_call>" + strings.Repeat(" ", 2*maxBlank) + "{}",
		"JSON that was asked for":         "```json\n{\"name\": \"bash\", \"version\": \"5.2\"}\n```",
		"a call with text after it":       "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n```\nThat lists files.",
		"a call with text before it":      "Here:\n```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n```",
		"two in a block":                  "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n{}\n```",
		"a block without its end":         "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}",
		"an unknown argument":             "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\",\"x\":1}}\n```",
		"an argument of another type":     "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":1}}\n```",
		"an argument that is missing":     "```json\n{\"name\":\"create\",\"arguments\":{\"path\":\"a\"}}\n```",
		"no arguments":                    "```json\n{\"name\":\"bash\"}\n```",
		"another tool in a block":         "```json\n{\"name\":\"npm\",\"arguments\":{}}\n```",
		"code that begins like JSON":      "```js\n{ name: 1 }\n```",
		"the beginning of a block":        " ``",
		"an argument twice":               `<tool_call>{"name":"bash","arguments":{"command":"ls","command":"rm -r /"}}</tool_call>`,
		"an argument in two cases":        `<tool_call>{"name":"bash","arguments":{"command":"ls","Command":"rm -r /"}}</tool_call>`,
		"an argument twice, as a string":  `<tool_call>{"name":"bash","arguments":"{\"command\":\"ls\",\"command\":\"rm\"}"}</tool_call>`,
		"an argument twice, deep":         `<function=bash><parameter=command>a</parameter><parameter=env>{"A":1,"A":2}</parameter></function>`,
		"a parameter twice":               "<function=bash><parameter=command>ls</parameter><parameter=command>rm -r /</parameter></function>",
		"a name twice":                    `<tool_call>{"name":"bash","arguments":{"path":"a"},"name":"create"}</tool_call>`,
		"arguments twice":                 `<tool_call>{"name":"bash","arguments":{"command":"ls"},"Arguments":{"command":"rm"}}</tool_call>`,
		"arguments under two names":       `<tool_call>{"name":"bash","arguments":{"command":"ls"},"parameters":{"command":"rm"}}</tool_call>`,
		"twice in Mistral's list":         `[TOOL_CALLS][{"name":"bash","arguments":{"command":"ls","command":"rm"}}]`,
		"twice in Mistral's":              `[TOOL_CALLS]bash[ARGS]{"command":"ls","command":"rm"}`,
		"twice in a block":                "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\",\"command\":\"rm\"}}\n```",
		"another member in a block":       "```json\n{\"name\":\"bash\",\"version\":1,\"arguments\":{\"command\":\"ls\"}}\n```",
		"bare JSON":                       `{"name":"bash","arguments":{"command":"ls"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(heard{Text: text}, heardAlways(t, text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A call that a model quotes is text.
func TestAQuotedCallIsText(t *testing.T) {
	call := `<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`
	for name, text := range map[string]string{
		"a block in an item":              "- Example:\n  1. ```xml\n     " + call,
		"a block after CR":                "So:\r```\r" + call,
		"a quotation":                     "They write:\n> " + call,
		"indented code":                   "They write:\n\n    " + call,
		"code that is open":               "Never write `" + call,
		"a sentence with quotation marks": "Never run this: \"" + call,
		"other quotation marks":           "Never run this: “" + call,
	} {
		if d := cmp.Diff(heard{Text: text}, heardAlways(t, text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// A call that was cut off is text, also where what came of it looks whole: another parameter may have been on its way.
func TestACallThatWasCutOffIsText(t *testing.T) {
	const parameters, whole = "<function=bash><parameter=command>rm -r ./build</parameter>", `bash{"command":"rm -r ./build"}`
	const object = `<tool_call>{"name":"bash","arguments":{"command":"rm -r ./build"}}`
	for _, tc := range []struct {
		text, finish string
		call         bool
	}{
		{parameters, "length", false},
		{parameters, "max_tokens", false},
		{parameters, "a word that nobody knows", false},
		{parameters, "", false}, // the connection was lost
		{parameters + "\n", "length", false},
		{parameters + "</function>", "length", true},
		{parameters + "</function>", "", true},
		{parameters, "stop", true},
		{parameters, "eos", true},
		{parameters, "tool_calls", true},
		{"<tool_call>" + parameters + "</function>", "length", false},
		{object, "length", false},
		{object, "stop", true},
		{object + "</tool_call>", "length", true},
	} {
		got := hear(t, described(), strings.Split(tc.text, ""), tc.finish)
		want := heard{Text: tc.text}
		if tc.call {
			want = heard{Calls: []string{whole}}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s, which ended with %q (-want +got):\n%s", tc.text, tc.finish, d)
		}
	}
	d := newDecoder(&model.Endpoint{BaseURL: "http://127.0.0.1:8080/v1"}, &model.Request{Tools: described()}, nil)
	for _, line := range []string{`{"choices":[{"index":0,"delta":{"content":"` + parameters + `"}}]}`, "[DONE]"} {
		if _, err := d.Event("", []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Response(); len(got.ToolCalls) != 1 {
		t.Errorf("an answer that the server has ended without a reason: %+v, want the call", got)
	}
}

// An answer of some megabytes that is made to be slow to read takes as long as any other, and what is more than
// a call can be is text.
func TestHostileTextIsReadInLinearTime(t *testing.T) {
	const size = 4 << 20 // with the square of it a reader needs hours, which the deadline of go test ends
	fill := func(before, text string) string { return before + strings.Repeat(text, size/len(text)) }
	large := []model.Tool{{Name: "bash", Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string","description":"` + strings.Repeat("x", size) + `"}}}`)}}
	calls := func(n int, text string) string { return strings.Repeat(text, n) }
	for name, tc := range map[string]struct {
		text  string
		calls int
	}{
		"tags":                     {fill("", "<tool_call>x"), 0},
		"beginnings of tags":       {fill("", "<[<"), 0},
		"blanks":                   {fill("", "<tool_call>"+strings.Repeat(" ", 300)), 0},
		"ends of parameters":       {fill("<function=bash><parameter=command>", "</parameter> x"), 0},
		"parameters":               {fill("<function=bash>", "<parameter=command>x</parameter>"), 0},
		"as many as there may be":  {"<function=bash>" + parametersNumbered(maxParameters) + "</function>", 1},
		"one parameter too many":   {"<function=bash>" + parametersNumbered(maxParameters+1) + "</function>", 0},
		"as many calls":            {calls(maxCalls, "<function=bash><parameter=command>x</parameter></function>"), maxCalls},
		"one call too many":        {calls(maxCalls+1, "<function=bash><parameter=command>x</parameter></function>"), 0},
		"calls in JSON":            {fill("", `<tool_call>{"name":"bash","arguments":{}}</tool_call>`), 0},
		"a list of calls":          {fill("[TOOL_CALLS][", `{"name":"bash"},`) + `{"name":"bash"}]`, 0},
		"lists in lists":           {fill(`<tool_call>{"name":"bash","arguments":`, "["), 0},
		"objects in an argument":   {fill(`<tool_call>{"name":"bash","arguments":"`, `{\"a\":`) + `"}`, 1},
		"a fence with a long word": {fill("```", "x"), 0},
		"a function with no end":   {fill("<function=bash", "x"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{len(tc.text), 64} { // whole, and in small pieces
				m := merger{tools: large}
				b := m.branch(0)
				for text := tc.text; text != ""; {
					n := min(step, len(text))
					m.read(b, text[:n])
					text = text[n:]
				}
				b.finish = "stop"
				m.endText()
				if len(m.calls) != tc.calls || tc.calls == 0 && b.text.String() != tc.text {
					t.Errorf("%d calls and %d bytes of text, want %d calls, or else all of the %d bytes", len(m.calls), b.text.Len(), tc.calls, len(tc.text))
				}
			}
		})
	}
}

func parametersNumbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<parameter=p%d>x</parameter>", i)
	}
	return b.String()
}

// A text that cannot be a call any more is passed on at once.
func TestTextIsNotHeldBack(t *testing.T) {
	for _, text := range []string{"```json\n{\"names\"", "<function=x", "[TOOL_CALLS]x", "<tool_call>x", "a[1]", "```go\npackage"} {
		var got strings.Builder
		m := merger{tools: described(), emit: func(d model.Delta) { got.WriteString(d.Text) }}
		m.read(m.branch(0), text)
		if got.String() != text {
			t.Errorf("of %q came %q", text, got.String())
		}
	}
}

// An answer in a form that the request asks for is that, and a vendor's text is text.
func TestWhereTextIsNeverACall(t *testing.T) {
	text := "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n```"
	body := []byte(`{"choices":[{"index":0,"message":{"content":"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text) + `"},"finish_reason":"stop"}]}`)
	for name, tc := range map[string]struct {
		address string
		format  *model.ResponseFormat
		calls   bool
	}{
		"a server":             {"http://127.0.0.1:8080/v1", nil, true},
		"with a form":          {"http://127.0.0.1:8080/v1", &model.ResponseFormat{}, false},
		"a vendor with parser": {"https://api.openai.com/v1", nil, false},
	} {
		d := newDecoder(&model.Endpoint{BaseURL: tc.address}, &model.Request{Tools: described(), Format: tc.format}, nil)
		if err := d.(interface{ Whole([]byte) error }).Whole(body); err != nil {
			t.Fatal(err)
		}
		got := d.Response()
		if called := len(got.ToolCalls) == 1; called != tc.calls || got.CallsInText != tc.calls || !called && got.Text != text {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFences(t *testing.T) {
	var inside []int
	lines := strings.SplitAfter("a\n```go\nx\n``\n````\ny ```\n~~~\n```\n~~~ a\nb\n~~~\n", "\n")
	var f fence
	for i, line := range lines {
		f.read(line)
		if f.inside() {
			inside = append(inside, i)
		}
	}
	// The ```` closes the block of ```; "~~~" opens one that "```" does not close, and neither does "~~~ a".
	if want := []int{1, 2, 3, 6, 7, 8, 9}; !slices.Equal(inside, want) {
		t.Errorf("inside after lines %v, want %v", inside, want)
	}
}
