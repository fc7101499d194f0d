package approval

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// asker is the questions of a fake session, whose client is the one that answers.
type asker struct {
	*fake
	client Client // nil for none
	others []Client
}

func (a *asker) Latest(Ability) Client { return a.client }

func (a *asker) Answerers(Ability) []Client {
	if a.client == nil {
		return a.others
	}
	return append([]Client{a.client}, a.others...)
}

// quiet is the part of a client that is not called.
type quiet struct{}

func (quiet) Can(Ability) bool { return true }

func (quiet) Send(string, wire.Data) {}

// silent is a client that never answers.
type silent struct {
	quiet
	attached context.Context
}

func (s silent) Call(ctx context.Context, _ string, _, _ any) error {
	<-ctx.Done()
	return ctx.Err()
}

func (s silent) Attached() context.Context { return s.attached }

// A question of a sub-agent carries its agent id. Whichever client answers first ends it.
func TestAQuestionIsAnsweredByACallOfAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &asker{fake: &fake{}, client: silent{attached: t.Context()}}
		o := NewQuestions(f, f, "s1")
		got := make(chan tool.UserAnswer, 1)
		go func() {
			a, err := o.AskUser(t.Context(), tool.Call{AgentID: "agent-1", ID: "c1"}, tool.Question{Text: "Which?"})
			if err != nil {
				t.Errorf("AskUser: %v", err)
			}
			got <- a
		}()
		synctest.Wait()
		asked := f.of("user_input.requested")
		if len(asked) != 1 || asked[0].AgentID != "agent-1" || !o.Waiting() {
			t.Fatalf("sent %+v, want one question of the agent", asked)
		}
		id := wire.Raw(asked[0].Data).Get("requestId").Text()
		for i, want := range []bool{true, false} {
			if ok, err := o.AnswerUserInput(t.Context(), id, wire.UserInputAnswer{Answer: "b"}); ok != want || err != nil {
				t.Errorf("answer %d: %v, %v", i, ok, err)
			}
		}
		if a := <-got; a.Text != "b" {
			t.Errorf("the tool got %+v", a)
		}
		if done := f.of("user_input.completed"); len(done) != 1 || done[0].AgentID != "agent-1" {
			t.Errorf("sent %+v, want one end", done)
		}
		f.fake.running.Wait() // the client is no longer asked
	})
}

func TestAQuestionWithoutAClientFailsAtOnce(t *testing.T) {
	f := &asker{fake: &fake{}}
	_, err := NewQuestions(f, f, "s1").ApprovePlan(t.Context(), tool.Call{}, tool.Plan{}, "")
	if !errors.Is(err, tool.ErrNobody) || len(f.sent) != 0 {
		t.Errorf("ApprovePlan: %v, and %d events", err, len(f.sent))
	}
}

// A question goes to the client that stays when the one that was asked leaves.
func TestAQuestionMovesToAClientThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		leaves := silent{attached: ctx}
		f := &asker{fake: &fake{}, client: leaves}
		o := NewQuestions(f, f, "s1")
		got := make(chan tool.PlanAnswer, 1)
		go func() {
			a, err := o.ApprovePlan(t.Context(), tool.Call{}, tool.Plan{Recommended: "autopilot"}, "plan")
			if err != nil {
				t.Errorf("ApprovePlan: %v", err)
			}
			got <- a
		}()
		synctest.Wait()
		leave()
		f.client = approving{attached: t.Context()}
		_ = f.Post(t.Context(), func() error { o.Left(leaves); return nil })
		if a := <-got; !a.Approved || a.Action != "autopilot" {
			t.Errorf("the tool got %+v", a)
		}
		f.fake.running.Wait()
	})
}

// approving is a client that approves every plan.
type approving struct {
	quiet
	attached context.Context
}

func (a approving) Call(_ context.Context, _ string, _, result any) error {
	result.(*wire.PlanAnswer).Approved = true
	return nil
}

func (a approving) Attached() context.Context { return a.attached }

// unfit is a question of one kind, and an answer that does not fit it.
type unfit struct {
	ask    func(ctx context.Context, o *Questions) error
	answer func(ctx context.Context, o *Questions, id string) error
	event  wire.EventType
}

func unfitAnswers() map[string]unfit {
	choice, plan := tool.Question{Text: "Which?", Choices: []string{"a", "b"}}, tool.Plan{Actions: []string{"interactive"}, Recommended: "interactive"}
	return map[string]unfit{
		"a choice": {
			func(ctx context.Context, o *Questions) error {
				_, err := o.AskUser(ctx, tool.Call{}, choice)
				return err
			},
			func(ctx context.Context, o *Questions, id string) error {
				_, err := o.AnswerUserInput(ctx, id, wire.UserInputAnswer{Answer: "c"})
				return err
			}, "user_input.requested",
		},
		"a plan": {
			func(ctx context.Context, o *Questions) error {
				_, err := o.ApprovePlan(ctx, tool.Call{}, plan, "")
				return err
			},
			func(ctx context.Context, o *Questions, id string) error {
				_, err := o.AnswerPlan(ctx, id, wire.PlanAnswer{Approved: true, SelectedAction: "fleet"})
				return err
			}, "exit_plan_mode.requested",
		},
		"a switch of the model": {
			func(ctx context.Context, o *Questions) error { _, err := o.SwitchModel(ctx, RateLimit{}); return err },
			func(ctx context.Context, o *Questions, id string) error {
				_, err := o.AnswerSwitch(ctx, id, "perhaps")
				return err
			},
			"auto_mode_switch.requested",
		},
		"a limit": {
			func(ctx context.Context, o *Questions) error { _, err := o.RaiseLimit(ctx, 2, 1); return err },
			func(ctx context.Context, o *Questions, id string) error {
				_, err := o.AnswerLimit(ctx, id, wire.LimitAnswer{Action: wire.LimitSet})
				return err
			}, "session_limits_exhausted.requested",
		},
		"a token": {
			func(ctx context.Context, o *Questions) error {
				_, err := o.SignIn(ctx, wire.MCPAuthRequired{})
				return err
			},
			func(ctx context.Context, o *Questions, id string) error {
				_, err := o.AnswerSignIn(ctx, id, &wire.MCPToken{})
				return err
			},
			"mcp.oauth_required",
		},
	}
}

// An answer that does not fit its question is an error to the client that gives it, and the question ends
// with an error if no other client can answer: the asker does not wait for ever.
func TestAnAnswerThatDoesNotFitEndsTheQuestion(t *testing.T) {
	for name, tc := range unfitAnswers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				f := &asker{fake: &fake{}, client: silent{attached: ctx}}
				o := NewQuestions(f, f, "s1")
				got := make(chan error, 1)
				go func() { got <- tc.ask(ctx, o) }()
				synctest.Wait()
				id := ""
				for id = range o.open {
				}
				if len(f.of(tc.event)) != 1 || id == "" {
					t.Fatalf("the question was not sent")
				}
				if err := tc.answer(ctx, o, id); fault.KindOf(err) != fault.Invalid {
					t.Errorf("the client gets %v", err)
				}
				synctest.Wait()
				select {
				case err := <-got:
					if err == nil {
						t.Error("the asker gets no error")
					}
				default:
					t.Error("the asker still waits")
				}
			})
		})
	}
}

// Each client may give one answer that does not fit. A second one of the same client does not end a question that
// another client can still answer, also after the first has left.
func TestAClientsSecondWrongAnswerLeavesTheQuestionToTheOthers(t *testing.T) {
	for name, leaves := range map[string]bool{"it stays": false, "it leaves": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				a, b := &silent{attached: ctx}, &silent{attached: ctx}
				f := &asker{fake: &fake{}, client: a, others: []Client{b}}
				o := NewQuestions(f, f, "s1")
				got := make(chan tool.UserAnswer, 1)
				go func() {
					answer, err := o.AskUser(ctx, tool.Call{}, tool.Question{Text: "Which?", Choices: []string{"a", "b"}})
					if err != nil {
						t.Errorf("the asker gets %v", err)
					}
					got <- answer
				}()
				synctest.Wait()
				id := ""
				for id = range o.open {
				}
				for range 2 {
					if _, err := o.AnswerUserInput(AnsweredBy(ctx, a), id, wire.UserInputAnswer{Answer: "c"}); fault.KindOf(err) != fault.Invalid {
						t.Errorf("the client gets %v", err)
					}
				}
				if leaves {
					f.client = nil
					_ = f.Post(ctx, func() error { o.Left(a); return nil })
				}
				if ok, err := o.AnswerUserInput(AnsweredBy(ctx, b), id, wire.UserInputAnswer{Answer: "b"}); !ok || err != nil {
					t.Fatalf("the answer of the other client: %v, %v", ok, err)
				}
				if answer := <-got; answer.Text != "b" {
					t.Errorf("the asker gets %+v", answer)
				}
			})
		})
	}
}

// When the only client that could still answer leaves, the asker does not wait for one whose answer was refused.
func TestAQuestionEndsWhenOnlyRefusedClientsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a, b := &silent{attached: ctx}, &silent{attached: ctx}
		f := &asker{fake: &fake{}, client: a, others: []Client{b}}
		o := NewQuestions(f, f, "s1")
		got := make(chan error, 1)
		go func() {
			_, err := o.AskUser(ctx, tool.Call{}, tool.Question{Text: "Which?", Choices: []string{"a", "b"}})
			got <- err
		}()
		synctest.Wait()
		for id := range o.open {
			_, _ = o.AnswerUserInput(AnsweredBy(ctx, a), id, wire.UserInputAnswer{Answer: "c"})
		}
		f.others = nil
		_ = f.Post(ctx, func() error { o.Left(b); return nil })
		synctest.Wait()
		select {
		case err := <-got:
			if err == nil {
				t.Error("the asker gets no error")
			}
		default:
			t.Error("the asker still waits")
		}
	})
}

// An answer that raises a limit too little, or that is none, is not valid.
func TestAnswersThatDoNotRaiseALimit(t *testing.T) {
	little := 0.5
	for _, a := range []wire.LimitAnswer{{Action: "add"}, {Action: "add", AdditionalAiCredits: &little}, {Action: "set"}, {Action: "set", MaxAiCredits: &little}, {Action: "what"}} {
		if checkLimit(a, 3, 2) == nil {
			t.Errorf("%+v is valid", a)
		}
	}
}
