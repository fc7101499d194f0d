package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/server"
)

// comparedElsewhere are the methods that name unknown members of their parameters themselves.
var comparedElsewhere = []string{"session.create", "session.resume", "session.options.update"}

// Each method names a member of its parameters that it does not know: in a warning of the session or, if the
// call is of none, in the answer. The methods that do not are few, and each has a reason.
func TestEachMethodNamesAnUnknownMember(t *testing.T) {
	quiet := server.Unheeded()
	if len(quiet) > 15 {
		t.Errorf("%d methods do not name unknown members: %q", len(quiet), quiet)
	}
	for _, name := range comparedElsewhere {
		if !slices.Contains(quiet, name) {
			t.Errorf("%s is compared twice", name)
		}
	}
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.answer(c.request("session.create", `{"sessionId":"s1"}`))
		got := c.answer(c.request("ping", `{"inventedTomorrow":1}`))
		if !strings.Contains(string(got.result), "inventedTomorrow: this version does not know it") {
			t.Errorf("ping does not name the member: %s", got.result)
		}
		for _, name := range []string{"session.mode.get", "session.queue.clear", "session.model.switchTo"} {
			member := "invented_" + strings.ReplaceAll(name, ".", "_")
			c.answer(c.request(name, `{"sessionId":"s1","modelId":"m","`+member+`":1}`))
			synctest.Wait()
			if !warned(p, member) {
				t.Errorf("no warning names the member %s", member)
			}
		}
		c.answer(c.request("session.model.switchTo", `{"sessionId":"s1","modelId":"m","repoScope":"team"}`))
		synctest.Wait()
		if !warned(p, "repoScope: the model is that of the session") {
			t.Error("no warning says that repoScope has no effect")
		}
	})
}

func warned(p *process, of string) bool {
	return slices.ContainsFunc(p.stored("s1"), func(line json.RawMessage) bool {
		return strings.Contains(string(line), "settings_ignored") && strings.Contains(string(line), of)
	})
}

// A change of the mode that expects another one changes nothing.
func TestAModeChangeExpectsAMode(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.answer(c.request("session.create", `{"sessionId":"s1"}`))
		for _, tc := range []struct{ expected, want string }{{"autopilot", "unchanged"}, {"interactive", "applied"}} {
			got := c.answer(c.request("session.mode.set", `{"sessionId":"s1","mode":"plan","expectedMode":"`+tc.expected+`"}`))
			if !strings.Contains(string(got.result), tc.want) {
				t.Errorf("expecting %s: %s %s, want %s", tc.expected, got.result, got.failure.Message, tc.want)
			}
		}
	})
}

// A value that a setting does not have is refused by name, and not taken for the default.
func TestUnknownValuesAreRefused(t *testing.T) {
	for _, tc := range []struct{ name, settings string }{
		{"toolFilterPrecedence", `"toolFilterPrecedence":"exclude"`},
		{"envValueMode", `"envValueMode":"Indirect"`},
		{"systemMessage.mode", `"systemMessage":{"mode":"replaced","content":"x"}`},
		{"systemMessage.sections", `"systemMessage":{"sections":{"tone":{"action":"remove"}}}`},
		{"sessionLimits.maxAiCredits", `"sessionLimits":{"maxAiCredits":-1}`},
		{"budget.maxTurns", `"budget":{"maxTurns":-1}`},
		{"budget.timeoutMs", `"budget":{"timeoutMs":-1}`},
		{"largeOutput.maxSizeBytes", `"largeOutput":{"maxSizeBytes":-1}`},
	} {
		inBubble(t, setup{}, func(t *testing.T, p *process) {
			c := p.connect()
			got := c.answer(c.request("session.create", `{"sessionId":"s1",`+tc.settings+`}`))
			if !strings.Contains(got.failure.Message, tc.name) {
				t.Errorf("%s: %s %q", tc.settings, got.result, got.failure.Message)
			}
		})
	}
}

// The case of a setting's name does not count in an update.
func TestAnUpdateIgnoresTheCaseOfNames(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.answer(c.request("session.create", `{"sessionId":"s1"}`))
		c.answer(c.request("session.options.update", `{"sessionId":"s1","MODEL":"other-model"}`))
		got := c.answer(c.request("session.model.getCurrent", `{"sessionId":"s1"}`))
		if !strings.Contains(string(got.result), "other-model") {
			t.Errorf("the model is %s", got.result)
		}
	})
}

// An answer to a form whose type is wrong ends the form: the program that asks gets an error with the reason.
func TestAFormEndsWithAnAnswerOfAWrongType(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.answer(c.request("session.create", `{"sessionId":"s1","requestElicitation":true}`))
		asked := c.request("session.ui.elicitation", `{"sessionId":"s1","message":"Name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`)
		synctest.Wait()
		var id string
		c.mu.Lock()
		for _, m := range c.heard {
			var sent struct {
				Params struct {
					Event struct{ Data struct{ RequestID string } }
				}
			}
			if json.Unmarshal(m.raw, &sent) == nil && sent.Params.Event.Data.RequestID != "" {
				id = sent.Params.Event.Data.RequestID
			}
		}
		c.mu.Unlock()
		got := c.answer(c.request("session.ui.handlePendingElicitation", `{"sessionId":"s1","requestId":"`+id+`","result":5}`))
		if !strings.Contains(got.failure.Message, "result is a JSON number") {
			t.Errorf("the client that answers: %s %q", got.result, got.failure.Message)
		}
		if got := c.answer(asked); !strings.Contains(got.failure.Message, "does not fit") {
			t.Errorf("the program that asks: %s %q", got.result, got.failure.Message)
		}
	})
}
