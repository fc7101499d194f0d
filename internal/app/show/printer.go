package show

import "github.com/sidestick-dev/sidestick/internal/follow"

// Printer prints the runs of a session. [Answer], [JSON] and [Script] are printers.
type Printer interface {
	// Begin is called before each run.
	Begin()
	// Text prints a piece of the answer; begins says that a message begins with it.
	Text(piece string, begins bool) error
	// Event prints an event, but not the text in it, which Text has printed.
	Event(e follow.Event) error
	// Note prints what no event holds, in one line beside the answer.
	Note(text string) error
	// Progress is Note for what only a user who waits wants to know.
	Progress(text string) error
	// Finish leaves the output at the beginning of a line.
	Finish() error
}
