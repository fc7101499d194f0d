package turn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// How many answers in a row may make the same calls and get the same results: after the first number the
// model is told, after the second one the user is asked whether the run goes on.
const (
	tellsAfter = 3
	asksAfter  = 5
)

// Repeated says that answers of the model have made the same calls, with the same arguments and results, in a row.
type Repeated struct {
	Tools  []string // whose calls these are, in the order of their names
	CallID string   // of one of the last calls
	Times  int
	// Last means that the model was told before, and that the run ends unless the user wants it to go on.
	Last bool
}

// Sentence says what has happened.
func (r Repeated) Sentence() string {
	what := "the same call of " + r.Tools[0]
	if len(r.Tools) > 1 {
		what = "the same calls of " + strings.Join(r.Tools, ", ")
	}
	return fmt.Sprintf("The model has made %s %d times in a row, and the result was the same each time.", what, r.Times)
}

// Told is what the model reads, so that it does something else.
func (r Repeated) Told() string {
	what := "this call, and its result was"
	if len(r.Tools) > 1 {
		what = "these calls, and their results were"
	}
	return fmt.Sprintf("<reminder>You have made %s the same %d times in a row (%s). Another time will not change that. "+
		"Do something else, or answer the user and say what is missing.</reminder>", what, r.Times, strings.Join(r.Tools, ", "))
}

// round is the calls of one answer. They are compared as a set, because they run side by side. The zero value has none.
type round struct {
	keys   [][sha256.Size]byte
	tools  []string
	callID string
	waits  bool // a call waits for something, or its result is not known: the round is compared with no other
}

// add takes over a call that has ended.
func (r *round) add(e *ending) {
	r.waits = r.waits || e.key == [sha256.Size]byte{} || e.underWay || waits(&e.call, &e.result)
	r.keys = append(r.keys, e.key)
	r.tools = append(r.tools, e.call.Name)
	r.callID = e.call.ID
}

// sameRounds counts the rounds in a row that are equal. The zero value has none.
type sameRounds struct {
	keys  [][sha256.Size]byte
	times int
}

// count takes over a round, and returns how many equal ones there have been in a row, 0 if it does not count.
func (s *sameRounds) count(r round) int {
	slices.SortFunc(r.keys, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	r.keys = slices.Compact(r.keys)
	switch {
	case r.waits || len(r.keys) == 0:
		*s = sameRounds{}
	case slices.Equal(r.keys, s.keys):
		s.times++
	default:
		*s = sameRounds{keys: r.keys, times: 1}
	}
	return s.times
}

// repeats decides how the run continues if the calls of the turn are those of the turns before.
func (t *turn) repeats(ctx context.Context) (then next, err error) {
	if !t.prompt.WatchCalls {
		return more, nil
	}
	times := t.row.same.count(t.round)
	if times != tellsAfter && times < asksAfter || ctx.Err() != nil {
		return more, nil
	}
	slices.Sort(t.round.tools)
	r := Repeated{Tools: slices.Compact(t.round.tools), CallID: t.round.callID, Times: times, Last: times >= asksAfter}
	again, err := t.host.Repeats(ctx, r)
	switch {
	case err != nil:
		return end, err
	case !again:
		t.row.incomplete = r.Sentence()
		return end, nil
	case r.Last:
		t.row.same = sameRounds{} // the user wants it, and is asked again after as many
	}
	return more, nil
}

// keyOf is a digest of a call and of its result, as the tool has made it: hooks and the limits on results may put
// something else into each. Equal JSON values count as equal arguments.
func keyOf(c *tool.Call, res *tool.Result) [sha256.Size]byte {
	h := sha256.New()
	text := res.Text
	if res.Saved != "" { // each has a file of its own
		text = strings.ReplaceAll(text, res.Saved, "")
	}
	for _, part := range [][]byte{[]byte(c.Name), canonical(c.Arguments), {byte(len(res.Outcome))}, []byte(res.Outcome), []byte(text), res.Structured} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	for _, f := range res.Files {
		fmt.Fprintf(h, "%s %s %d:", f.Path, f.MediaType, len(f.Data))
		h.Write(f.Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// canonical is JSON with the members of objects in order and without spaces; what is not JSON stays as it is.
func canonical(args json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber() // two large numbers that differ in their last digit stay different
	var v any
	if d.Decode(&v) != nil {
		return args
	}
	out, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return out
}

// waits reports whether a call may have to be made again and again, and is no sign of a loop: it asks the user, or it
// waits. Interrupted and rejected calls say nothing either.
//
// Tools do not declare that they are meant to be polled, neither those of clients nor those of MCP servers. So it is
// known from their names, and from what results say ([underWay]). Decision 32 has the reasons.
func waits(c *tool.Call, res *tool.Result) bool {
	does := fact.Of(c.Name).Does
	switch {
	case res.Outcome == tool.Interrupted, res.Outcome == tool.Rejected:
		return true
	case does == fact.Ask, does == fact.Plan:
		return true // the user is there
	case does == fact.Shell && bytes.Contains(c.Arguments, []byte("sleep ")), waitsByName(c.Name):
		return true
	}
	return false
}

// waitsByName reports whether the name of a tool says that it waits, or asks for a state: one of its words does.
func waitsByName(name string) bool {
	from := 0
	lower := strings.ToLower(name)
	for i := 0; i <= len(name); i++ {
		ends := i == len(name) || !isLetter(lower[i])
		if !ends && !(i > from && name[i] <= 'Z' && name[i-1] >= 'a') { // a word also ends before a capital letter
			continue
		}
		switch lower[from:i] {
		case "wait", "poll", "sleep", "status", "state", "progress", "watch", "monitor", "await":
			return true
		}
		if from = i; ends {
			from++
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// reports reports whether the result of a tool can be a state. What other tools return are contents, and the output of
// a command that has ended is one: in it the words of [underWay] may be anything, as in the summary of a test run.
func reports(d *tool.Definition, res *tool.Result) bool {
	switch fact.Of(d.Name).State {
	case fact.Contents:
		return false
	case fact.WhileItRuns:
		return res.Exit == nil
	case fact.AlwaysState:
		return true
	}
	return d.Origin != tool.Builtin
}

// longestState bounds a result that reports a state, in bytes. Longer ones are contents, in which the words of
// underWay may be anything.
const longestState = 2000

// underWay reports whether a result says that something goes on.
func underWay(text string) bool {
	if len(text) > longestState {
		return false
	}
	text = strings.ToLower(text)
	for _, words := range [...]string{
		"still running", "is running", "<running", `"running"`, "running for", "status: running", "in progress", "in_progress", "in-progress",
		"inprogress", "pending", "queued", "not ready", "not yet", "processing", "waiting", "awaiting", "try again later",
	} {
		if hasWords(text, words) {
			return true
		}
	}
	return false
}

// hasWords reports whether a text has these words, and not only as a part of longer ones: "spending" is not "pending".
func hasWords(text, words string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(words)
		if (begin == 0 || !inWord(text[begin-1]) || !isLetter(words[0])) && (end == len(text) || !inWord(text[end]) || !isLetter(words[len(words)-1])) {
			return true
		}
		from = begin + 1
	}
}

// inWord reports whether a byte of a text in lower case belongs to a word. All letters beyond ASCII do.
func inWord(c byte) bool { return isLetter(c) || c >= utf8.RuneSelf }
