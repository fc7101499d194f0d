package filter

import "golang.org/x/net/bpf"

// rule is a call whose arguments decide: a block of instructions, every path of which ends
// with a result.
type rule struct {
	call  call
	block []bpf.Instruction
}

// step tests one argument, and either returns a result or goes on to the next step.
type step struct {
	arg    int      // from 0
	mask   uint32   // the bits that count; 0 means all 32
	values []uint32 // what the argument is compared with
	unless bool     // return the result if no value is equal, instead of if one is
	result uint32
}

// Results of a filter, from linux/seccomp.h, with the error numbers of all processors.
const (
	allow   = 0x7fff_0000
	kill    = 0x8000_0000
	eperm   = 0x0005_0000 | 1
	enosys  = 0x0005_0000 | 38
	enotsup = 0x0005_0000 | 95
)

// Bits of the flags of clone that make a namespace: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC,
// NEWUSER, NEWPID and NEWNET. CLONE_NEWTIME is a signal number in this call.
const newNamespaces = 0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000

// rules returns the calls whose arguments decide, for one kind of sandbox.
func rules(o Options) []rule {
	all := []rule{
		{call{56, 220}, block(step{mask: newNamespaces, values: []uint32{0}, unless: true, result: eperm})}, // clone
		// The flags of clone3 are in memory, where a filter cannot look. Without the call, libc
		// uses clone; EPERM would make it fail.
		{call{435, 435}, []bpf.Instruction{bpf.RetConstant{Val: enosys}}},                          // clone3
		{call{16, 29}, block(ioctls(o)...)},                                                        // ioctl
		{call{133, none}, block(devices(1))},                                                       // mknod
		{call{259, 33}, block(devices(2))},                                                         // mknodat
		{call{41, 198}, block(families(o))},                                                        // socket
		{call{53, 199}, block(pairs(o)...)},                                                        // socketpair
		{call{141, 140}, block(itself(1), step{values: []uint32{0}, unless: true, result: eperm})}, // setpriority: PRIO_PROCESS
		{call{251, 30}, block(itself(1), step{values: []uint32{1}, unless: true, result: eperm})},  // ioprio_set: IOPRIO_WHO_PROCESS
	}
	// Limits, priorities, processors and memory of other processes: the first argument is a
	// process, and 0 is the caller itself. prlimit(parent, RLIMIT_CPU, 0) kills the parent.
	for _, c := range []call{
		{302, 261}, // prlimit64
		{142, 118}, // sched_setparam
		{144, 119}, // sched_setscheduler
		{203, 122}, // sched_setaffinity
		{314, 274}, // sched_setattr
		{256, 238}, // migrate_pages
		{279, 239}, // move_pages
	} {
		all = append(all, rule{c, block(itself(0))})
	}
	if o.signals() {
		// F_SETOWN and F_SETOWN_EX choose a process that gets signals about a file, and
		// F_SETSIG which ones, SIGKILL included.
		all = append(all, rule{call{72, 25}, block(step{arg: 1, values: []uint32{8, 15}, result: eperm})}) // fcntl
	}
	return all
}

// itself refuses everything but 0, the calling process, in an argument.
func itself(arg int) step {
	return step{arg: arg, values: []uint32{0}, unless: true, result: eperm}
}

// devices refuses S_IFCHR and S_IFBLK in the argument that is a file mode, of which the
// kernel reads 16 bits.
func devices(arg int) step {
	return step{arg: arg, mask: 0xf000, values: []uint32{0x2000, 0x6000}, result: eperm}
}

// families allows the sockets that stay in a network namespace: AF_UNIX, AF_INET, AF_INET6
// and AF_NETLINK. AF_VSOCK, for one, does not: it reaches the hypervisor. Without a network
// namespace there are no sockets.
func families(o Options) step {
	var allowed []uint32
	if o.Namespaces {
		allowed = []uint32{1, 2, 10, 16}
	}
	return step{values: allowed, unless: true, result: eperm}
}

// pairs allows pairs of AF_UNIX sockets. Without namespaces only SOCK_STREAM and
// SOCK_SEQPACKET: a pair of SOCK_DGRAM sends to any other socket whose path it names.
func pairs(o Options) []step {
	unix := step{values: []uint32{1}, unless: true, result: eperm}
	if o.Namespaces {
		return []step{unix}
	}
	return []step{unix, {arg: 1, mask: 0xf, values: []uint32{1, 5}, unless: true, result: eperm}}
}

// ioctls refuses the requests that reach beyond the file they are made on.
func ioctls(o Options) []step {
	// TIOCSTI and TIOCLINUX put input into a terminal, which the user's shell then reads.
	steps := []step{{arg: 1, values: []uint32{0x5412, 0x541c}, result: eperm}}
	if o.signals() {
		// FIOSETOWN and SIOCSPGRP are F_SETOWN for sockets.
		steps = append(steps, step{arg: 1, values: []uint32{0x8901, 0x8902}, result: eperm})
	}
	if o.ReadOnly {
		steps = append(steps,
			// FS_IOC_SETFLAGS, FS_IOC_SETVERSION and its ext4 form, FS_IOC_FSSETXATTR,
			// FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_REMOVE_ENCRYPTION_KEY, FS_IOC_ENABLE_VERITY,
			// FAT_IOCTL_SET_ATTRIBUTES: they need a file that is open for reading only.
			step{arg: 1, values: []uint32{
				0x40086602, 0x40087602, 0x40086604, 0x401c5820,
				0x800c6613, 0xc0406618, 0x40806685, 0x40047211,
			}, result: eperm},
			// FICLONE, FICLONERANGE and FIDEDUPERANGE need a file that is open for writing. The
			// other requests of this group are those of btrfs, which make and delete subvolumes
			// of a folder that is open for reading.
			step{arg: 1, values: []uint32{0x40049409, 0x4020940d, 0xc0189436}, result: allow},
			step{arg: 1, mask: 0xff00, values: []uint32{0x9400}, result: eperm})
	}
	return steps
}

// block returns the instructions of the steps; if none returns a result, it is allow.
func block(steps ...step) []bpf.Instruction {
	var all []bpf.Instruction
	for _, s := range steps {
		all = append(all, s.instructions()...)
	}
	return append(all, bpf.RetConstant{Val: allow})
}

// instructions loads the argument, compares it with each value, and returns the result or
// jumps over it.
func (s step) instructions() []bpf.Instruction {
	all := []bpf.Instruction{bpf.LoadAbsolute{Off: low(s.arg), Size: 4}}
	if s.mask != 0 {
		all = append(all, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: s.mask})
	}
	var over uint8 // what a value that is equal jumps over, after the last comparison
	if s.unless {
		over = 1
	}
	for i, v := range s.values {
		left := uint8(len(s.values) - 1 - i)
		test := bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: left + over}
		if left == 0 {
			test.SkipFalse = 1 - over
		}
		all = append(all, test)
	}
	return append(all, bpf.RetConstant{Val: s.result})
}

// low is the offset of the low 32 bits of an argument in struct seccomp_data.
func low(arg int) uint32 { return 16 + 8*uint32(arg) }
