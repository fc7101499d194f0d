package sandbox

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ownDevices are the devices that a sandbox makes for itself, with their numbers. Source: bwrap(1), --dev;
// devices.txt of Linux.
var ownDevices = []struct {
	name         string
	major, minor uint32
}{{"full", 1, 7}, {"null", 1, 3}, {"random", 1, 8}, {"tty", 5, 0}, {"urandom", 1, 9}, {"zero", 1, 5}}

// deviceArgs returns the arguments of bwrap that give a sandbox devices of its own, made in dir:
// of those of the machine, root inside could change the mode, and no program outside could use
// /dev/null any more. There are none where making devices is not allowed, which means that
// root is not that of the machine and cannot change them, or where dir may not have devices.
func deviceArgs(dir string) (args []string, err error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, d := range ownDevices {
		path := filepath.Join(dir, d.name)
		switch err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(d.major, d.minor))); {
		case errors.Is(err, unix.EPERM):
			return nil, nil
		case err != nil:
			return nil, &os.PathError{Op: "mknod", Path: path, Err: err}
		}
		if err := os.Chmod(path, 0o666); err != nil { // whatever the umask says
			return nil, err
		}
		args = append(args, "--dev-bind", path, "/dev/"+d.name)
	}
	null, err := os.OpenFile(filepath.Join(dir, "null"), os.O_WRONLY, 0)
	if errors.Is(err, unix.EACCES) { // the file system is mounted with nodev
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return args, null.Close()
}
