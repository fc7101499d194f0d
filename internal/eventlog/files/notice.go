package files

import "strings"

// Repair is what opening a damaged log did. Afterwards the log is tidy: the next
// Open finds nothing.
type Repair struct {
	// CutBytes is how many bytes were cut off the end of the log.
	CutBytes int64
	// Salvaged is how many records were recovered from lines that were not one record:
	// from a line with several, or from among bytes that are no text.
	Salvaged int
	// Dropped is how many broken pieces between records were removed, because they
	// held no record.
	Dropped int
	// Missing is how many records are known to have been written and are not in the
	// log.
	Missing uint64
	// SavedAs is the path of a copy: of the bytes that were cut off or, if something
	// was salvaged or dropped, of the whole log as it was. Empty if nothing was
	// removed.
	SavedAs string
	// Reason says in one sentence what was wrong.
	Reason string
}

// notice is what the users of the session should know of a repair; nil is none. A
// missing line feed at the end is not worth a word.
func (r *Repair) notice() string {
	if r == nil || r.CutBytes == 0 && r.Salvaged == 0 && r.Dropped == 0 && r.Missing == 0 {
		return ""
	}
	message := "The session's log was damaged and has been repaired: " + strings.TrimSuffix(r.Reason, ".") + "."
	switch {
	case r.CutBytes > 0:
		message += " The removed part is kept in " + r.SavedAs + "."
	case r.SavedAs != "":
		message += " The damaged log is kept in " + r.SavedAs + "."
	}
	return message
}
