package extension

// Event is one part of an agent's answer. Kind determines which of the other fields is set.
//
// Texts are as the agent sent them, except for Warning, which is one printable line. Before
// printing the others to a terminal, remove control characters and characters that change
// the direction of text.
type Event struct {
	Kind EventKind
	// Text is added to the answer. It is Markdown and never empty.
	Text string
	// References are the sources of the answer, at least one.
	References []Reference
	// Confirmation asks the user to accept or dismiss an action. Confirmations come after
	// all other events. If there are several, each needs a decision of its own.
	Confirmation *Confirmation
	// Faults are errors that the agent reports, at least one.
	Faults []Fault
	// Warning says in one sentence which part of the answer breaks the protocol in a way
	// that may concern the user. Each kind of problem is reported once per answer.
	Warning string
}

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	EventText EventKind = iota + 1
	EventReferences
	EventConfirmation
	EventFaults
	EventWarning
)

var eventNames = [...]string{"", "text", "references", "confirmation", "faults", "warning"}

// String returns the name of the kind.
func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return "unknown"
}
