package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// heard is an answer as a caller gets it.
type heard struct {
	Text, Thought string
	Calls         []string // name and arguments
}

// hear reads an answer that comes as these pieces of text, at an unknown server, and checks that the
// deltas say the same as the answer.
func hear(t *testing.T, tools []model.Tool, pieces []string, finish string) heard {
	t.Helper()
	var streamed heard
	calls := map[int]string{}
	d := newDecoder(&model.Endpoint{BaseURL: "http://127.0.0.1:8080/v1"}, &model.Request{Tools: tools}, func(delta model.Delta) {
		switch delta.Kind {
		case model.DeltaText:
			streamed.Text += delta.Text
		case model.DeltaReasoning:
			streamed.Thought += delta.Text
		case model.DeltaToolCall:
			calls[delta.Index] += delta.Name + delta.Text
		}
	})
	for i, piece := range pieces {
		text, _ := json.Marshal(piece)
		end := "null"
		if i == len(pieces)-1 {
			end = `"` + finish + `"`
		}
		if _, err := d.Event("", []byte(`{"choices":[{"index":0,"delta":{"content":`+string(text)+`},"finish_reason":`+end+`}]}`)); err != nil {
			t.Fatal(err)
		}
	}
	got := d.Response()
	out := heard{Text: got.Text, Thought: model.ReasoningText(got.Reasoning)}
	for i, c := range got.ToolCalls {
		out.Calls = append(out.Calls, c.Name+c.Arguments)
		if calls[i] != out.Calls[i] || c.ID == "" {
			t.Errorf("call %d: streamed %q, answered %+v", i, calls[i], c)
		}
	}
	if streamed.Text != out.Text {
		t.Errorf("streamed %q, answered %q", streamed.Text, out.Text)
	}
	return out
}

// offered are tools of a request.
func offered() []model.Tool { return []model.Tool{{Name: "grep"}, {Name: "a.b"}} }

func TestReasoningAndCallsInText(t *testing.T) {
	call := `<tool_call>` + "\n" + `{"name": "grep", "arguments": {"q": "x"}}` + "\n" + `</tool_call>`
	for name, tc := range map[string]struct {
		pieces []string
		finish string
		want   heard
	}{
		"plain text":                        {[]string{"a < b", " and <b>"}, "stop", heard{Text: "a < b and <b>"}},
		"Qwen behind a server without flag": {[]string{"<th", "ink>\nhm", "m</thi", "nk>\n\n", "Yes."}, "stop", heard{Text: "Yes.", Thought: "\nhmm"}},
		"white space before":                {[]string{"\n", " <think>a</think>b"}, "stop", heard{Text: "b", Thought: "a"}},
		"a tag in the middle":               {[]string{"Write <think>", "x</think>"}, "stop", heard{Text: "Write <think>x</think>"}},
		"a tag that only begins so":         {[]string{"<thin", "king> is a tag"}, "stop", heard{Text: "<thinking> is a tag"}},
		"nothing but the beginning":         {[]string{" <thi"}, "stop", heard{Text: " <thi"}},
		"never closed":                      {[]string{"<think>is a tag", "</thin"}, "stop", heard{Text: "<think>is a tag</thin"}},
		"cut while it thought":              {[]string{"<think>so", " long"}, "length", heard{Thought: "so long"}},
		"a call":                            {[]string{"I look.\n", call[:15], call[15:]}, "stop", heard{Text: "I look.\n", Calls: []string{`grep{"q":"x"}`}}},
		"two, the last without an end":      {[]string{call + "\n" + strings.TrimSuffix(call, "</tool_call>")}, "stop", heard{Calls: []string{`grep{"q":"x"}`, `grep{"q":"x"}`}}},
		"thoughts and a call":               {[]string{"<think>a</think>\n" + call}, "stop", heard{Thought: "a", Calls: []string{`grep{"q":"x"}`}}},
		"arguments as a string":             {[]string{`<tool_call>{"name":"grep","arguments":"{\"q\":1}"}</tool_call>`}, "stop", heard{Calls: []string{`grep{"q":1}`}}},
		"parameters":                        {[]string{`<tool_call>{"name":"grep","parameters":{"q":1}}</tool_call>`}, "stop", heard{Calls: []string{`grep{"q":1}`}}},
		"another tool":                      {[]string{`<tool_call>{"name":"rm","arguments":{}}</tool_call>`}, "stop", heard{Text: `<tool_call>{"name":"rm","arguments":{}}</tool_call>`}},
		"text follows":                      {[]string{call, " is a call."}, "stop", heard{Text: call + " is a call."}},
		"no JSON":                           {[]string{"<tool_call>grep(x)</tool_call>"}, "stop", heard{Text: "<tool_call>grep(x)</tool_call>"}},
		"cut within":                        {[]string{call[:30]}, "length", heard{Text: call[:30]}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, hear(t, offered(), tc.pieces, tc.finish)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if got := hear(t, nil, []string{call}, "stop"); got.Text != call || got.Calls != nil {
		t.Errorf("without tools: %+v, want the text", got)
	}
}

// FuzzText checks that an answer means the same however it is cut into pieces, and that nothing of
// it is lost: text that is neither reasoning nor a call is the answer, to the byte.
func FuzzText(f *testing.F) {
	f.Add("<think>a</think>b", uint8(3))
	f.Add(`x<tool_call>{"name":"grep","arguments":{}}</tool_call>`, uint8(1))
	f.Add(" \n<think>a<tool_call>", uint8(2))
	f.Add("```\n<tool_call>\n```[TOOL_CALLS][{\"name\":\"grep\"}]", uint8(4))
	f.Add(" <function=grep>{}</function><tool_call><function=a_b></function>", uint8(0))
	f.Add("```json\n{\"name\":\"grep\",\"arguments\":{}}\n```", uint8(2))
	f.Add("<function=grep><parameter=a>1</parameter><parameter=a>2</parameter>", uint8(2))
	f.Add("<function=grep><parameter=a>{\"b\":[{}]}</parameter></function>[TOOL_CALLS]grep[ARGS]{}", uint8(5))
	f.Add(`[TOOL_CALLS][{"name":"grep","arguments":{"a":1,"A":2}}]`, uint8(1))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		text = strings.ToValidUTF8(text, "")
		if text == "" {
			return
		}
		var pieces []string
		piece := ""
		for i, r := range text {
			if piece += string(r); i%(int(n)+1) == 0 {
				pieces, piece = append(pieces, piece), ""
			}
		}
		pieces = append(pieces, piece)
		whole, cut := hear(t, offered(), []string{text}, "stop"), hear(t, offered(), pieces, "stop")
		if d := cmp.Diff(whole, cut); d != "" {
			t.Errorf("%q in pieces (-whole +pieces):\n%s", text, d)
		}
		for _, c := range whole.Calls {
			if _, arguments, found := strings.Cut(c, "{"); found && saysTwice([]byte("{"+arguments)) {
				t.Errorf("%q became the call %s, which says something twice", text, c)
			}
		}
		ended := hear(t, offered(), pieces, "length") // must not panic
		if text, all := strings.TrimSpace(text), len(whole.Calls); len(ended.Calls) > all || len(ended.Calls) > 0 && strings.HasSuffix(text, parameterEnd) {
			t.Errorf("%q has %d calls if it was cut off, and %d if not", text, len(ended.Calls), all)
		}
		if whole.Thought == "" && whole.Calls == nil && whole.Text != text && !strings.HasPrefix(strings.TrimSpace(text), thinkStart+thinkEnd) {
			t.Errorf("%q became %q", text, whole.Text)
		}
		if !strings.HasPrefix(text, whole.Text) && whole.Thought == "" && len(whole.Calls) > 0 && !strings.Contains(text, thinkEnd) {
			t.Errorf("%q became %q and calls", text, whole.Text)
		}
	})
}

// An answer that this program has stopped has no calls in its text, whole as they may look, and a thought without an end
// is none of the answer. Nothing more of it is passed on.
func TestAStoppedAnswerHasNoCallsInText(t *testing.T) {
	call := `<tool_call>{"name": "grep", "arguments": {"q": "x"}}</tool_call>`
	for _, text := range []string{call + call, "<think>hm"} {
		said := 0
		d := newDecoder(&model.Endpoint{BaseURL: "http://127.0.0.1:8080/v1"}, &model.Request{Tools: offered()}, func(delta model.Delta) {
			if delta.Kind == model.DeltaText || delta.Kind == model.DeltaToolCall {
				said++
			}
		})
		piece, _ := json.Marshal(text)
		if _, err := d.Event("", []byte(`{"choices":[{"index":0,"delta":{"content":`+string(piece)+`}}]}`)); err != nil {
			t.Fatal(err)
		}
		d.(*decoder).Stopped()
		got, want := d.Response(), heard{Text: text}
		if thought, found := strings.CutPrefix(text, "<think>"); found {
			want = heard{Thought: thought}
		}
		if got.Text != want.Text || model.ReasoningText(got.Reasoning) != want.Thought || len(got.ToolCalls) != 0 || said != 0 {
			t.Errorf("%q is %+v, with %d pieces", text, got, said)
		}
	}
}
