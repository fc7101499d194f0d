//go:build linux

package canary_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// tree is what the system says about files: size, mode, owner, times, links. The time of the
// latest change of any of it, extended attributes included, is in it, so a content that was
// changed and changed back is a difference as well.
type tree map[string]string

// add adds a file or folder and everything below it, without the folders in except.
func (s tree) add(root string, except ...string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read is not added
		if slices.Contains(except, path) {
			return fs.SkipDir
		}
		if err == nil {
			s.addOne(path)
		}
		return nil
	})
}

// addFolder adds a folder and what is directly in it.
func (s tree) addFolder(folder string, except ...string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); !slices.Contains(except, path) {
			s[path] = "there"
		}
	}
}

func (s tree) addOne(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	st := info.Sys().(*syscall.Stat_t)
	s[path] = fmt.Sprintf("%v uid %d gid %d links %d size %d inode %d written %d changed %d", info.Mode(), st.Uid, st.Gid, st.Nlink, st.Size, st.Ino, st.Mtim.Nano(), st.Ctim.Nano())
}

// differences lists what is not the same in two trees.
func (s tree) differences(now tree) (all []string) {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		if now[path] == "" {
			all = append(all, "removed: "+path)
		} else if now[path] != s[path] {
			all = append(all, "changed: "+path+": "+s[path]+" is now "+now[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if s[path] == "" {
			all = append(all, "new: "+path)
		}
	}
	return all
}

// systemTree is the part of the machine that commands may try to change.
func systemTree() tree {
	s := tree{}
	for _, root := range []string{"/etc", "/var/spool", "/usr/local/bin", "/usr/local/etc"} {
		s.add(root)
	}
	for _, folder := range []string{"/usr/bin", "/opt", "/home", "/var/lib"} {
		s.addFolder(folder)
	}
	for _, file := range []string{"/x", "/y", "/root/x", "/root/.bashrc", "/root/.profile", "/root/.ssh/authorized_keys", "/root/.gitconfig"} {
		s.addOne(file)
	}
	if contained() {
		for _, folder := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
			s.addFolder(folder)
		}
	}
	for _, file := range []string{
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname", "/proc/sys/vm/overcommit_memory", "/proc/sys/net/ipv4/ip_forward",
		"/proc/self/mountinfo", "/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg", "/proc/swaps", "/proc/modules",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			text = []byte(err.Error())
		}
		s[file] = strings.TrimSpace(string(text)) + "."
	}
	return s
}
