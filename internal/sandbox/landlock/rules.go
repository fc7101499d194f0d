package landlock

// Rules says what a confined process may use, besides the program that it is. Everything
// else is refused; so is TCP, where the version of Landlock knows it (4), and signals and
// abstract sockets to processes outside (6). A folder stands for all that is below it, and
// there are no exceptions below an allowed folder.
//
// Paths must be absolute, must exist, and no part of them may be a symbolic link.
type Rules struct {
	Read    []string // files and folders to read and execute
	Write   []string // files and folders to read, execute, write, make and remove
	Devices []string // character devices to read, write and control, such as /dev/null
}
