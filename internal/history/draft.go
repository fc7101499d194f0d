package history

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	// LongestDraft bounds a draft that is kept, in bytes of its text. Of a longer one nothing is kept.
	LongestDraft = 1 << 20
	// mostDrafts bounds the drafts of terminals that have ended. The oldest are removed.
	mostDrafts = 64
	// maxNames bounds the names in the folder that are looked at.
	maxNames = 1000
)

// Draft is a message that the user has written and not sent.
type Draft struct {
	Text  string `json:"text"` // with the labels of its files
	Shell bool   `json:"shell,omitempty"`
	Files []File `json:"files,omitempty"`
	// At is when it was kept.
	At time.Time `json:"at"`
}

// File is a file or a folder that is attached to a draft.
type File struct {
	Path, Name, Label string
	Image, Folder     bool
}

// Drafts keeps the draft of one terminal, so that it outlives the process. Each terminal has a file of its own in the
// folder, readable only by its owner, and a lock beside it while it runs: a file whose lock is free is of a process that was
// killed. Any goroutine may use it.
type Drafts struct {
	fs    vfs.FS
	dir   string
	place string // of names of files

	mu   sync.Mutex
	name string   // of the file without its ending, "" for none yet
	lock vfs.File // nil if there is none
}

// NewDrafts keeps drafts in a folder, which is made with the first one. place says where a draft is offered again: the
// folder that the program works in, and the server.
func NewDrafts(fsys vfs.FS, dir, place string) *Drafts {
	sum := sha256.Sum256([]byte(place))
	return &Drafts{fs: fsys, dir: dir, place: hex.EncodeToString(sum[:8]) + "-"}
}

const (
	draftEnd = ".json"
	lockEnd  = ".lock"
)

// Take returns the newest draft of the place whose terminal has ended without sending it. It is then the one of this terminal:
// the next [Drafts.Keep] replaces it. ok is false if there is none. Where the system has no locks there never is one.
func (d *Drafts) Take() (draft Draft, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := d.newest()
	if err != nil || d.lock != nil {
		return draft, false, d.failed("Take", err)
	}
	for i, name := range names {
		if i >= mostDrafts {
			d.remove(name)
			continue
		}
		if ok || !strings.HasPrefix(name, d.place) {
			continue
		}
		lock := d.claim(name)
		if lock == nil {
			continue
		}
		if draft, ok = d.read(name); !ok {
			d.drop(name, lock)
			continue
		}
		d.name, d.lock = name, lock
	}
	return draft, ok, nil
}

// newest are the names of the drafts of all places, the newest first.
func (d *Drafts) newest() (names []string, err error) {
	entries, err := d.fs.ReadDir(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	at := map[string]time.Time{}
	for _, e := range entries[:min(len(entries), maxNames)] {
		name, isDraft := strings.CutSuffix(e.Name(), draftEnd)
		info, err := e.Info()
		if !isDraft || err != nil || !info.Mode().IsRegular() {
			continue
		}
		names, at[name] = append(names, name), info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return at[b].Compare(at[a]) })
	return names, nil
}

// claim is the lock of a draft whose terminal has ended, nil if it has not, or if that is not known.
func (d *Drafts) claim(name string) vfs.File {
	f, err := d.fs.OpenFile(filepath.Join(d.dir, name+lockEnd), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil
	}
	if f.Claim(vfs.ClaimWrite) != nil {
		_ = f.Close() // nothing was written to it
		return nil
	}
	return f
}

// remove removes the draft of a terminal that has ended.
func (d *Drafts) remove(name string) {
	if lock := d.claim(name); lock != nil {
		d.drop(name, lock)
	}
}

// drop removes a draft and its lock. What stays behind after an error is removed when there are too many.
func (d *Drafts) drop(name string, lock vfs.File) {
	_ = d.fs.Remove(filepath.Join(d.dir, name+draftEnd))
	_ = d.fs.Remove(filepath.Join(d.dir, name+lockEnd))
	_ = lock.Close()
}

// read returns a draft that was kept; ok is false for a file that is none.
func (d *Drafts) read(name string) (draft Draft, ok bool) {
	path := filepath.Join(d.dir, name+draftEnd)
	info, err := d.fs.Stat(path)
	if err != nil || info.Size() > 8*LongestDraft { // a character takes up to six bytes in the file
		return draft, false
	}
	data, err := d.fs.ReadFile(path)
	if err != nil || json.Unmarshal(data, &draft) != nil || len(draft.Text) > LongestDraft || strings.TrimSpace(draft.Text) == "" {
		return Draft{}, false
	}
	return draft, true
}

// Keep stores the draft of this terminal, in place of the one before. One that is blank, longer than [LongestDraft], or begins
// with a space, as messages do that the history does not keep, removes it.
func (d *Drafts) Keep(draft Draft) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.TrimSpace(draft.Text) == "" || strings.HasPrefix(draft.Text, " ") || len(draft.Text) > LongestDraft {
		d.end()
		return nil
	}
	data, err := json.Marshal(draft)
	if err == nil && d.lock == nil {
		err = d.begin()
	}
	if err == nil {
		err = vfs.WriteFileAtomic(d.fs, filepath.Join(d.dir, d.name+draftEnd), data, 0o600)
	}
	return d.failed("Keep", err)
}

// begin makes the lock of this terminal.
func (d *Drafts) begin() error {
	if err := d.fs.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	name := d.place + rand.Text()[:12]
	lock := d.claim(name)
	if lock == nil {
		return errors.New("this file system has no locks")
	}
	d.name, d.lock = name, lock
	return nil
}

// end removes the draft of this terminal.
func (d *Drafts) end() {
	if d.lock != nil {
		d.drop(d.name, d.lock)
		d.lock = nil
	}
}

// Close ends the use of the drafts. The one that was kept last stays, for the next terminal in the place.
func (d *Drafts) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock != nil {
		_ = d.lock.Close()
		d.lock = nil
	}
}

func (d *Drafts) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{
		Op: "history.Drafts." + op, On: d.dir, Kind: fault.Unavailable, Err: err,
		Hint: "a message that you write is lost if sidestick is killed before you send it, until this is repaired",
	}
}
