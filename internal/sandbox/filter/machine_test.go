package filter_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/net/bpf"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
)

// sandboxes has every kind of filter.
func sandboxes() (all []filter.Options) {
	for _, readOnly := range []bool{false, true} {
		all = append(all, filter.Options{ReadOnly: readOnly, Namespaces: true})
		for _, abi := range []int{3, 5, 6, 7} {
			all = append(all, filter.Options{ReadOnly: readOnly, LandlockABI: abi})
		}
	}
	return all
}

// processor is what the test knows about one, from linux/audit.h.
type processor struct {
	goarch  string
	audit   uint32
	foreign []uint32
}

var processors = []processor{
	{"amd64", 0xc000003e, []uint32{0x40000003, 0xc00000b7, 0x40000028, 0, 0xffffffff}},
	{"arm64", 0xc00000b7, []uint32{0x40000028, 0x800000b7, 0xc000003e, 0x40000003, 0}},
}

// machine runs a filter as the kernel would.
type machine struct{ vm *bpf.VM }

func newMachine(t testing.TB, goarch string, o filter.Options) machine {
	t.Helper()
	raw, err := filter.ProgramFor(goarch, o)
	if err != nil {
		t.Fatal(err)
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter has instructions that are none")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return machine{vm}
}

// verdict returns what happens to a call, in the words of testdata/calls.txt.
func (m machine) verdict(t testing.TB, audit, number uint32, args [6]uint64) string {
	t.Helper()
	// struct seccomp_data on a little-endian processor has the low half of an argument
	// first; the VM reads each word as big-endian.
	var data [64]byte
	binary.BigEndian.PutUint32(data[0:], number)
	binary.BigEndian.PutUint32(data[4:], audit)
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(arg>>32))
	}
	result, err := m.vm.Run(data[:])
	if err != nil {
		t.Fatal(err)
	}
	switch uint32(result) {
	case 0x7fff0000:
		return "allowed"
	case 0x80000000:
		return "killed"
	case 0x00050001:
		return "refused"
	case 0x00050026:
		return "absent"
	case 0x0005005f:
		return "unsupported"
	}
	return fmt.Sprintf("%#x", uint32(result))
}
