package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mounted is a mount as it has to be inside. bwrap follows links while it mounts, and commands
// in another sandbox can put a link where a folder was a moment ago. So the file behind each
// path is noted before, without following a link, and the keeper compares.
type mounted struct {
	Path name `json:"path"`
	// Dev and Ino identify the file. Ino 0 stands for any: what is hidden, and mounts of this
	// machine in a folder that is mounted.
	Dev uint64 `json:"dev,omitempty"`
	Ino uint64 `json:"ino,omitempty"`
}

// mountedAs returns what mounts have to be inside.
func mountedAs(mounts []mount) ([]mounted, error) {
	points, err := mountPoints()
	if err != nil {
		return nil, err
	}
	var all []mounted
	for _, m := range mounts {
		if m.access == hidden {
			all = append(all, mounted{Path: name(m.path)})
			continue
		}
		dev, ino, err := identify(m.source())
		if err != nil {
			return nil, fmt.Errorf("%s has changed while the sandbox was starting: %w", m.source(), err)
		}
		all = append(all, mounted{name(m.path), dev, ino})
		for _, p := range points {
			if p != m.source() && within(m.source(), p) {
				all = append(all, mounted{Path: name(m.path + strings.TrimPrefix(p, strings.TrimSuffix(m.source(), "/")))})
			}
		}
	}
	return all, nil
}

// identify returns the file at a path that has no link in it.
func identify(path string) (dev, ino uint64, err error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return 0, 0, err
	}
	return uint64(stat.Dev), stat.Ino, nil
}

// checkMounts reports a mount that is not where or what it has to be, and one that must not be
// there. It is called inside.
func checkMounts(want []mounted) error {
	points, err := mountPoints()
	if err != nil {
		return err
	}
	left := map[string]bool{}
	for _, p := range points {
		if p != "/" && !within("/dev", p) && !within("/proc", p) {
			left[p] = true
		}
	}
	known := map[string]bool{}
	for _, m := range want {
		path := string(m.Path)
		known[path] = true
		if m.Ino == 0 {
			continue
		}
		if dev, ino, err := identify(path); err != nil || !left[path] || dev != m.Dev || ino != m.Ino {
			return fmt.Errorf("%s was replaced while the sandbox was starting", m.Path)
		}
	}
	for p := range left {
		if !known[p] {
			return fmt.Errorf("something was mounted at %s while the sandbox was starting", p)
		}
	}
	for _, m := range want {
		if path := string(m.Path); m.Ino == 0 && !left[path] && exists(path) {
			return fmt.Errorf("%s is not covered: it was replaced while the sandbox was starting", m.Path)
		}
	}
	return nil
}

// mountPoints returns the paths of all mounts that this process sees. Source: proc(5),
// /proc/pid/mountinfo; blanks and backslashes are written as octal numbers.
func mountPoints() ([]string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var points []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, " "); len(fields) > 4 { // other blanks are parts of names
			points = append(points, filepath.Clean(unescape(fields[4])))
		}
	}
	return points, nil
}

// unescape replaces \ooo by the byte with that octal number.
func unescape(field string) string {
	var out strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(field[i])
	}
	return out.String()
}
