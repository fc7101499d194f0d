// Package permit decides whether a tool call may act: it takes a request and rules, and
// returns a verdict with its reason. It is a pure function of its arguments: it asks no
// user, reads no file and keeps no state, so a test, a log line or a console can ask
// "why?" and get the same answer.
//
// # How a verdict is reached
//
// [Rules.Decide] goes through these steps; the first that applies wins:
//
//  1. A deny rule denies every call that it matches, even if everything else is allowed.
//     The user is asked, even if everything else is allowed, where a deny rule may match:
//     the command is unclear, or runs a program that may open more than it names
//     ([Program.Opens]). In a sandbox that enforces the rules for paths and addresses
//     ([Rules.Sandboxed]), only what those rules cannot enforce is doubt.
//     Ask rules ([Rules.Ask]) match in the same way, and the user is asked.
//  2. Files of the session itself, and plan mode, have rules of their own ([Rules.Own],
//     [Rules.Plan], [Rules.Planning]).
//  3. A request that a user has to decide each time ([Request.Personal]) is asked about.
//  4. A tool call that its own client has marked as trusted is allowed, and everything
//     is if [Rules.All] is set.
//  5. An unclear command is asked about ([Command.Unclear] holds the reason).
//  6. A path outside the allowed folders ([Folders]) is asked about, unless a rule names
//     it. So are files that make programs run by themselves, such as .git/hooks and
//     editor settings.
//  7. An allow rule allows the calls that it covers. It must cover every program of a command.
//  8. Everything else is asked about.
//
// Rules come from the command line, from clients and from approvals. They all look the
// same ([Rule]), and each remembers where it came from.
//
// A verdict of [Ask] becomes an [Answer] when a user answers at one of the attached
// clients. Package session/approval asks the user.
package permit

// Verdict is what the rules decide.
type Verdict uint8

const (
	Ask   Verdict = iota // no rule decides; zero, so a case that was forgotten is asked about
	Allow                // the tool call may act without a question
	Deny                 // the tool call may not act, and the user is not asked
)

// String returns the verdict as a word.
func (v Verdict) String() string { return [...]string{"ask", "allow", "deny"}[v] }

// Decision is a verdict with its reason.
type Decision struct {
	Verdict Verdict
	// Why is the reason, in words for the user. Never empty.
	Why string
	// Rule is the rule that decided; the zero Rule if none did.
	Rule Rule
	// Outside lists the paths of the request outside the allowed folders, if they are why
	// it is asked about.
	Outside []string
	// Doubt means that it is not clear whether a deny rule matches. Then only a user can
	// allow the request.
	Doubt bool
	// DoubtOutside means that there is this doubt only outside of a sandbox: with
	// [Rules.Sandboxed] set, the decision would be another one. Doubt is set as well.
	DoubtOutside bool
	// Managed means that an ask rule of a managed policy covers the request. Doubt is set as
	// well.
	Managed bool
}

// Answer is the result of a question.
type Answer struct {
	// Outcome is the decision, and whether a user or a rule made it.
	Outcome Outcome
	// Scope is how long an approval holds.
	Scope Scope
	// Rules are what an approval allows beyond this call, for every Scope but Once.
	// Empty: the rules that [Rules.Covering] returns.
	Rules []Rule
	// Location is the key of the repository or folder that a [ForLocation] approval is
	// saved for. Empty: the one in which the session works.
	Location string
	// Feedback is what the user wrote, for [Rejected]; may be empty.
	Feedback string
	// NoUser means, for [Unanswerable], that a client has said that nobody is there to decide.
	NoUser bool
	// InSandbox means that, for the rest of the session, the user is not asked about commands
	// that are not known to change anything outside the sandbox.
	InSandbox bool
	// Why is the reason. For [Forbidden] it begins with "denied by" and names the rule,
	// which is then the only one in Rules.
	Why string
}

// Outcome is the decision about a request, and whether a user or a rule made it.
type Outcome uint8

const (
	Unanswerable Outcome = iota // no client can ask a user; zero, so no answer means denied
	Approved                    // a user or a rule allowed it
	Rejected                    // a user denied it: the run ends
	Canceled                    // the question was withdrawn before an answer
	Forbidden                   // a deny rule matched, and the user was not asked
)

// Scope is how long an approval holds.
type Scope uint8

const (
	Once        Scope = iota // for this call
	ForSession               // until the session's approvals are reset
	ForLocation              // for every session in the same repository or folder
	Always                   // for every session; addresses only
)
