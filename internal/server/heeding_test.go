package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
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
		for _, name := range []string{"session.mode.set", "session.queue.clear", "session.model.switchTo"} {
			member := "invented_" + strings.ReplaceAll(name, ".", "_")
			c.answer(c.request(name, `{"sessionId":"s1","modelId":"m","mode":"plan","`+member+`":1}`))
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

// A call that only reads leaves the session's log as it is, whatever members it has. Its answer names them, if it
// is an object.
func TestACallThatReadsWritesNothing(t *testing.T) {
	leaving := []string{"session.delete", "session.destroy", "session.detach", "session.suspend", "sessions.bulkDelete", "sessions.close", "sessions.delete", "sessions.releaseLock"}
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		named := 0
		for _, name := range server.Reads() {
			if slices.Contains(leaving, name) {
				continue
			}
			got := c.answer(c.request(name, `{"sessionId":"s1","inventedTomorrow":1}`))
			synctest.Wait()
			if warned(p, "inventedTomorrow") {
				t.Fatalf("%s wrote a warning to the log", name)
			}
			if len(got.result) == 0 || got.result[0] != '{' {
				continue
			}
			if named++; !strings.Contains(string(got.result), `"settingsIgnored":"These settings have no effect in this version. inventedTomorrow`) {
				t.Errorf("%s does not name the member: %.300s", name, got.result)
			}
			if !json.Valid(got.result) {
				t.Errorf("%s answers with no JSON: %.300s", name, got.result)
			}
		}
		if named < 60 {
			t.Errorf("%d methods that read have named the member, want at least 60", named)
		}
		if got := c.call("session.mode.get", `{"sessionId":"s1","inventedTomorrow":1}`); string(got) != `"interactive"` {
			t.Errorf("an answer that is no object is %s", got)
		}
		if got := c.call("session.name.set", `{"sessionId":"s1","name":"n","inventedTomorrow":1}`); string(got) != "null" {
			t.Errorf("an answer that is null is %s", got)
		}
	})
}

func warned(p *process, of string) bool {
	return slices.ContainsFunc(p.stored("s1"), func(line json.RawMessage) bool {
		return strings.Contains(string(line), "settings_ignored") && strings.Contains(string(line), of)
	})
}

// Members that a method takes in an object, and on which it does not act, are named, too.
func TestMembersWithoutEffectAreNamed(t *testing.T) {
	for _, tc := range []struct{ method, params, want string }{
		{"session.queue.insertAt", `"position":0,"message":{"prompt":"hi","wait":true}`, "message.wait: "},
		{"session.queue.insertAt", `"position":0,"message":{"prompt":"hi","mode":"immediate"}`, "message.mode: "},
		{"session.sendMessages", `"messages":[{"prompt":"hi","prepend":true}]`, "messages[].prepend: "},
		{"session.permissions.setMode", `"mode":"prompt","assistedApprovalModel":"judge"`, "assistedApprovalModel: "},
		{"session.shutdown", `"detachSessionEndHooks":true`, "detachSessionEndHooks: "},
		{"session.tasks.sendMessage", `"id":"t","message":"hi","fromAgentId":"a"`, "fromAgentId: "},
	} {
		t.Run(tc.want, func(t *testing.T) {
			inBubble(t, setup{}, func(t *testing.T, p *process) {
				c := p.connect()
				c.call("session.create", `{"sessionId":"s1"}`)
				c.answer(c.request(tc.method, `{"sessionId":"s1",`+tc.params+`}`))
				synctest.Wait()
				if !warned(p, tc.want) {
					t.Errorf("no warning of %s names %q", tc.method, tc.want)
				}
			}, modeltest.Reply{Text: "hello"})
		})
	}
}

// A switch that requires an available model fails if the model is not listed, and changes nothing.
func TestASwitchRequiresAnAvailableModel(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1","model":"before"}`)
		got := c.answer(c.request("session.model.switchTo", `{"sessionId":"s1","modelId":"nowhere","requireAvailable":true}`))
		if want := `session.model.switchTo s1: the model "nowhere" is not in the list of available models (choose one of session.model.list, or leave out requireAvailable)`; !strings.Contains(got.failure.Message, want) {
			t.Errorf("a model that is not listed: %s %q, want %q", got.result, got.failure.Message, want)
		}
		if now := c.call("session.model.getCurrent", `{"sessionId":"s1"}`); !strings.Contains(string(now), "before") {
			t.Errorf("the model is %s", now)
		}
		c.call("session.model.switchTo", `{"sessionId":"s1","modelId":"test-model","requireAvailable":true}`)
		if now := c.call("session.model.getCurrent", `{"sessionId":"s1"}`); !strings.Contains(string(now), "test-model") {
			t.Errorf("the model is %s", now)
		}
	})
	inBubble(t, setup{NoProvider: true}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		got := c.answer(c.request("session.model.switchTo", `{"sessionId":"s1","modelId":"m","requireAvailable":true}`))
		if want := "requireAvailable is set, and the models that are available cannot be listed"; !strings.Contains(got.failure.Message, want) {
			t.Errorf("without a list: %s %q", got.result, got.failure.Message)
		}
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

// A client that joins with a GitHub token, and without a name, does not reset the name by which the session calls its
// models.
func TestAJoinWithATokenKeepsTheClientsName(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		a, b := p.connect(), p.connect()
		a.call("session.create", `{"sessionId":"s1","clientName":"first-program"}`)
		b.call("session.resume", `{"sessionId":"s1","gitHubToken":"token-of-b"}`)
		a.call("session.send", `{"sessionId":"s1","prompt":"Hello."}`)
		a.event("s1", "session.idle", 1)
		requests := p.model.Requests()
		if got := requests[len(requests)-1].Header.Get("User-Agent"); !strings.Contains(got, "first-program") {
			t.Errorf("the model is called by %q", got)
		}
	}, modeltest.Reply{Text: "Hello."})
}
