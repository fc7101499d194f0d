package filter

import "golang.org/x/net/bpf"

// ProgramFor is [Program] for any processor, so that all are tested on one.
func ProgramFor(goarch string, o Options) ([]bpf.RawInstruction, error) {
	return bpf.Assemble(program(arches.Get()[goarch], o))
}
