package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const nameForm = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

// The tool ask_user has another shape if a client has chosen it, under the same name.
func TestTheModelAsksWithAForm(t *testing.T) {
	for _, tc := range []struct{ name, arguments, answer, want string }{
		{"filled in", `{"message":"Who?","requestedSchema":` + nameForm + `}`, `{"action":"accept","content":{"name":"Mona"}}`, `User responded: {"name":"Mona"}`},
		{"declined", `{"message":"Who?","requestedSchema":` + nameForm + `}`, `{"action":"decline"}`, "The user declined to answer. Do not ask the same again; decide yourself, or end your answer here."},
		{"closed", `{"message":"Who?","requestedSchema":` + nameForm + `}`, `{"action":"cancel"}`, "The user closed the question without an answer. Go on without one, and say what you assumed."},
		{"no form", `{"message":"Who?","requestedSchema":{"type":"object","properties":{"a":{"type":"null"}}}}`, "", "The user was not asked: the field \"a\" of the form: the type \"null\" has no place in a form; it has texts, numbers, yes or no, and choices of texts only. Call ask_user again with another form."},
		{"no message", `{"message":"","requestedSchema":` + nameForm + `}`, "", "The message is empty. Call ask_user again with a message."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			equipped(t, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", RequestElicitation: yes(), AskUserVariant: "elicitation"})
				s.send("go")
				if tc.answer != "" {
					e := s.until("elicitation.requested")
					var a wire.ElicitationAnswer
					if err := json.Unmarshal([]byte(tc.answer), &a); err != nil {
						t.Fatal(err)
					}
					if ok, err := s.s.Questions().AnswerElicitation(context.Background(), field(e, "requestId"), a); !ok || err != nil {
						t.Errorf("the answer was not taken: %v", err)
					}
				}
				s.until("session.idle")
				if got := d.conversation(); !strings.Contains(got, "tool: "+tc.want+"\n") {
					t.Errorf("conversation:\n%s", got)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask_user", tc.arguments)}}, modeltest.Reply{Text: "done"})
		})
	}
}

func limited() modeltest.Reply {
	return modeltest.Failure(429, "user_weekly_rate_limited", "wait")
}

// One client is called and asked whether the run continues on another model; one that fails has
// not agreed.
func TestAClientIsAskedForAnotherModel(t *testing.T) {
	for _, tc := range []struct {
		name, response, models string
		fails                  error
		want                   string // the model of the answer; "" for none
		asked                  int
	}{
		{"yes", "yes", `["m","auto","other"]`, nil, "auto", 1},
		{"without auto", "yes", `["m","other"]`, nil, "other", 1},
		{"no other model", "yes", `["m"]`, nil, "", 0},
		{"no", "no", `["m","auto"]`, nil, "", 1},
		{"an unknown answer", "later", `["m","auto"]`, nil, "", 1},
		{"a handler that fails", "", `["m","auto"]`, errors.New("no window"), "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":` + strings.ReplaceAll(strings.Trim(tc.models, "[]"), `,`, `},{"id":`) + `}]}`})
				asked := 0
				s := d.createWith(wire.Config{SessionID: "s1", RequestSwitch: yes()}, peer{"autoModeSwitch.request": func(params map[string]any) (any, error) {
					asked++
					if params["errorCode"] != "user_weekly_rate_limited" || params["sessionId"] != "s1" {
						t.Errorf("asked %v", params)
					}
					return map[string]any{"response": tc.response}, tc.fails
				}})
				s.send("go")
				s.until("session.idle")
				requests := d.model.Requests()
				last := requests[len(requests)-1].Model
				if asked != tc.asked || tc.want != "" && last != tc.want || (tc.want == "") != (count(s.told, "session.error") == 1) {
					t.Errorf("asked %d times, the last call was of %s; received:\n%s", asked, last, types(s.told))
				}
				if n := count(s.told, "auto_mode_switch.completed"); n != tc.asked {
					t.Errorf("%d questions have ended, want %d", n, tc.asked)
				}
			}, limited(), modeltest.Reply{Text: "done", Repeat: true})
		})
	}
}

// A run is asked about once: if the other model is limited, too, the run fails.
func TestARunSwitchesItsModelOnce(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"m"},{"id":"other"}]}`})
		s := d.createWith(wire.Config{SessionID: "s1", RequestSwitch: yes()}, peer{"autoModeSwitch.request": func(map[string]any) (any, error) {
			return map[string]any{"response": "yes_always"}, nil
		}})
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "session.model_change"); n != 1 || count(s.told, "session.error") != 1 {
			t.Errorf("%d changes; received:\n%s", n, types(s.told))
		}
	}, limited(), limited())
}

// The question of an MCP server that no client can answer is declined at once, and all clients
// see that. Sampling is refused with the error alone.
func TestAnMCPServerAsksNobody(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		a, err := s.s.Questions().Elicit(context.Background(), approval.Elicitation{Source: "files", Message: "Who?", Schema: json.RawMessage(nameForm)})
		if !errors.Is(err, tool.ErrNobody) || a.Action != approval.Declined {
			t.Errorf("Elicit: %+v, %v", a, err)
		}
		told := s.rest()
		if count(told, "elicitation.requested") != 1 || count(told, "elicitation.completed") != 1 || field(told[len(told)-1], "action") != "decline" {
			t.Errorf("received:\n%s", types(told))
		}
		if _, err := s.s.Questions().Sample(context.Background(), approval.Sampling{Server: "files", RequestID: json.RawMessage("7")}); !errors.Is(err, tool.ErrNobody) {
			t.Errorf("Sample: %v", err)
		}
	})
}

// A client that is interested in sampling.requested answers it; it may leave and be followed by
// another.
func TestAnMCPServerGetsATextOfAModel(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		if err := s.client.Interest(context.Background(), "sampling.requested"); err != nil {
			t.Fatal(err)
		}
		got := make(chan json.RawMessage, 1)
		go func() {
			result, err := s.s.Questions().Sample(context.Background(), approval.Sampling{Server: "files", RequestID: json.RawMessage("7"), Params: json.RawMessage(`{"maxTokens":9}`)})
			if err != nil {
				t.Errorf("Sample: %v", err)
			}
			got <- result
		}()
		e := s.until("sampling.requested")
		if field(e, "serverName") != "files" || field(e, "mcpRequestId") != "7" || field(e, "request", "maxTokens") != "9" {
			t.Errorf("the event is %s", e.Data)
		}
		next := d.resume(wire.Config{SessionID: "s1"})
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		if ok, err := next.s.Questions().AnswerSampling(context.Background(), field(e, "requestId"), json.RawMessage(`{"role":"assistant"}`)); !ok || err != nil {
			t.Errorf("the answer was not taken: %v", err)
		}
		if result := <-got; string(result) != `{"role":"assistant"}` {
			t.Errorf("the result is %s", result)
		}
	})
}

// An interest that was given back does not count.
func TestAnInterestEnds(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		for range 2 {
			if err := errors.Join(s.client.Interest(context.Background(), "sampling.requested"), s.client.Disinterest(context.Background(), "sampling.requested")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.s.Questions().Sample(context.Background(), approval.Sampling{Server: "files"}); !errors.Is(err, tool.ErrNobody) {
			t.Errorf("Sample: %v", err)
		}
	})
}

// A client that resumes on its connection keeps its interests and handlers.
func TestAnInterestOutlivesAResumeOnTheConnection(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"m"},{"id":"auto"}]}`})
		s := d.create(wire.Config{SessionID: "s1"})
		if err := s.client.Interest(context.Background(), "sampling.requested"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.client.HandleSwitches(context.Background()); err != nil {
			t.Fatal(err)
		}
		c, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil, s.client)
		if err != nil {
			t.Fatal(err)
		}
		again := d.sit(c)
		again.send("go")
		e := again.until("auto_mode_switch.requested")
		if ok, err := again.s.Questions().AnswerSwitch(context.Background(), field(e, "requestId"), wire.SwitchYes); !ok || err != nil {
			t.Errorf("the answer was not taken: %v", err)
		}
		again.until("session.idle")
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			_, err := again.s.Questions().Sample(ctx, approval.Sampling{Server: "files"})
			ended <- err
		}()
		again.until("sampling.requested")
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Sample: %v", err)
		}
	}, limited(), modeltest.Reply{Text: "done"})
}

// The questions that are open at once are bounded.
func TestQuestionsAreBounded(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", RequestElicitation: yes()})
		ctx, cancel := context.WithCancel(context.Background())
		refused := make(chan error, 101)
		for range 101 {
			go func() {
				_, err := s.s.Questions().Elicit(ctx, approval.Elicitation{Message: "Who?", Schema: json.RawMessage(nameForm)})
				refused <- err
			}()
		}
		if err := <-refused; fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the 101st question: %v", err)
		}
		cancel()
		synctest.Wait()
		if told := s.rest(); count(told, "elicitation.completed") != 100 {
			t.Errorf("%d questions have ended, want 100", count(told, "elicitation.completed"))
		}
	})
}

// A server whose forms the user declines again and again is declined without a question, and the user is
// told once. A message of the user ends this. Other servers are asked as before.
func TestAFloodOfFormsIsDeclined(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", RequestElicitation: yes()})
		questions := s.s.Questions()
		elicit := func(source string) chan string {
			action := make(chan string, 1)
			go func() {
				a, err := questions.Elicit(context.Background(), approval.Elicitation{Source: source, Message: "Who?", Schema: json.RawMessage(nameForm)})
				if err != nil {
					t.Errorf("Elicit: %v", err)
				}
				action <- a.Action
			}()
			return action
		}
		decline := func(source string) {
			action := elicit(source)
			id := field(s.until("elicitation.requested"), "requestId")
			if ok, err := questions.AnswerElicitation(context.Background(), id, wire.ElicitationAnswer{Action: approval.Declined}); !ok || err != nil {
				t.Errorf("AnswerElicitation: %v, %v", ok, err)
			}
			<-action
		}
		for range 5 {
			decline("pizza")
		}
		for range 3 {
			if a := <-elicit("pizza"); a != approval.Declined {
				t.Errorf("the action is %q, want declined", a)
			}
		}
		synctest.Wait()
		told := s.rest()
		if count(told, "elicitation.requested") != 5 || count(told, "session.warning") != 1 {
			t.Errorf("%d questions and %d warnings, want 5 and 1", count(told, "elicitation.requested"), count(told, "session.warning"))
		}
		decline("pasta")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "go on"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		decline("pizza")
	}, modeltest.Reply{Text: "done"})
}

// A server that withdraws its forms, and asks again, is declined as one whose forms the user declines.
func TestAFloodOfWithdrawnFormsIsDeclined(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", RequestElicitation: yes()})
		form := approval.Elicitation{Source: "pizza", Message: "Who?", Schema: json.RawMessage(nameForm)}
		for range 5 {
			ctx, cancel := context.WithCancel(context.Background())
			withdrawn := make(chan error, 1)
			go func() {
				_, err := s.s.Questions().Elicit(ctx, form)
				withdrawn <- err
			}()
			s.until("elicitation.requested")
			cancel()
			if err := <-withdrawn; !errors.Is(err, context.Canceled) {
				t.Errorf("Elicit = %v", err)
			}
		}
		if a, err := s.s.Questions().Elicit(context.Background(), form); a.Action != approval.Declined || err != nil {
			t.Errorf("the sixth form: %v, %v", a, err)
		}
	})
}

// Forms that a server opens all at once are bounded, too.
func TestOpenFormsOfAServerAreBounded(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", RequestElicitation: yes()})
		ctx, cancel := context.WithCancel(context.Background())
		declined := make(chan string, 30)
		for range 30 {
			go func() {
				a, err := s.s.Questions().Elicit(ctx, approval.Elicitation{Source: "pizza", Message: "Who?", Schema: json.RawMessage(nameForm)})
				if err == nil {
					declined <- a.Action
				}
			}()
		}
		synctest.Wait()
		told := s.rest()
		if len(declined) != 20 || count(told, "elicitation.requested") != 10 || count(told, "session.warning") != 1 {
			t.Errorf("%d declined, %d asked, %d warnings; want 20, 10 and 1", len(declined), count(told, "elicitation.requested"), count(told, "session.warning"))
		}
		cancel()
		synctest.Wait()
	})
}

// A side question may be asked while a run waits for a tool. It gets the conversation up to
// that call, and leaves no trace.
func TestASideQuestionDuringARun(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		e := s.until("external_tool.requested")
		answer, err := s.client.EphemeralQuery(context.Background(), "How far are you?")
		if err != nil || answer != "halfway" {
			t.Errorf("EphemeralQuery: %q, %v", answer, err)
		}
		request := d.model.Requests()[1]
		if len(request.Tools) != 0 || strings.Contains(string(request.Raw), "interrupted") || !strings.Contains(string(request.Raw), "How far are you?") {
			t.Errorf("the request is %s", request.Raw)
		}
		if !s.reply(field(e, "requestId"), `"result":"found"`) {
			t.Error("the call does not wait any more")
		}
		s.until("session.idle")
		if diff := cmp.Diff("user: go\nassistant: [lookup {\"q\":\"1\"}]\ntool: found\n", d.conversation()); diff != "" {
			t.Errorf("conversation (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "halfway"},
		modeltest.Reply{Text: "done"},
	)
}

// A side question ends when its client leaves.
func TestASideQuestionEndsWithItsClient(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s, other := d.create(wire.Config{SessionID: "s1"}), d.resume(wire.Config{SessionID: "s1"})
		failed := make(chan error, 1)
		go func() {
			_, err := s.client.EphemeralQuery(context.Background(), "Are you there?")
			failed <- err
		}()
		other.until("ui.ephemeral_query")
		synctest.Wait()
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; err == nil {
			t.Error("the question was answered")
		}
		if e := other.until("ui.ephemeral_query"); field(e, "phase") != "aborted" {
			t.Errorf("the last event is %s", e.Data)
		}
	}, modeltest.Reply{Silent: true})
}
