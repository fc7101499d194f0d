package extension

// Event is one thing of an agent's answer. Which fields are set follows from Kind.
//
// Texts are the agent's, as they came, but for warnings, which are one line that
// prints: whoever shows the others on a terminal takes out control characters, and
// what turns around the order of reading, first.
type Event struct {
	Kind EventKind
	// Text is what is added to the answer, not empty; Markdown.
	Text string
	// References are what the answer refers to, at least one.
	References []Reference
	// Confirmation is a question to the person. All of them come after the answer's
	// other events; of several each wants an answer of its own.
	Confirmation *Confirmation
	// Faults are what went wrong on the agent's side, at least one.
	Faults []Fault
	// Warning says, in a sentence, what in the answer was not as it should be and
	// might concern the person. Each kind of trouble is told once in an answer.
	Warning string
}

// EventKind is what an [Event] is.
type EventKind uint8

const (
	EventText EventKind = iota + 1
	EventReferences
	EventConfirmation
	EventFaults
	EventWarning
)

var eventNames = [...]string{"", "text", "references", "confirmation", "faults", "warning"}

// String returns the kind in a word.
func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return "unknown"
}
