package approval

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// asker is the questions of a fake session, whose client is the one that answers.
type asker struct {
	*fake
	client Client // nil for none
}

func (a *asker) Latest(Ability) Client { return a.client }

func (a *asker) CanAnswer(Ability) bool { return a.client != nil }

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
