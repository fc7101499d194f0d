package filter

import "github.com/sidestick-dev/sidestick/internal/lazy"

// refused lists the calls that are refused in every sandbox.
var refused = [][]call{
	// Reading or changing other processes. Landlock and a user namespace stop most of
	// these, but not between the commands of one sandbox and its keeper.
	{
		{101, 117}, // ptrace
		{310, 270}, // process_vm_readv
		{311, 271}, // process_vm_writev
		{312, 272}, // kcmp
		{438, 438}, // pidfd_getfd
		{440, 440}, // process_madvise
		{448, 448}, // process_mrelease
	},
	// io_uring makes sockets and opens files without the calls that are filtered.
	{
		{425, 425}, // io_uring_setup
		{426, 426}, // io_uring_enter
		{427, 427}, // io_uring_register
	},
	// Changing what paths mean. In a user namespace of its own a process may do all of it.
	{
		{165, 40},  // mount
		{166, 39},  // umount2
		{155, 41},  // pivot_root
		{161, 51},  // chroot
		{428, 428}, // open_tree
		{429, 429}, // move_mount
		{430, 430}, // fsopen
		{431, 431}, // fsconfig
		{432, 432}, // fsmount
		{433, 433}, // fspick
		{442, 442}, // mount_setattr
		{467, 467}, // open_tree_attr
	},
	// Namespaces: a new user namespace gives all capabilities inside it, and with them most
	// of the kernel's attack surface. clone and clone3 are in arguments.go.
	{
		{272, 97},  // unshare
		{308, 268}, // setns
		{470, 470}, // listns
		{460, 460}, // lsm_set_self_attr, which changes the AppArmor or SELinux profile
	},
	// The kernel's keyrings, which hold the user's keys and do not belong to a sandbox.
	{
		{248, 217}, // add_key
		{249, 218}, // request_key
		{250, 219}, // keyctl
	},
	// Parts of the kernel with many flaws that commands have no use for.
	{
		{321, 280},  // bpf
		{298, 241},  // perf_event_open
		{323, 282},  // userfaultfd
		{154, none}, // modify_ldt
		{134, none}, // uselib
		{212, 18},   // lookup_dcookie
		{135, 92},   // personality
		{103, 116},  // syslog, which reads the kernel's messages
	},
	// Administration of the machine. Root may do it where capabilities were not dropped.
	{
		{175, 105},  // init_module
		{313, 273},  // finit_module
		{176, 106},  // delete_module
		{174, none}, // create_module
		{177, none}, // get_kernel_syms
		{178, none}, // query_module
		{246, 104},  // kexec_load
		{320, 294},  // kexec_file_load
		{169, 142},  // reboot
		{167, 224},  // swapon
		{168, 225},  // swapoff
		{163, 89},   // acct
		{179, 60},   // quotactl
		{443, 443},  // quotactl_fd
		{180, 42},   // nfsservctl
		{156, none}, // _sysctl
		{172, none}, // iopl
		{173, none}, // ioperm
		{153, 58},   // vhangup
		{164, 170},  // settimeofday
		{227, 112},  // clock_settime
		{159, 171},  // adjtimex
		{305, 266},  // clock_adjtime
		{170, 161},  // sethostname
		{171, 162},  // setdomainname
	},
	// Opening files without a path, and watching those of others.
	{
		{303, 264}, // name_to_handle_at
		{304, 265}, // open_by_handle_at
		{300, 262}, // fanotify_init
		{301, 263}, // fanotify_mark
	},
}

// metadata lists the calls that change modes, owners, times and attributes of files, which
// Landlock does not restrict: they reach every file of the user. ioctl is in arguments.go.
var metadata = []call{
	{90, none},  // chmod
	{91, 52},    // fchmod
	{268, 53},   // fchmodat
	{452, 452},  // fchmodat2
	{92, none},  // chown
	{93, 55},    // fchown
	{94, none},  // lchown
	{260, 54},   // fchownat
	{132, none}, // utime
	{235, none}, // utimes
	{261, none}, // futimesat
	{280, 88},   // utimensat
	{188, 5},    // setxattr
	{189, 6},    // lsetxattr
	{190, 7},    // fsetxattr
	{463, 463},  // setxattrat
	{197, 14},   // removexattr
	{198, 15},   // lremovexattr
	{199, 16},   // fremovexattr
	{466, 466},  // removexattrat
	{469, 469},  // file_setattr
}

// ipc lists the calls on shared memory, semaphores and message queues that all processes of
// a user share, unless an IPC namespace separates them. They need no file: the numbers of
// System V objects can be guessed, so opening them is not the only way in.
var ipc = []call{
	{29, 194},  // shmget
	{30, 196},  // shmat
	{31, 195},  // shmctl
	{64, 190},  // semget
	{65, 193},  // semop
	{220, 192}, // semtimedop
	{66, 191},  // semctl
	{68, 186},  // msgget
	{69, 189},  // msgsnd
	{70, 188},  // msgrcv
	{71, 187},  // msgctl
	{240, 180}, // mq_open
	{241, 181}, // mq_unlink
}

// elsewhere lists the calls that tell about any file of the user, which Landlock does not restrict: the
// names of the files that other programs use in a folder, and extended attributes, in which
// browsers store where a file came from. fgetxattr and flistxattr need an open file.
var elsewhere = []call{
	{253, none}, // inotify_init
	{294, 26},   // inotify_init1
	{254, 27},   // inotify_add_watch
	{191, 8},    // getxattr
	{192, 9},    // lgetxattr
	{464, 464},  // getxattrat
	{194, 11},   // listxattr
	{195, 12},   // llistxattr
	{465, 465},  // listxattrat
}

// signals lists the calls that send signals, where nothing else keeps them in the sandbox.
// fcntl and ioctl, which choose who gets a signal about a file, are in arguments.go.
var signals = []call{
	{62, 129},  // kill
	{200, 130}, // tkill
	{234, 131}, // tgkill
	{129, 138}, // rt_sigqueueinfo
	{297, 240}, // rt_tgsigqueueinfo
	{424, 424}, // pidfd_send_signal
}

// arch is what the filter has to know about a processor.
type arch struct {
	audit  uint32   // AUDIT_ARCH_* of its native system calls
	column int      // its column in the tables of calls
	gaps   [][2]int // numbers below newest that no call has, first and last
}

// The columns of [call].
const (
	amd64 = iota
	arm64
)

// arches has the processors that the filter exists for, by GOARCH. Both are little-endian,
// which [low] depends on.
var arches = lazy.Value[map[string]arch]{Make: func() map[string]arch {
	return map[string]arch{
		"amd64": {audit: 0xc000003e, column: amd64, gaps: [][2]int{{337, 423}}},
		"arm64": {audit: 0xc00000b7, column: arm64, gaps: [][2]int{{244, 259}, {295, 423}}},
	}
}}

// newest is the highest number that the tables were written for, rseq_slice_yield of Linux
// 7.0; since 424 the numbers are the same on all processors. The calls of the x32 format
// of amd64 have bit 30 set, so they are above it. To raise it, decide for each
// call between whether calls.go has to list it.
const newest = 471

// call is a system call: its number on each processor, or none.
type call [2]int

// none stands for a call that a processor does not have.
const none = -1
