// Package landlock confines a process to parts of the file system with Landlock, a sandbox
// of the Linux kernel that any user may enter. It is the weaker of two sandboxes: paths that
// are not allowed stay visible, and file modes and times can be changed (package filter
// refuses those calls).
//
// [ABI] asks the kernel what it offers; elsewhere it says that there is no Landlock. [Exec] drops
// all capabilities, restricts the process and executes the program again with other arguments.
//
// Why it executes the program again: Landlock restricts a thread, and a Go process has
// several. Restricting them one by one gives each a domain of its own, and programs that are
// started from different threads then cannot signal each other, nor can the process always
// stop them. After execve the process has one thread, in one domain, which all its later
// threads and programs inherit.
package landlock
