package filter

import (
	"runtime"

	"golang.org/x/net/bpf"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Options says which sandbox the filter belongs to. The zero value is the strictest, but
// for ReadOnly.
type Options struct {
	// ReadOnly also refuses to change modes, owners, times and attributes of files.
	ReadOnly bool
	// Namespaces says that the process has user, network, IPC and process namespaces of its
	// own, as bubblewrap makes them. It then may use sockets of the kinds that stay in its
	// network namespace, and shared memory. Otherwise it gets no sockets but AF_UNIX pairs.
	Namespaces bool
	// LandlockABI is the version of Landlock that confines a process without Namespaces.
	// Below 6 Landlock does not restrict signals, so the filter refuses to send any.
	LandlockABI int
}

func (o Options) signals() bool { return !o.Namespaces && o.LandlockABI < 6 }

// Program returns the filter for the processor that runs this program. The error is
// [fault.Unavailable] on systems and processors that the filter does not exist for.
func Program(o Options) ([]bpf.RawInstruction, error) {
	a, ok := arches.Get()[runtime.GOARCH]
	if !ok || runtime.GOOS != "linux" {
		return nil, fault.New(fault.Unavailable, "filter.Program", runtime.GOOS+"/"+runtime.GOARCH,
			"the system call filter exists for Linux on amd64 and arm64 only")
	}
	raw, err := bpf.Assemble(program(a, o))
	if err != nil {
		return nil, fault.New(fault.Internal, "filter.Program", "", "%w", err)
	}
	return raw, nil
}

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
)

// program returns the filter of one processor. Every test of a call is followed by what
// happens to it, so that no jump is longer than one block.
func program(a arch, o Options) []bpf.Instruction {
	all := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.audit, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	all = append(all, between(newest+1, 1<<32-1)...)
	for _, gap := range a.gaps {
		all = append(all, between(uint32(gap[0]), uint32(gap[1]))...)
	}
	for _, group := range groups(o) {
		for _, c := range group {
			all = append(all, on(c[a.column], bpf.RetConstant{Val: eperm})...)
		}
	}
	if !o.Namespaces {
		for _, c := range elsewhere { // programs that list or copy files go on without them
			all = append(all, on(c[a.column], bpf.RetConstant{Val: enotsup})...)
		}
	}
	for _, r := range rules(o) {
		all = append(all, on(r.call[a.column], r.block...)...)
	}
	return append(all, bpf.RetConstant{Val: allow})
}

// groups returns the calls that are refused whatever their arguments are.
func groups(o Options) [][]call {
	all := refused[:len(refused):len(refused)]
	if o.ReadOnly {
		all = append(all, metadata)
	}
	if !o.Namespaces {
		all = append(all, ipc)
	}
	if o.signals() {
		all = append(all, signals)
	}
	return all
}

// between returns ENOSYS for the numbers from first to last.
func between(first, last uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: first, SkipFalse: 2},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: last, SkipTrue: 1},
		bpf.RetConstant{Val: enosys},
	}
}

// on runs a block if the call is the one with the number. The block must return.
func on(number int, block ...bpf.Instruction) []bpf.Instruction {
	if number == none {
		return nil
	}
	test := bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(number), SkipFalse: uint8(len(block))}
	return append([]bpf.Instruction{test}, block...)
}
