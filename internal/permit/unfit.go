package permit

import "path/filepath"

// kernelFolders hold no files of the user: the system makes what is in them. /proc has links into the folders of every
// process, and writing in /sys and /dev changes the machine.
var kernelFolders = []string{"/proc", "/sys", "/dev"}

// sharedMemory is the folder in /dev whose files are ordinary ones.
const sharedMemory = "/dev/shm"

// OfKernel reports whether a resolved path is in a folder whose content the system makes. Such a folder cannot be
// worked in: nobody can say who has made what is there.
func OfKernel(real string) bool {
	for _, folder := range kernelFolders {
		if within(folder, real) && !within(sharedMemory, real) {
			return true
		}
	}
	return false
}

// KernelFolder is why a folder of [OfKernel] is refused, in words for the user.
const KernelFolder = "it is in /proc, /sys or /dev, where the system makes what is there"

// Unfit says why a file of a repository cannot make a resolved folder one to work in, whatever the user trusts; "" if it
// can. home is the folder of the user's configuration, and userHome the user's home folder; "" for none.
func Unfit(real, home, userHome string) string {
	holds := func(inner string) bool { return inner != "" && within(real, inner) }
	switch {
	case filepath.Dir(real) == real:
		return "no sandbox can confine commands to the whole file system"
	case OfKernel(real):
		return KernelFolder
	case holds(userHome):
		return "it holds your home folder, with the files that your programs obey"
	case holds(home), home != "" && within(home, real):
		return "it holds settings and sessions of this program"
	}
	return ""
}
