package question

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// press is a key of the question that is shown.
func (q *Queue) press(e *entry, k input.Key, now time.Time) Result {
	e.note = ""
	switch {
	case k.Name == "esc" && !e.leaveField():
		e.focused, e.later, e.chosen = false, true, false
		return Result{Taken: true}
	case k.Name == "esc":
		return Result{Taken: true}
	case e.form != nil:
		return q.fill(e, k)
	case e.writing:
		return q.write(e, k)
	case k.Name == "enter":
		return q.enter(e)
	case k.Text != "" && !strings.HasPrefix(k.Name, "ctrl+") && !strings.HasPrefix(k.Name, "alt+"):
		return q.letter(e, k, now)
	}
	e.move(k.Name)
	return Result{Taken: true, Whole: k.Name == "ctrl+o"}
}

// leaveField closes the text field; false if none is open, or if the question is nothing else.
func (e *entry) leaveField() bool {
	if !e.writing || len(e.q.Options) < 2 {
		return false
	}
	e.writing = false
	return true
}

// write is a key of the text field.
func (q *Queue) write(e *entry, k input.Key) Result {
	switch k.Name {
	case "enter":
		return q.give(e)
	case "up", "down", "tab", "shift+tab":
		if e.leaveField() {
			e.move(k.Name)
		}
	default:
		e.field().key(k)
	}
	return Result{Taken: true}
}

// enter gives the marked answer. The text field of an option is opened first.
func (q *Queue) enter(e *entry) Result {
	switch {
	case e.choice < 0:
		e.note = "choose an answer first"
	case e.q.Options[e.choice].Prompt != "":
		e.writing, e.chosen = true, true
	default:
		return q.give(e)
	}
	return Result{Taken: true}
}

// give answers the question with the marked option.
func (q *Queue) give(e *entry) Result {
	o := &e.q.Options[e.choice]
	if o.Allows && !e.seen {
		e.note = "nothing was approved: read to the end first"
		return Result{Taken: true}
	}
	a, err := e.q.Choose(e.choice, e.field().text())
	if err != nil {
		e.note = "write the answer first"
		return Result{Taken: true}
	}
	q.remove(0)
	q.engaged = true
	return Result{Taken: true, Answered: e.q, Answer: a}
}

// letter is a key that writes text. One that is pressed by itself can mark an option or scroll.
// More of them are text.
func (q *Queue) letter(e *entry, k input.Key, now time.Time) Result {
	if now.Sub(e.burstAt) >= Quiet {
		e.burst = ""
	}
	before := e.burst
	e.burst, e.burstAt = before+k.Text, now
	if i := e.named(k.Text, before); i >= 0 {
		e.mark(i)
		return Result{Taken: true}
	}
	scrolls := strings.Trim(before, "jk ") == "" && e.q.Own() < 0
	switch {
	case e.option(k.Text) >= 0 && scrolls:
		e.reset()
		e.note = "nothing is marked: press " + k.Text + " by itself"
		return Result{Taken: true}
	case strings.Contains("jk f", k.Text) && scrolls && !(e.q.Own() >= 0):
		e.chosen = false
		e.reset()
		e.move(k.Text)
		return Result{Taken: true, Whole: k.Text == "f"}
	}
	return q.text(e)
}

// text moves what was typed to where text belongs: the answer in own words, or the input box.
func (q *Queue) text(e *entry) Result {
	typed := e.burst
	e.burst = ""
	e.reset()
	if own := e.q.Own(); own >= 0 {
		e.choice, e.chosen, e.writing = own, true, true
		e.field().paste(typed)
		return Result{Taken: true}
	}
	e.focused, q.Draft = false, true
	return Result{Taken: true, Typed: typed}
}

// named is the option that a key marks after the keys before, -1 for none: only the first of
// several keys marks one, and digits make one number.
func (e *entry) named(key, before string) int {
	if n, err := strconv.Atoi(before + key); err == nil {
		return e.numbered(n)
	}
	if before != "" {
		return -1
	}
	return e.option(key)
}

// option is the option that a letter or a digit stands for, -1 for none.
func (e *entry) option(key string) int {
	if n, err := strconv.Atoi(key); err == nil {
		return e.numbered(n)
	}
	for i, o := range e.q.Options {
		if o.Key == key || o.Key == "" && slices.Contains(o.Words, key) {
			return i
		}
	}
	return -1
}

// numbered is the option with a number: that of the option, or its place.
func (e *entry) numbered(n int) int {
	numbers := e.q.Numbered()
	if len(numbers) == 0 && n <= len(e.q.Options) {
		return n - 1
	}
	if n < 1 || n > len(numbers) {
		return -1
	}
	return numbers[n-1]
}

// mark marks an option, and opens its text field if it has one.
func (e *entry) mark(i int) {
	e.choice, e.chosen = i, true
	e.writing = e.q.Options[i].Prompt != ""
}

// move marks another option, or scrolls.
func (e *entry) move(key string) {
	n := len(e.q.Options)
	switch key {
	case "up", "ctrl+p", "shift+tab":
		e.choice, e.chosen = max(e.choice-1, 0), true
	case "down", "ctrl+n", "tab":
		e.choice, e.chosen = min(e.choice+1, n-1), true
	case "j":
		e.top++
	case "k":
		e.top--
	case "pgdown", " ", "space":
		e.top += e.page
	case "pgup":
		e.top -= e.page
	case "ctrl+d":
		e.top += (e.page + 1) / 2
	case "ctrl+u":
		e.top -= (e.page + 1) / 2
	case "home":
		e.top = 0
	case "end":
		e.top = 1 << 30
	}
}
