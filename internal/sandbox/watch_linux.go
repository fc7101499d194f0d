package sandbox

import (
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mostWatches bounds the folders of a session that the kernel watches: other programs of the user, such as
// editors, need watches too, and the kernel has some 65,000 for a user. It is more folders than a repository of 100,000
// files has.
const mostWatches = 16_384

// watcher learns from the kernel in which folders entries have been made, renamed or removed, so that a look need not
// ask for the state of each. The kernel tells it of folders, not of paths: if another folder has got the path of one, the
// folder above has changed. Source: inotify(7). A nil watcher watches nothing.
type watcher struct {
	file *os.File // its finalizer closes it

	mu      sync.Mutex // guards the rest; folders are read by several goroutines
	folders map[int32]*folder
}

// newWatcher returns nil where the kernel has no more of them for this user.
func newWatcher() *watcher {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	return &watcher{file: os.NewFile(uintptr(fd), "inotify"), folders: map[int32]*folder{}}
}

func (w *watcher) close() {
	if w != nil {
		w.file.Close()
	}
}

// control calls f with the descriptor, which does not block.
func (w *watcher) control(f func(fd int)) error {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(func(fd uintptr) bool { f(int(fd)); return true })
}

// add watches a folder that is open, before its entries are read. It reports whether the kernel does.
func (w *watcher) add(f *folder, opened *os.File) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.folders) >= mostWatches {
		return false
	}
	watch, failed := 0, error(nil)
	err := w.control(func(fd int) {
		const events = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
		watch, failed = unix.InotifyAddWatch(fd, "/proc/self/fd/"+strconv.Itoa(int(opened.Fd())), events|unix.IN_ONLYDIR)
	})
	if err != nil || failed != nil {
		return false
	}
	w.folders[int32(watch)] = f
	return true
}

// drain marks the folders that have changed since the last call. whole is false if the kernel has lost some: then each
// has to be asked for its state.
func (w *watcher) drain() (whole bool) {
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	whole = true
	buffer := make([]byte, 64<<10)
	for {
		n := 0
		err := w.control(func(fd int) { n, _ = unix.Read(fd, buffer) })
		if err != nil {
			return false
		}
		if n <= 0 {
			return whole
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&buffer[at]))
			at += unix.SizeofInotifyEvent + int(e.Len)
			f := w.folders[e.Wd]
			switch {
			case e.Mask&unix.IN_Q_OVERFLOW != 0:
				whole = false
			case f == nil:
			case e.Mask&unix.IN_IGNORED != 0:
				f.watched = false
				delete(w.folders, e.Wd)
			default:
				f.changed = true
			}
		}
	}
}
