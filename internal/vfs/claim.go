package vfs

import "errors"

// Claim is what a handle can say about its file to the other handles of it, in
// this process and in others. The system takes it back when the handle is
// closed, so also when the process is killed. It keeps nobody from reading or
// writing: it is an agreement among those who ask.
type Claim uint8

const (
	// ClaimOpen says that the file is in use. Any number of handles have it.
	ClaimOpen Claim = iota
	// ClaimWrite says that one handle, this one, writes the file.
	ClaimWrite
)

// ErrClaimed is why another handle cannot have [ClaimWrite] now.
var ErrClaimed = errors.New("another handle of the file claims to write it")
