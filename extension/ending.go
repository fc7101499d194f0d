package extension

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

const (
	// maxHeld bounds one event that is kept, in bytes of JSON: clients give up at
	// lines of 1 MiB.
	maxHeld = 1<<20 - 1<<10

	// maxEntries bounds the references, and the errors, of one answer.
	maxEntries = 1000
)

// ending is what the writer keeps for the end of an answer.
type ending struct {
	references, errors entries
	confirmation       []byte
}

// entries collects the JSON of a list's entries.
type entries []entry

type entry struct {
	id   string // of a reference
	json []byte
}

// with returns e with one more entry, or an error if the list would become too long.
func (e entries) with(one entry) (entries, error) {
	size := len("[]")
	for _, other := range append(e, one) {
		size += len(other.json) + len(",")
	}
	if len(e) == maxEntries || size > maxHeld {
		return e, fmt.Errorf("an answer has at most %d, of %d bytes in all", maxEntries, maxHeld)
	}
	return append(e, one), nil
}

// withID works as with does, but an entry whose id another entry has is an error. The same
// entry again is ignored.
func (e entries) withID(one entry) (entries, error) {
	for _, other := range e {
		if other.id == one.id && bytes.Equal(other.json, one.json) {
			return e, nil
		}
		if other.id == one.id {
			return e, errors.New("another of this answer has its ID")
		}
	}
	return e.with(one)
}

func (e entries) list() []byte {
	b := []byte("[")
	for i, one := range e {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, one.json...)
	}
	return append(b, ']')
}

// failed adds the error of an agent that failed. It drops the confirmation, because the
// agent failed after asking.
func (h *ending) failed(f Fault) {
	h.confirmation = nil
	one := entry{json: f.answer()}
	more, err := h.errors.with(one)
	if err != nil { // no room: replace the last error by this one
		more = entries{one}
	}
	h.errors = more
}

// events returns what is kept, in the order in which it is sent: a confirmation last,
// because the user answers it. With one, it is only the last of them.
func (h *ending) events(one bool) []sse.Event {
	var events []sse.Event
	if len(h.references) > 0 {
		events = append(events, sse.Event{Name: "copilot_references", Data: h.references.list()})
	}
	if len(h.errors) > 0 {
		events = append(events, sse.Event{Name: "copilot_errors", Data: h.errors.list()})
	}
	if h.confirmation != nil {
		events = append(events, sse.Event{Name: "copilot_confirmation", Data: h.confirmation})
	}
	if one && len(events) > 1 {
		return events[len(events)-1:]
	}
	return events
}

// References adds references to the answer. Clients show them under the text, and send them
// back with later requests as the References of the agent's message.
//
// A reference needs a Type, an ID and a display name. Data is a JSON object or nil. A
// reference that was added before is ignored. The error is [ErrInvalid], and none of refs
// is added, if a required field is missing, if another reference has the same ID, or if the
// answer would have more than 1,000 references or about 1 MiB of them.
func (w *Writer) References(refs ...Reference) error {
	return w.hold("extension.References", func(h *ending) error {
		more := h.references
		for i, ref := range refs {
			encoded, err := ref.answer()
			if err == nil {
				more, err = more.withID(entry{ref.ID, encoded})
			}
			if err != nil {
				return fmt.Errorf("reference %d (%q): %w", i+1, ref.ID, err)
			}
		}
		h.references = more
		return nil
	})
}

// Confirm asks the user to accept or dismiss an action, below the text written so far. The
// agent should return then. The decision comes with a later request, see [Request.Decision],
// or never. If the agent fails after calling Confirm, the user is not asked.
//
// Title and Message are required. Data must be a JSON object or nil. If Data has no "id", a
// random one is added, since some clients lose a confirmation without one. The client sends
// Data back byte for byte; only line ends between its values are removed.
//
// The error is [ErrInvalid] if something is missing, if Data is not an object or is
// longer than about 1 MiB, and for a second confirmation: no client shows two.
func (w *Writer) Confirm(c Confirmation) error {
	return w.hold("extension.Confirm", func(h *ending) error {
		if h.confirmation != nil {
			return errors.New("the answer has one already")
		}
		encoded, err := c.answer()
		h.confirmation = encoded
		return err
	})
}

// Errors adds errors to the answer; clients show them with it. All four fields are required,
// and Type is one of [FaultReference], [FaultFunction] and [FaultAgent]. Otherwise the error
// is [ErrInvalid] and none of faults is added; also if the answer would have more than
// 1,000 errors or about 1 MiB of them.
func (w *Writer) Errors(faults ...Fault) error {
	return w.hold("extension.Errors", func(h *ending) error {
		more := h.errors
		for i, f := range faults {
			err := f.check()
			if err == nil {
				more, err = more.with(entry{json: f.answer()})
			}
			if err != nil {
				return fmt.Errorf("error %d (%q): %w", i+1, f.Code, err)
			}
		}
		h.errors = more
		return nil
	})
}

// hold runs add unless the answer is over, and adds op to its error.
func (w *Writer) hold(op string, add func(*ending) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := add(&w.ending); err != nil {
		return &fault.Error{Op: op, Kind: fault.Invalid, Err: err}
	}
	return nil
}
