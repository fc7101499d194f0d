package localserver

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	Length, Load                                                                     uint32
	Total, Available, TotalPage, AvailablePage, TotalVirtual, AvailableVirtual, More uint64
}

// Measure returns the memory of this machine.
func Measure() Memory {
	var s memoryStatus
	s.Length = uint32(unsafe.Sizeof(s))
	proc := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if proc.Find() != nil {
		return Memory{}
	}
	if ok, _, _ := proc.Call(uintptr(unsafe.Pointer(&s))); ok == 0 || s.Total > 1<<60 {
		return Memory{}
	}
	return Memory{Total: int64(s.Total), Available: int64(min(s.Available, s.Total))}
}
