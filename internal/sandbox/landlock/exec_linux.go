package landlock

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// self is the file of this program, also if another one has its path by now.
const self = "/proc/self/exe"

// ABI returns the version of Landlock that the kernel has, at least 1. Otherwise it returns 0
// with the reason as [fault.Unavailable], which wraps ENOSYS if the kernel has no Landlock
// and EOPNOTSUPP if it was switched off when the machine started.
func ABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	err := &fault.Error{Op: "landlock.ABI", Kind: fault.Unavailable}
	switch {
	case errno == 0 && abi > 0:
		return int(abi), nil
	case errno == unix.ENOSYS:
		err.Err = fmt.Errorf("the kernel has no Landlock, or it is hidden from this process: %w", errno)
	case errno == unix.EOPNOTSUPP:
		err.Err = fmt.Errorf("the kernel has Landlock, but it is switched off: %w", errno)
		err.Hint = "add landlock to lsm= in the kernel's command line"
	default:
		err.Err = fmt.Errorf("the kernel did not tell its version of Landlock: %w", errno)
	}
	return 0, err
}

// Exec drops all capabilities, confines the process to the rules, and replaces it by this
// same program with the arguments argv (the first one is its name) and the environment env.
// All threads of the new program, and all programs that it starts, are confined alike and
// can signal each other. Descriptors without CLOEXEC stay open, whatever the rules say.
//
// abi is the version of Landlock to use, at least 3: what [ABI] returned, or less. Exec uses
// all of it or fails.
//
// It returns only errors. The process must exit then: its calling thread may be confined.
func Exec(abi int, r Rules, argv, env []string) error {
	runtime.LockOSThread() // not unlocked: the thread is changed for good
	if abi < oldest {
		return fault.New(fault.Unavailable, "landlock.Exec", "", "Landlock has version %d; commands need %d", abi, oldest)
	}
	err := restrict(min(abi, newest), r)
	if err == nil {
		err = unix.Exec(self, argv, env)
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return fault.New(fault.Unavailable, "landlock.Exec", "", "cannot confine commands with Landlock: %w", err)
}

// restrict confines the calling thread.
func restrict(abi int, r Rules) error {
	attr := handled(abi)
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), size(abi), 0)
	if errno != 0 {
		return fmt.Errorf("making the rules: %w", errno)
	}
	ruleset := int(rules)
	defer unix.Close(ruleset)
	if err := r.add(ruleset, attr.Handled_access_fs); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up set-user-ID programs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return fmt.Errorf("entering the sandbox: %w", errno)
	}
	return nil
}

// size returns how much of unix.LandlockRulesetAttr a version of Landlock knows, in bytes.
func size(abi int) uintptr {
	var attr unix.LandlockRulesetAttr
	switch {
	case abi < 4:
		return unsafe.Offsetof(attr.Handled_access_net)
	case abi < 6:
		return unsafe.Offsetof(attr.Scoped)
	}
	return unsafe.Offsetof(attr.Quiet_access_fs)
}

// add adds a rule for each path, and one for this program.
func (r Rules) add(ruleset int, known uint64) error {
	program, err := unix.Open(self, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", self, err)
	}
	err = allow(ruleset, program, readFile)
	unix.Close(program)
	for _, group := range []struct {
		paths               []string
		folder, file, other uint64 // rights, by what the path is; 0 is an error
	}{
		{r.Read, readAll, readFile, 0},
		{r.Write, writeAll, writeFile, 0},
		{r.Devices, 0, 0, device},
	} {
		for _, path := range group.paths {
			if err == nil {
				err = addPath(ruleset, path, group.folder&known, group.file&known, group.other&known)
			}
		}
	}
	return err
}

func addPath(ruleset int, path string, folder, file, device uint64) error {
	invalid := func(why string) error {
		return fault.New(fault.Invalid, "landlock.Exec", path, "%s", why)
	}
	if !filepath.IsAbs(path) {
		return invalid("the path is not absolute")
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if errors.Is(err, unix.ELOOP) {
		return invalid("the path has a symbolic link in it")
	}
	if err != nil {
		return fmt.Errorf("allowing %s: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allowing %s: %w", path, err)
	}
	rights := map[uint32]uint64{
		unix.S_IFDIR: folder, unix.S_IFREG: file, unix.S_IFIFO: file, unix.S_IFSOCK: file, unix.S_IFCHR: device,
	}[stat.Mode&unix.S_IFMT]
	if rights == 0 {
		return invalid("the path is a device, or is none where it should be one")
	}
	if err := allow(ruleset, fd, rights); err != nil {
		return fmt.Errorf("allowing %s: %w", path, err)
	}
	return nil
}

// allow adds the rule that gives rights to a file, or to a folder and all below it.
func allow(ruleset, fd int, rights uint64) error {
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
