// Package permit decides whether a tool may act: a request and rules in, a
// verdict and its reason out. It is a pure function of its arguments; it asks
// nobody, reads nothing and remembers nothing, so a test, a log line or a
// console can ask "why?" and get the same answer.
//
// # How a verdict comes about
//
// [Rules.Decide] goes through these, the first that applies wins:
//
//  1. A deny rule forbids what it matches, whatever else is allowed. Where it
//     cannot be told whether it matches, because a command is unclear, a person is
//     asked, also if everything is allowed.
//  2. What a person decides each time ([Request.Personal]) is asked about.
//  3. What its own client vouches for, and everything if [Rules.All] is set, is
//     allowed.
//  4. A command that is unclear is asked about ([Command.Unclear] says why).
//  5. What is outside the allowed folders ([Places]) is asked about, unless a rule
//     names the path; so are files that make programs run by themselves, such as
//     .git/hooks and editor settings.
//  6. An allow rule allows what it covers. Of a command it must cover every program.
//  7. Everything else is asked about.
//
// Rules come from the command line, from clients, from approvals; they look the same
// ([Rule]) and each remembers who said it.
//
// A verdict of [Ask] is turned into an [Answer] by a person, through whichever
// client is attached; carrying the question there is the session's work.
package permit

// Verdict is what the rules say.
type Verdict uint8

const (
	Ask   Verdict = iota // no rule decides; zero, so what nobody thought of is asked
	Allow                // may act without asking
	Deny                 // may not act, and nobody is asked
)

// String returns the verdict in a word.
func (v Verdict) String() string { return [...]string{"ask", "allow", "deny"}[v] }

// Decision is a verdict and why.
type Decision struct {
	Verdict Verdict
	// Why is the reason in words that a person reads. Never empty.
	Why string
	// Rule is the rule that decided, the zero Rule if none did.
	Rule Rule
	// Outside is what of the request lies outside the allowed folders, if that is why
	// it is asked about.
	Outside []string
	// Doubt says that it cannot be told whether a deny rule matches. Then only a person
	// can allow it.
	Doubt bool
}

// Answer is how a question ended.
type Answer struct {
	// Outcome is who decided and how.
	Outcome Outcome
	// Scope is how long an approval holds.
	Scope Scope
	// Rules are what an approval allows beyond this call, for every Scope but Once.
	// Empty: what [Request.Covering] says.
	Rules []Rule
	// Location is the key of the place that a [ForLocation] approval is kept for.
	// Empty: where the session works.
	Location string
	// Feedback is what the person said, for [Rejected]; may be empty.
	Feedback string
	// Why says what decided; for [Forbidden] it begins with "denied by" and names the
	// rule, which is then the one in Rules.
	Why string
}

// Outcome is who decided a question and how.
type Outcome uint8

const (
	Unanswerable Outcome = iota // nobody is there who could decide; zero, so silence denies
	Approved                    // a person or a rule said yes
	Rejected                    // a person said no: the run ends
	Canceled                    // the question was withdrawn before an answer
	Forbidden                   // a deny rule said no, and nobody was asked
)

// Scope is how long an approval holds.
type Scope uint8

const (
	Once        Scope = iota // for this call
	ForSession               // until the session's approvals are reset
	ForLocation              // for every session that works in the same place
	Always                   // for every session; addresses only
)
