package attempt

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// legacy has the calls in other formats than the processor's own. The one by int 0x80 ends
// the process where the kernel does not know it, or where a filter refuses it.
var legacy = []Attempt{
	{"x32 call", call(0x4000_0000 | unix.SYS_GETPID)},
	{"32-bit call", func(*World) error { return int80() }},
}

// int80 makes the system call getpid, 20 in the 32-bit format. It is machine code in memory
// instead of assembly, which could not be in a test.
func int80() error {
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer unix.Munmap(page)
	copy(page[8:], []byte{
		0xb8, 20, 0, 0, 0, // mov eax, 20
		0xcd, 0x80, // int 0x80
		0x89, 0x05, 0xeb, 0xff, 0xff, 0xff, // mov [page], eax
		0xc3, // ret
	})
	if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC); err != nil {
		return err
	}
	// A function value is a pointer to the address of the code.
	code := &struct{ address *byte }{&page[8]}
	(*(*func())(unsafe.Pointer(&code)))()
	if got := *(*int32)(unsafe.Pointer(&page[0])); int(got) != unix.Getpid() {
		return fmt.Errorf("getpid returned %d", got)
	}
	return nil
}
