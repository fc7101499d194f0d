package question

import (
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The field for the reason takes what is typed as soon as it is shown, however fast; a yes needs no field,
// so that letters after its own are still text for the input box.
func TestTheReasonIsTypedAtOnce(t *testing.T) {
	q := &Queue{}
	q.Add(command(t, "git status", "shell(git status)"))
	now := start
	show(q, 80, 24, now)
	now = now.Add(2 * time.Second)
	var last Result
	for _, k := range []string{"n", "n", "o", "w", "enter"} {
		if last = q.Key(key(k), now); !last.Taken || last.Typed != "" {
			t.Fatalf("%q is not the question's; the box gets %q", k, last.Typed)
		}
		show(q, 80, 24, now)
		now = now.Add(20 * time.Millisecond)
	}
	if last.Answered == nil || last.Answer.Permit.Outcome != permit.Rejected || last.Answer.Permit.Feedback != "now" {
		t.Errorf("the answer is %+v", last.Answer)
	}
}

// A field that was painted for an earlier mark is not the one that a letter opens anew.
func TestTheReasonIsNotOpenBeforeItIsShownAgain(t *testing.T) {
	q := &Queue{}
	q.Add(command(t, "git status", "shell(git status)"))
	show(q, 80, 24, start)
	now := start.Add(2 * time.Second)
	q.Key(key("n"), now)
	show(q, 80, 24, now)
	q.Key(key("esc"), now.Add(time.Second))
	q.Key(key("n"), now.Add(2*time.Second))
	if r := q.Key(key("o"), now.Add(2*time.Second)); r.Typed != "no" {
		t.Errorf("the box gets %q, want %q", r.Typed, "no")
	}
}
