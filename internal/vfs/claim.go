package vfs

import "errors"

// Claim is what one handle of a file can tell the other handles of the file, in this
// process and in others. The system releases it when the handle is closed, and so also
// when the process is killed. A claim does not prevent reading or writing; it only works
// among programs that ask for it.
type Claim uint8

const (
	// ClaimOpen means that the file is in use. Any number of handles can have it.
	ClaimOpen Claim = iota
	// ClaimWrite means that this handle, and no other, writes the file.
	ClaimWrite
)

// ErrClaimed means that another handle has [ClaimWrite].
var ErrClaimed = errors.New("the file is being written by another process, or by another handle of this one")
