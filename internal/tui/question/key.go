package question

import (
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// markers are the actions that mark an option, each with the Key of the option in package
// internal/question. The user can choose other keys for the actions.
var markers = [...]struct{ action, option string }{
	{keymap.QuestionYes, "y"},
	{keymap.QuestionSandbox, "s"},
	{keymap.QuestionSession, "a"},
	{keymap.QuestionLocation, "l"},
	{keymap.QuestionNo, "n"},
	{keymap.QuestionStop, "q"},
}

// letterOf is the letter of the option that an action marks, "" for other actions.
func letterOf(action string) string {
	for _, l := range markers {
		if l.action == action {
			return l.option
		}
	}
	return ""
}

// actionOf is the action that marks the option with a letter, "" for none.
func actionOf(letter string) string {
	for _, l := range markers {
		if l.option == letter {
			return l.action
		}
	}
	return ""
}

// action is what a key does while a question has the keys, "" for nothing.
func (e *entry) action(k input.Key) string {
	a, _ := e.keys.Lookup([]keymap.Focus{keymap.Question}, k.Name)
	return a.Name
}

// press is a key of the question that is shown.
func (q *Queue) press(e *entry, k input.Key, now time.Time) Result {
	choice, chosen := e.choice, e.chosen
	r := q.pressed(e, k, now)
	if e.choice != choice || e.chosen != chosen {
		e.marked = now
	}
	return r
}

func (q *Queue) pressed(e *entry, k input.Key, now time.Time) Result {
	e.note = ""
	action := e.action(k)
	if action == keymap.QuestionLater {
		return e.leave()
	}
	switch {
	case e.form != nil:
		return q.fill(e, k, action, now)
	case e.writing:
		return q.write(e, k, action)
	case text(k):
		return q.letter(e, k, action, now)
	}
	switch k.Name {
	case "home":
		e.end(-1)
	case "end":
		e.end(1)
	}
	return q.do(e, action)
}

// end goes to the first row or the last: of the details if they do not fit, else of the answers.
func (e *entry) end(direction int) {
	switch {
	case e.page > 0:
		e.top = direction * maxRows // Rows bounds it
	case len(e.q.Options) == 0:
	case direction < 0:
		e.choice, e.chosen = 0, true
	default:
		e.choice, e.chosen = len(e.q.Options)-1, true
	}
}

// text reports whether a key writes text.
func text(k input.Key) bool {
	return k.Text != "" && !strings.HasPrefix(k.Name, "ctrl+") && !strings.HasPrefix(k.Name, "alt+")
}

// leave closes the text field, or leaves the question for later.
func (e *entry) leave() Result {
	switch {
	case e.form != nil && e.form.review != nil:
		e.form.review = nil
		return Result{Taken: true}
	case e.writing && !e.onlyWords():
		e.writing = false
		return Result{Taken: true}
	}
	e.focused, e.later = false, true
	e.burst = ""
	if !e.onlyWords() {
		e.reset()
	}
	return Result{Taken: true}
}

// write is a key of the text field.
func (q *Queue) write(e *entry, k input.Key, action string) Result {
	if text(k) && e.burst != "" && !e.offered && q.own.Sub(e.burstAt) < Quiet && !e.onlyWords() {
		e.burst += k.Text // nobody has seen the field: the letter that has opened it was the first one of a text
		return q.handOver(e)
	}
	f := e.field()
	if f.Focus()[0] != keymap.Completion {
		switch {
		case action == keymap.QuestionChoose:
			return q.give(e)
		case moves(action) && e.row(f) && !e.onlyWords():
			e.writing = false
			return q.do(e, action)
		case action == keymap.QuestionWhole && !text(k):
			return q.do(e, action)
		}
	}
	f.Key(k)
	return Result{Taken: true}
}

// moves reports whether an action marks the option above or below.
func moves(action string) bool {
	return action == keymap.QuestionUp || action == keymap.QuestionDown || action == keymap.QuestionNext || action == keymap.QuestionPrevious
}

// row reports whether a text field has one line, so that it needs no keys for up and down.
func (e *entry) row(f *composer.Composer) bool {
	d := f.Draft()
	return !strings.Contains(d.Text, "\n")
}

// do carries out an action.
func (q *Queue) do(e *entry, action string) Result {
	switch action {
	case keymap.QuestionChoose:
		return q.enter(e)
	case keymap.QuestionUp, keymap.QuestionPrevious:
		e.choice, e.chosen = max(e.choice-1, 0), true
	case keymap.QuestionDown, keymap.QuestionNext:
		e.choice, e.chosen = min(e.choice+1, len(e.q.Options)-1), true
	case keymap.QuestionPageUp:
		e.top -= max(e.page, 1)
	case keymap.QuestionPageDown:
		e.top += max(e.page, 1)
	case keymap.QuestionWhole:
		return Result{Taken: true, Whole: true}
	default:
		if i := e.option(letterOf(action)); i >= 0 {
			e.mark(i)
		}
	}
	return Result{Taken: true}
}

// enter gives the marked answer. The text field of an option is opened first.
func (q *Queue) enter(e *entry) Result {
	switch {
	case e.choice < 0:
		e.note = "mark an answer first, with its key or with " + e.arrows()
	case e.q.Options[e.choice].Prompt != "":
		e.writing, e.chosen, e.burst = true, true, ""
	default:
		return q.give(e)
	}
	return Result{Taken: true}
}

// arrows is the keys that mark the answer above and below.
func (e *entry) arrows() string {
	return e.keys.Key(keymap.QuestionUp) + " " + e.keys.Key(keymap.QuestionDown)
}

// give answers the question with the marked option.
func (q *Queue) give(e *entry) Result {
	o := &e.q.Options[e.choice]
	if o.Allows {
		if e.note = q.doubt(e); e.note != "" {
			return Result{Taken: true}
		}
	}
	a, err := e.q.Choose(e.choice, e.words())
	if err != nil {
		e.note = "this answer needs text"
		return Result{Taken: true}
	}
	return q.answered(e, a)
}

// doubt is why a yes does not count, "" if it does.
func (q *Queue) doubt(e *entry) string {
	switch {
	case e.laid.cut:
		return "nothing was approved: the request is too long to be shown, so it cannot be approved here"
	case e.small:
		return "nothing was approved: make the window larger first"
	case !e.seen:
		return "nothing was approved: read to the end first"
	case !q.front().settled(q.own):
		return "nothing was approved: the question was just redrawn; press " + e.keys.Key(keymap.QuestionChoose) + " again"
	case q.own.Sub(e.marked) < apart:
		return "nothing was approved: Enter came too soon after the mark; press " + e.keys.Key(keymap.QuestionChoose) + " again"
	}
	return ""
}

// letter is a key that writes text. One that is pressed by itself marks an option or scrolls. More
// of them are text.
func (q *Queue) letter(e *entry, k input.Key, action string, now time.Time) Result {
	if now.Sub(e.burstAt) >= Quiet {
		e.burst = ""
	}
	before := e.burst
	e.burst, e.burstAt = before+k.Text, now
	option := e.named(k, action, before)
	scroll := e.scroll(k, action)
	switch {
	case option >= 0 && (before == "" || numeral(before)):
		e.mark(option)
	case option >= 0 && strings.Trim(before, scrolling) == "":
		e.reset()
		e.note = "nothing is marked: press " + k.Text + " by itself"
	case scroll != 0 && strings.Trim(before, scrolling) == "":
		e.reset()
		e.top += scroll
	case action == keymap.QuestionWhole && before == "" && !e.asksWords():
		e.reset()
		e.burst = ""
		return Result{Taken: true, Whole: true}
	default:
		return q.handOver(e)
	}
	return Result{Taken: true}
}

// scrolling are the letters that scroll the details, as those of less do.
const scrolling = "jk "

// scroll is by how many rows a letter scrolls, 0 if it does not: in questions whose answer may be
// words, it is text.
func (e *entry) scroll(k input.Key, action string) int {
	switch {
	case e.asksWords():
	case k.Text == "j":
		return 1
	case k.Text == "k":
		return -1
	case k.Text == " ":
		return max(e.page, 1)
	}
	return 0
}

// asksWords reports whether letters are text from the first on.
func (e *entry) asksWords() bool { return e.q.Own() >= 0 && len(e.q.Details) == 0 }

// handOver moves what was typed to where text belongs: the answer in own words, or the input box.
func (q *Queue) handOver(e *entry) Result {
	typed := e.burst
	e.burst = ""
	e.reset()
	if own := e.q.Own(); own >= 0 {
		e.choice, e.chosen, e.writing = own, true, true
		e.field().Insert(typed)
		return Result{Taken: true}
	}
	e.focused, q.Draft = false, true
	return Result{Taken: true, Typed: typed}
}

// named is the option that a key marks, -1 for none. Digits make one number with those before.
func (e *entry) named(k input.Key, action, before string) int {
	if action == keymap.QuestionNumber {
		if !numeral(before) {
			before = ""
		}
		n, _ := strconv.Atoi(before + k.Text)
		return e.numbered(n)
	}
	return e.option(letterOf(action))
}

func numeral(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// option is the option with a letter, -1 for none.
func (e *entry) option(letter string) int {
	for i, o := range e.q.Options {
		if letter != "" && o.Has(letter) {
			return i
		}
	}
	return -1
}

// numbered is the option with a number, or the one at that place if none has numbers; -1 for
// none.
func (e *entry) numbered(n int) int {
	numbers := e.q.Numbered()
	switch {
	case n < 1:
	case len(numbers) == 0 && n <= len(e.q.Options):
		return n - 1
	case n <= len(numbers):
		return numbers[n-1]
	}
	return -1
}

// mark marks an option, and opens its text field if it has one.
func (e *entry) mark(i int) {
	e.choice, e.chosen, e.offered = i, true, false
	e.writing = e.q.Options[i].Prompt != ""
}
