package web_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// An answer that is not complete does not end with "stop": OpenAI's clients read why in finish_reason,
// and where OpenAI has no word for the reason, they get an error.
func TestAnIncompleteAnswerOfAModelDoesNotStop(t *testing.T) {
	cut := modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c", Name: "view", Arguments: `{"path":"a`}}, Finish: "length", Repeat: true}
	for _, tc := range []struct {
		name   string
		reply  modeltest.Reply
		finish string // "" for an error
		code   string // of the error
	}{
		{"at the limit", modeltest.Reply{Text: "Once", Finish: "length"}, "length", ""},
		{"at the limit, without text", modeltest.Reply{Finish: "length"}, "length", ""},
		{"in a call", cut, "length", ""},
		{"a full window", modeltest.Reply{Text: "Once", Finish: "model_context_window_exceeded"}, "length", ""},
		{"filtered", modeltest.Reply{Text: "Once", Finish: "content_filter"}, "content_filter", ""},
		{"refused", modeltest.Reply{Text: "Once", Finish: "refusal"}, "content_filter", ""},
		{"nothing left of it", modeltest.Reply{Finish: "content_filter"}, "", "content_filter"},
		{"broken off", modeltest.Reply{Text: "Once", Finish: "network_error"}, "", "provider_failure"},
		{"for an unknown reason", modeltest.Reply{Text: "Once", Finish: "sudden_death"}, "", "unknown"},
	} {
		for _, stream := range []string{"false", "true"} {
			t.Run(tc.name+"/stream "+stream, func(t *testing.T) {
				bubble(t, local, func(p *process) {
					status, got := p.complete(`{"messages":[{"role":"user","content":"Hi."}],"stream":` + stream + `}`)
					want := `"finish_reason":"` + tc.finish + `"`
					if tc.finish == "" {
						want = `"code":"` + tc.code + `"`
					}
					if !strings.Contains(got, want) || strings.Contains(got, `"finish_reason":"stop"`) || (status == 200) != (tc.finish != "" || stream == "true" && tc.reply.Text != "") {
						p.t.Errorf("%d %s\nwant %s", status, got, want)
					}
				}, tc.reply)
			})
		}
	}
}

// The door for Copilot Extensions ends such an answer with an error that names the reason.
func TestAnIncompleteAnswerOfAnExtensionIsAnError(t *testing.T) {
	cut := modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c", Name: "view", Arguments: `{"path":"a`}}, Finish: "length", Repeat: true}
	for name, tc := range map[string]struct {
		reply modeltest.Reply
		code  string
	}{
		"at the limit": {modeltest.Reply{Text: "Once", Finish: "length"}, "length"},
		"in a call":    {cut, "length"},
		"refused":      {modeltest.Reply{Text: "Once", Finish: "refusal"}, "refusal"},
		"broken off":   {modeltest.Reply{Text: "Once", Finish: "network_error"}, "provider_failure"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				if got := p.say("t", "Hi.").wire; !strings.Contains(got, `"type":"agent","code":"`+tc.code+`"`) {
					p.t.Errorf("%s\nwant an error with the code %s", got, tc.code)
				}
			}, tc.reply)
		})
	}
}
