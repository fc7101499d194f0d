package question

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// at is a key at a time after the question was shown, in milliseconds.
type at struct {
	ms  int
	key string
}

const approved, rejected, open = "approved", "rejected", "open"

// guarded is keys at their times, and what becomes of the question and of the keys.
type guarded struct {
	before time.Duration // of the last key, before the question was shown; 0: none
	draft  bool          // the input box has text
	keys   []at
	want   string
	box    string // what has gone to the input box
}

func guards() map[string]guarded {
	return map[string]guarded{
		"marked and given":                     {0, false, []at{{600, "y"}, {900, "enter"}}, approved, ""},
		"with arrows":                          {0, false, []at{{600, "up"}, {700, "up"}, {800, "up"}, {950, "enter"}}, approved, ""},
		"by its number":                        {0, false, []at{{600, "1"}, {900, "enter"}}, approved, ""},
		"both at once":                         {0, false, []at{{600, "y"}, {600, "enter"}}, open, ""},
		"149 ms apart":                         {0, false, []at{{600, "y"}, {749, "enter"}}, open, ""},
		"150 ms apart":                         {0, false, []at{{600, "y"}, {750, "enter"}}, approved, ""},
		"at once, and enter again":             {0, false, []at{{600, "y"}, {600, "enter"}, {800, "enter"}}, approved, ""},
		"f is text":                            {0, false, []at{{600, "f"}, {700, "i"}, {800, "x"}}, open, "f i x"},
		"n is the beginning of a text":         {0, false, []at{{600, "n"}, {700, "o"}, {800, "w"}}, open, "no w"},
		"n, and a reason later":                {0, false, []at{{600, "n"}, {1600, "o"}, {1700, "k"}, {1800, "enter"}}, rejected, ""},
		"too soon":                             {0, false, []at{{499, "y"}, {500, "enter"}}, open, "y enter"},
		"the first too soon":                   {0, false, []at{{100, "y"}, {1200, "enter"}}, open, "y enter"},
		"enter alone opens the reason":         {0, false, []at{{600, "enter"}}, open, ""},
		"enter twice says no":                  {0, false, []at{{600, "enter"}, {700, "enter"}}, rejected, ""},
		"a letter alone gives nothing":         {0, false, []at{{600, "y"}, {5000, "down"}}, open, ""},
		"a key before":                         {700 * time.Millisecond, false, []at{{200, "enter"}, {600, "y"}, {700, "enter"}}, open, "enter y enter"},
		"a key a while before":                 {400 * time.Millisecond, false, []at{{601, "y"}, {751, "enter"}}, approved, ""},
		"a key shortly before":                 {400 * time.Millisecond, false, []at{{599, "y"}, {700, "enter"}}, open, "y enter"},
		"text in the box":                      {time.Minute, true, []at{{5000, "y"}, {6000, "enter"}}, open, "y enter"},
		"text in the box, and tab":             {time.Minute, true, []at{{5000, "tab"}, {6000, "y"}, {6150, "enter"}}, approved, ""},
		"tab too soon":                         {time.Minute, true, []at{{400, "tab"}, {600, "y"}, {700, "enter"}}, open, "tab y enter"},
		"a word is text":                       {0, false, []at{{600, "a"}, {700, "l"}, {800, "s"}, {900, "o"}, {1000, "enter"}}, open, "al s o enter"},
		"yes as a word":                        {0, false, []at{{600, "y"}, {700, "e"}, {800, "s"}, {900, "enter"}}, open, "ye s enter"},
		"a word of two letters":                {0, false, []at{{600, "j"}, {700, "a"}, {800, "enter"}}, open, ""},
		"a slow typist":                        {0, false, []at{{600, "y"}, {2600, "e"}, {4600, "enter"}}, open, "e enter"},
		"a letter after another":               {0, false, []at{{600, "y"}, {1700, "a"}, {1900, "enter"}}, approved, ""},
		"a letter that is none of ours":        {0, false, []at{{600, "x"}, {2000, "y"}, {2100, "enter"}}, open, "x y enter"},
		"scrolling takes the mark away":        {0, false, []at{{600, "y"}, {1700, "j"}, {3000, "enter"}}, open, ""},
		"stop":                                 {0, false, []at{{600, "q"}, {800, "enter"}}, "stop", ""},
		"later":                                {0, false, []at{{600, "esc"}, {2000, "y"}, {2100, "enter"}}, open, "y enter"},
		"later, and tab":                       {0, false, []at{{600, "esc"}, {2000, "tab"}, {2100, "y"}, {2300, "enter"}}, approved, ""},
		"esc in the reason only closes it":     {0, false, []at{{600, "n"}, {700, "esc"}, {1700, "y"}, {1900, "enter"}}, approved, ""},
		"ctrl+c is never the question's":       {0, false, []at{{600, "y"}, {700, "ctrl+c"}}, open, "ctrl+c"},
		"mode and other keys of the input box": {0, false, []at{{600, "left"}, {700, "ctrl+r"}}, open, ""},
	}
}

// Whose the keys are, and what they do, as a table of times and keys.
func TestGuard(t *testing.T) {
	for name, tc := range guards() {
		t.Run(name, func(t *testing.T) { tc.run(t, &Queue{}) })
	}
}

// run gives the keys to a queue with one question.
func (tc *guarded) run(t *testing.T, q *Queue) {
	t.Helper()
	if q.Draft = tc.draft; tc.before > 0 {
		q.Key(key("x"), start.Add(-tc.before))
	}
	q.Add(command(t, "git status", "shell(git status)"))
	show(q, 80, 24, start)
	got, box := open, ""
	for _, k := range tc.keys {
		r := q.Key(key(k.key), start.Add(time.Duration(k.ms)*time.Millisecond))
		to := r.Typed
		if !r.Taken {
			to, q.Draft = k.key, true
		}
		if to != "" && box != "" {
			box += " "
		}
		box += to
		switch {
		case r.Answered == nil:
		case r.Answer.Stop:
			got = "stop"
		case r.Answer.Permit.Outcome == permit.Approved:
			got = approved
		default:
			got = rejected
		}
	}
	if got != tc.want || box != tc.box {
		t.Errorf("the question is %s, want %s; the box has %q, want %q", got, tc.want, box, tc.box)
	}
}

// randomKeys are keys as people press them: letters of every question, and those that answer.
var randomKeys = []string{
	"y", "a", "l", "s", "n", "q", "1", "2", "3", "enter", "enter", "enter", "up", "down", "tab", "shift+tab", "esc", "space", "j", "k", "f", "x", "e", "pgdown", "end", "home", "left", "ctrl+o", "backspace",
}

// Within the guard, no keys answer a question, whatever they are: neither in the first half second,
// nor while the user writes, unless the user moves to the question.
func TestNoKeyWithinTheGuardAnswers(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 4))
	all := kinds(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for n := range 4_000 {
		q, now := &Queue{}, start
		draft := random.IntN(2) == 0
		if q.Draft = draft; !draft {
			q.Key(key("x"), now.Add(-time.Duration(random.IntN(3000))*time.Millisecond))
		}
		q.Add(all[names[random.IntN(len(names))]])
		show(q, 80, 24, now)
		var pressed []string
		for range 12 {
			name := randomKeys[random.IntN(len(randomKeys))]
			if draft {
				now = now.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
				if name == "tab" {
					continue
				}
			} else if now = now.Add(time.Duration(random.IntN(60)) * time.Millisecond); now.Sub(start) >= Settle {
				break
			}
			pressed = append(pressed, name)
			r := q.Key(key(name), now)
			if r.Answered != nil || r.Taken {
				t.Fatalf("run %d: %v was taken: %+v", n, pressed, r)
			}
		}
	}
}

// A typed message never approves, with less than a second between two keys: a word with Enter behind
// it does not; a single y does.
func TestNoMessageApproves(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 5))
	words := []string{"yes please", "also fix the tests", "ya", "ay", "sky", "ally", "lay", "say", "jay", "slay", "ssh into it", "all", "ja", "12", "y e s", "1 more", "fly", "klay", "yy", "aa", "ll", "ss"}
	for n := range 5_000 {
		q, now := &Queue{}, start
		asked := request(t, `{"kind":"shell","fullCommandText":"x","canOfferSessionApproval":true}`, permit.Placed{Place: permit.InWorkspace, AutoAllowable: true}, "shell(x)")
		q.Add(asked)
		show(q, 80, 24, now)
		now = now.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
		text := words[random.IntN(len(words))]
		for _, c := range text + "\r" {
			k := key(string(c))
			if c == '\r' {
				k = input.Key{Name: "enter"}
			}
			now = now.Add(time.Duration(30+random.IntN(900)) * time.Millisecond)
			r := q.Key(k, now)
			if r.Answered != nil && r.Answer.Permit.Outcome == permit.Approved {
				t.Fatalf("run %d: %q approved: %+v", n, text, r.Answer)
			}
			if !r.Taken || r.Typed != "" {
				q.Draft = true
			}
		}
	}
}

// Questions are answered in the order of their arrival. After an answer, the keys stay with the
// questions, but each has its own guard, and a key that is held down answers none.
func TestSeveralQuestions(t *testing.T) {
	q := &Queue{}
	var asked []*question.Question
	for range 3 {
		asked = append(asked, command(t, "git status", "shell(git status)"))
		q.Add(asked[len(asked)-1])
	}
	ms := func(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }
	show(q, 80, 24, start)
	q.Key(key("y"), ms(550))
	if r := q.Key(key("enter"), ms(700)); r.Answered != asked[0] {
		t.Fatalf("answered %+v", r)
	}
	show(q, 80, 24, ms(710))
	for n := 730; n < 2000; n += 30 { // Enter is held down
		if r := q.Key(key("enter"), ms(n)); !r.Taken || r.Answered != nil {
			t.Fatalf("at %d: %+v", n, r)
		}
		show(q, 80, 24, ms(n))
	}
	q.Key(key("y"), ms(2300))
	if r := q.Key(key("enter"), ms(2500)); r.Answered != asked[1] || r.Answer.Permit.Outcome != permit.Approved {
		t.Fatalf("answered %+v", r)
	}
	show(q, 80, 24, ms(2510))
	if r := q.Key(key("y"), ms(2600)); !r.Taken || r.Answered != nil {
		t.Fatalf("too soon: %+v", r)
	}
	q.Key(key("n"), ms(3100))
	if r := q.Key(key("enter"), ms(3200)); r.Answered != asked[2] || r.Answer.Permit.Outcome != permit.Rejected || q.Len() != 0 {
		t.Fatalf("answered %+v", r)
	}
}

// A question keeps what was typed into it while another one is shown, and one that is withdrawn
// takes no key with it.
func TestWithdrawn(t *testing.T) {
	q := &Queue{}
	first, second := command(t, "git status"), command(t, "git push")
	q.Add(first)
	show(q, 80, 24, start)
	ms := func(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }
	q.Key(key("y"), ms(600))
	q.Add(second)
	if note, ok := q.Withdraw(first, ms(700)); !ok || note != "the question no longer needs an answer: Allow: run $ git status" {
		t.Errorf("withdrawn: %q, %v", note, ok)
	}
	if r := q.Key(key("enter"), ms(750)); !r.Taken || r.Answered != nil {
		t.Errorf("the key for the question that was withdrawn: %+v", r)
	}
	show(q, 80, 24, ms(760))
	if r := q.Key(key("enter"), ms(900)); !r.Taken || r.Answered != nil {
		t.Errorf("the next one was not read: %+v", r)
	}
	if _, ok := q.Withdraw(first, ms(1000)); ok {
		t.Error("withdrawn twice")
	}
	if q.Len() != 1 || q.Find("r") != second {
		t.Errorf("%d are left", q.Len())
	}
	q.Key(key("down"), ms(8000))
	if _, ok := q.Withdraw(second, ms(9000)); !ok || q.Len() != 0 {
		t.Error("the last one stays")
	}
	if r := q.Key(key("enter"), ms(9400)); !r.Taken || r.Answered != nil {
		t.Errorf("a key that was meant for the last one: %+v", r)
	}
	if r := q.Key(key("x"), ms(9600)); r.Taken {
		t.Errorf("a key without questions: %+v", r)
	}
}

// The caller learns when to ring, and when to paint again.
func TestAttentionAndWake(t *testing.T) {
	q := &Queue{}
	if q.WantsAttention() || !q.Wake(start).IsZero() || q.Has(start) {
		t.Error("an empty queue wants something")
	}
	q.Key(key("x"), start.Add(-200*time.Millisecond))
	q.Add(command(t, "git status"))
	show(q, 80, 24, start)
	if !q.WantsAttention() {
		t.Error("a question wants no attention")
	}
	if due := q.Wake(start); !due.Equal(start.Add(800 * time.Millisecond)) {
		t.Errorf("wakes at %v", due)
	}
	if q.Has(start.Add(799*time.Millisecond)) || !q.Has(start.Add(800*time.Millisecond)) || !q.Wake(start.Add(800*time.Millisecond)).IsZero() {
		t.Error("the keys come at another time than announced")
	}
	q.Add(command(t, "git push"))
	if !q.WantsAttention() {
		t.Error("the next one does not ring")
	}
	q.Key(key("down"), start.Add(time.Second))
	if q.WantsAttention() {
		t.Error("the user is there")
	}
}

// Rows that the terminal did not paint have not been shown: neither the question takes keys, nor
// does a yes count.
func TestOnlyPaintedRowsCount(t *testing.T) {
	q := &Queue{}
	q.Add(command(t, "git status"))
	ms := func(n int) time.Time { return start.Add(time.Duration(n) * time.Millisecond) }
	q.Rows(80, 19, start)
	if r := q.Key(key("y"), ms(5000)); r.Taken {
		t.Errorf("a question that was not painted took a key: %+v", r)
	}
	q.Rows(80, 19, ms(7000))
	q.Painted(ms(7000))
	q.Key(key("y"), ms(7600))
	q.Resized()
	q.Rows(40, 19, ms(7700))
	if r := q.Key(key("enter"), ms(9000)); !r.Taken || r.Answered != nil {
		t.Errorf("while the size changes: %+v", r)
	}
	q.Painted(ms(9000))
	if r := q.Key(key("enter"), ms(9400)); !r.Taken || r.Answered != nil {
		t.Errorf("within the guard after a change of the size: %+v", r)
	}
	if r := q.Key(key("enter"), ms(9600)); r.Answered == nil || r.Answer.Permit.Outcome != permit.Approved {
		t.Errorf("later: %+v", r)
	}
}

// A jump to the end is not a reading.
func TestAYesNeedsEveryRow(t *testing.T) {
	for keys, want := range map[string]string{
		"end": open, "end pgup pgup": open, "end home pgdown": open, "pgdown": open, "pgdown pgdown pgdown pgdown pgdown pgdown pgdown pgdown pgdown": approved,
	} {
		q := &Queue{}
		q.Add(kinds(t)["long-change"])
		show(q, 80, 24, start)
		_, now := typed(q, 80, 24, start, keys+" y enter")
		if got := map[bool]string{true: open, false: approved}[q.Len() == 1]; got != want {
			t.Errorf("after %s the question is %s, want %s", keys, got, want)
		}
		_ = now
	}
}

// A question whose details have no room on any screen gets no yes.
func TestWhatIsTooLongIsNotApproved(t *testing.T) {
	q := &Queue{}
	asked := command(t, strings.Repeat("true\n", maxRows+10)+"rm -rf ~")
	q.Add(asked)
	show(q, 80, 24, start)
	q.front().read = maxRows - 5
	typed(q, 80, 24, start, "end y enter")
	q.Read(asked)
	typed(q, 80, 24, start.Add(time.Minute), "y enter")
	if q.Len() != 1 || !strings.Contains(q.front().note, "too long") {
		t.Errorf("%d questions, the note is %q", q.Len(), q.front().note)
	}
}

// A window without room for the question shows none of it, and no yes counts.
func TestASmallWindow(t *testing.T) {
	for height := 1; height < 12; height++ {
		q := &Queue{}
		q.Add(kinds(t)["command"])
		now := start
		rows, _ := q.Rows(40, height, now)
		if len(rows) > height {
			t.Errorf("%d rows on %d", len(rows), height)
		}
		q.Painted(now)
		for _, k := range []string{"pgdown", "pgdown", "pgdown", "pgdown", "y", "enter"} {
			now = now.Add(2 * time.Second)
			q.Key(key(k), now)
			q.Rows(40, height, now)
			q.Painted(now)
		}
		if first := rows[0].String(); strings.Contains(first, "window") != (q.Len() == 1) || height < 5 && q.Len() == 0 {
			t.Errorf("height %d: %d questions, the first row is %q", height, q.Len(), first)
		}
	}
}

// Reading in the pager counts for the question that the pager shows, and for no other.
func TestReadIsOfOneQuestion(t *testing.T) {
	q := &Queue{}
	first, second := kinds(t)["long-change"], kinds(t)["long-change"]
	q.Add(first)
	q.Add(second)
	asked, _, _ := q.Whole(80)
	q.Withdraw(first, start)
	q.Read(asked)
	if q.front().seen {
		t.Error("another question counts as read")
	}
	q.Read(second)
	if !q.front().seen {
		t.Error("the question does not count as read")
	}
}

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
