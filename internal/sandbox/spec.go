package sandbox

import "os"

// Spec is a program to start in a sandbox.
type Spec struct {
	// Path is the program, absolute. Args begin with its name.
	Path string
	Args []string
	// Dir is where it starts, absolute. It must be visible inside.
	Dir string
	// Env is its environment, in the form of os.Environ. The sandbox sets HOME and TMPDIR.
	Env []string
	// Files are its descriptors 0, 1, 2 and up to five more; without a terminal, 0 to 2 are
	// required. The caller closes them.
	Files []*os.File
	// Rows and Cols ask for a terminal of that size instead of Files; see
	// [Process.Terminal].
	Rows, Cols uint16
}
