// Package filter builds and installs the seccomp filter of a sandbox: a program that the
// kernel runs before every system call of a process and its children, and that refuses the
// calls which reach out of the sandbox in spite of namespaces or Landlock.
//
// [Program] builds the filter from tables: system calls that are refused whatever their arguments
// are, in groups with the reason, and those whose arguments decide. [Install] applies it to the
// whole process.
//
// The filter is a list of refused calls, because commands need most of the rest. A list
// like that ages with each new kernel, so calls that are newer than the list do not exist
// for the process: they return ENOSYS. Refused calls return EPERM, which programs expect
// and report; a call in the format of another processor ends the process. Arguments that
// are int for the kernel are compared by their low 32 bits, because the kernel ignores the
// others.
package filter
