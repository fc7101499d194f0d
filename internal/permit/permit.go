// Package permit decides whether a tool may act: a request and rules in, a
// verdict and its reason out. It is a pure function of its arguments; it asks
// nobody, reads nothing and remembers nothing, so a test, a log line or a
// console can ask "why?" and get the same answer.
//
// A verdict of [Ask] is turned into an [Answer] by a person, through whichever
// client is attached; carrying the question there is the session's work.
package permit

import "slices"

// Verdict is what the rules say.
type Verdict uint8

const (
	Ask   Verdict = iota // no rule decides; zero, so what nobody thought of is asked
	Allow                // may act without asking
	Deny                 // may not act, and nobody is asked
)

// String returns the verdict in a word.
func (v Verdict) String() string { return [...]string{"ask", "allow", "deny"}[v] }

// Rules is what has been allowed so far. The zero value allows nothing.
type Rules struct {
	// All allows everything; --yolo.
	All bool
	// Tools names the client-defined tools that were approved for the session.
	Tools []string
}

// Decision is a verdict and why.
type Decision struct {
	Verdict Verdict
	Why     string
}

// Decide applies the rules, the broadest first.
func (r Rules) Decide(q Request) Decision {
	switch {
	case r.All:
		return Decision{Allow, "everything is allowed (--yolo)"}
	case q.Trusted:
		return Decision{Allow, "its client says that it needs no permission"}
	case q.Kind == CustomTool && slices.Contains(r.Tools, q.Tool):
		return Decision{Allow, "approved for this session"}
	}
	return Decision{Ask, "no rule covers it"}
}

// Allowing returns the rules with one tool more.
func (r Rules) Allowing(tool string) Rules {
	if !slices.Contains(r.Tools, tool) {
		r.Tools = append(slices.Clip(r.Tools), tool)
	}
	return r
}

// Answer is how a question ended.
type Answer struct {
	// Outcome is who decided and how.
	Outcome Outcome
	// ForSession extends an approval to later calls of the same tool.
	ForSession bool
	// Feedback is what the person said, for [Rejected]; may be empty.
	Feedback string
}

// Outcome is who decided a question and how.
type Outcome uint8

const (
	Unanswerable Outcome = iota // nobody is there who could decide; zero, so silence denies
	Approved                    // a person or a rule said yes
	Rejected                    // a person said no: the run ends
	Canceled                    // the question was withdrawn before an answer
)
