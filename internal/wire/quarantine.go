package wire

// This file has the methods of this program about what commands have made and what was moved aside:
// session.quarantine.list and session.quarantine.allow.

// MovedAside is something that a command has made, that would make programs run later, and that was renamed until the
// user takes it back.
type MovedAside struct {
	Path   string `json:"path"`             // where it was
	Aside  string `json:"aside"`            // where it is
	Why    string `json:"why"`              // what it would do, for the user
	By     string `json:"by,omitempty"`     // what made it: a command, shortened, or a tool
	Digest string `json:"digest,omitempty"` // of its content
}

// MovedAsideList is the result of session.quarantine.list: what is aside in the working directory of the
// session, in the order in which it was moved.
type MovedAsideList struct {
	Items []MovedAside `json:"items"`
}

// TakeBack is the parameters of session.quarantine.allow.
type TakeBack struct {
	Path string `json:"path"` // where it was, or where it is; absolute, or relative to the working directory
	// Changed takes it back also if its content has changed since it was moved aside.
	Changed bool `json:"changed,omitempty"`
}
