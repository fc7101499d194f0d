package chat

import (
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
		"Hermes":               {"<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"its tag in a text":    {`<tool_call>{"name":"create","arguments":{"path":"a","file_text":"</tool_call>"}}</tool_call>`, heard{Calls: []string{`create{"path":"a","file_text":"</tool_call>"}`}}},
		"Llama":                {`I look. <function=bash>{"command": "ls"}</function>`, heard{Text: "I look. ", Calls: []string{`bash{"command":"ls"}`}}},
		"Qwen3-Coder":          {"<tool_call>\n<function=bash>\n<parameter=command>\nls\n  -l\n</parameter>\n<parameter=wait>\n5\n</parameter>\n</function>\n</tool_call>", heard{Calls: []string{`bash{"command":"ls\n  -l","wait":5}`}}},
		"without outer tags":   {"<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"two":                  {"<function=bash><parameter=command>a</parameter></function>\n<function=bash><parameter=command>b</parameter></function>", heard{Calls: []string{`bash{"command":"a"}`, `bash{"command":"b"}`}}},
		"a number as text":     {"<function=bash><parameter=command>12</parameter></function>", heard{Calls: []string{`bash{"command":"12"}`}}},
		"an object":            {`<function=bash><parameter=command>a</parameter><parameter=env>{"A": 1}</parameter></function>`, heard{Calls: []string{`bash{"command":"a","env":{"A":1}}`}}},
		"a number that is not": {"<function=bash><parameter=command>a</parameter><parameter=wait>soon</parameter></function>", heard{Calls: []string{`bash{"command":"a","wait":"soon"}`}}},
		"a tag in a file":      {"<function=create><parameter=path>a</parameter><parameter=file_text>\n</parameter> is a tag\n</parameter></function>", heard{Calls: []string{`create{"path":"a","file_text":"\u003c/parameter\u003e is a tag"}`}}},
		"no parameters":        {"<function=bash>\n</function>", heard{Calls: []string{`bash{}`}}},
		"no end":               {"<function=bash><parameter=command>ls</parameter>", heard{Calls: []string{`bash{"command":"ls"}`}}},
		"Mistral":              {`[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}, {"name": "bash", "arguments": {"command": "ps"}}]`, heard{Calls: []string{`bash{"command":"ls"}`, `bash{"command":"ps"}`}}},
		"Mistral, newer":       {`Now.[TOOL_CALLS]bash[ARGS]{"command": "ls"}[TOOL_CALLS]bash[ARGS]{"command": "ps"}`, heard{Text: "Now.", Calls: []string{`bash{"command":"ls"}`, `bash{"command":"ps"}`}}},
		"Mistral, with an end": {`[TOOL_CALLS] [{"name":"bash","arguments":{"command":"ls"}}][/TOOL_CALLS]`, heard{Calls: []string{`bash{"command":"ls"}`}}},
		"fenced":               {"```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\", \"wait\": 3}}\n```\n", heard{Calls: []string{`bash{"command":"ls","wait":3}`}}},
		"fenced after thought": {"<think>a</think>\n\n```\n{\n  \"name\": \"bash\",\n  \"arguments\": {\"command\": \"ls\"}\n}\n```", heard{Thought: "a", Calls: []string{`bash{"command":"ls"}`}}},
		"a closed block first": {"```sh\nls\n```\n<function=bash>{\"command\":\"ls\"}</function>", heard{Text: "```sh\nls\n```\n", Calls: []string{`bash{"command":"ls"}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, heardAlways(t, tc.text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// What only looks like a call is text, to the byte.
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
		"bare JSON":                       `{"name":"bash","arguments":{"command":"ls"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(heard{Text: text}, heardAlways(t, text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
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
