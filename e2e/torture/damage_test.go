//go:build unix

package torture_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

// The states of the files after the process has ended.
const (
	power = "power" // what was not synced is lost: cut at some byte, or zeros
	flip  = "flip"  // one bit in the last line of the log
)

// damage is what is done to the files a dead process has left.
type damage struct {
	kind string // empty: nothing
	seed int    // says where
}

// durable are the events that a power cut must not take.
var durable = map[string]bool{
	"user.message": true, "tool.execution_start": true, "tool.execution_complete": true, "assistant.turn_end": true,
}

// logOf is the log of a session.
func logOf(home, session string) string {
	return filepath.Join(home, "session-state", session, "events.jsonl")
}

// damage does it to the session's files, and notes what may be missing from now on
// and what must be told.
func (t *talk) damage(d damage, home string, ops []op) error {
	t.flipped, t.flippedData = "", data{}
	path := logOf(home, t.id)
	before, err := readLog(path)
	if err == nil && d.kind != "" {
		random := rand.New(rand.NewPCG(uint64(d.seed), 7))
		err = t.inflict(d.kind, random, path, before, ops)
	}
	if err == nil {
		before, err = readLog(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	t.broken = t.broken || len(before) > 0 && before[len(before)-1].Type == ""
	return err
}

func (t *talk) inflict(kind string, random *rand.Rand, path string, before []told, ops []op) error {
	if kind == flip {
		return t.flip(random, path, before)
	}
	if err := cutPower(random, filepath.Dir(path), ops); err != nil {
		return err
	}
	return t.noteLoss(path, before)
}

// noteLoss notes which events a power cut took, as far as it may.
func (t *talk) noteLoss(path string, before []told) error {
	left, err := readLog(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.vanished = t.vanished || err != nil
	kept := map[string]bool{}
	for _, e := range left {
		kept[e.raw] = true
	}
	for _, e := range before {
		if e.Type != "" && !kept[e.raw] && !durable[string(e.Type)] {
			t.lost[e.ID] = true
		}
	}
	return nil
}

// cutPower takes from a folder what a power cut could take: bytes that were not
// synced, and names whose folder was not.
func cutPower(random *rand.Rand, dir string, ops []op) error {
	synced, unnamed := durability(ops)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was just taken
		case err != nil:
			return err
		case unnamed[path] && random.IntN(2) == 0:
			return os.RemoveAll(path)
		case d.IsDir():
			return nil
		}
		return lose(random, path, synced[path])
	})
}

// durability reads from a trace how much of each file was synced, and which names
// were not.
func durability(ops []op) (synced map[string]int64, unnamed map[string]bool) {
	synced, unnamed = map[string]int64{}, map[string]bool{}
	for i, o := range ops {
		switch o.name {
		case "syncall":
			for path, size := range written(ops[:i], o.n) {
				synced[path] = max(synced[path], size)
				delete(unnamed, path)
				delete(unnamed, filepath.Dir(path))
			}
		case "open", "mkdirall":
			unnamed[o.path] = true
		case "sync":
			synced[o.path] = o.size
		case "truncate":
			synced[o.path] = min(synced[o.path], o.size)
		case "syncdir":
			for path := range unnamed {
				if filepath.Dir(path) == o.path {
					delete(unnamed, path)
				}
			}
		}
	}
	return synced, unnamed
}

// written is how long each file was made by the operations with numbers before n,
// those that others had begun and not ended left aside.
func written(ops []op, n int) map[string]int64 {
	size := map[string]int64{}
	for _, o := range ops {
		switch {
		case o.n > n:
		case o.name == "open":
			size[o.path] += 0
		case o.name == "write":
			size[o.path] += o.size
		case o.name == "truncate":
			size[o.path] = min(size[o.path], o.size)
		}
	}
	return size
}

// lose cuts a file somewhere behind the synced part, or has zeros there.
func lose(random *rand.Rand, path string, synced int64) error {
	text, err := os.ReadFile(path)
	if err != nil || int64(len(text)) <= synced {
		return err
	}
	cut := synced + random.Int64N(int64(len(text))-synced+1)
	if random.IntN(3) == 0 {
		copy(text[cut:], make([]byte, int64(len(text))-cut))
		return os.WriteFile(path, text, 0o600)
	}
	return os.Truncate(path, cut)
}

// flip changes one bit in the last line of the log.
func (t *talk) flip(random *rand.Rand, path string, before []told) error {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return err
	}
	start := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	text[start+random.IntN(len(text)-start)] ^= 1 << random.IntN(8)
	last := before[len(before)-1]
	t.lost[last.ID] = true
	t.flipped, t.flippedAt, t.flippedData = strings.TrimSuffix(string(text[start:]), "\n"), len(before)-1, read(last)
	if t.flippedData.MessageID == "" {
		t.flippedData.MessageID = t.flippedData.Queued.MessageID
	}
	return os.WriteFile(path, text, 0o600)
}

// acceptChange does what a person does whose log was changed behind a sync: the
// program refuses it and names the line, and the person takes it as it is.
func (t *talk) acceptChange(home string) error {
	store, err := files.Open(files.Options{Root: filepath.Join(home, "session-state")})
	if err != nil {
		return err
	}
	report, err := store.Verify(t.id)
	if err != nil || report.Changed == nil || !report.Changed.Sealed {
		return err
	}
	if t.named = true; report.Changed.Line != uint64(t.flippedAt+1) {
		t.fault(unreported, "line %d was changed, and line %d is named", t.flippedAt+1, report.Changed.Line)
	}
	repair, err := store.Accept(t.id)
	t.broken = t.broken && repair == nil // else that person was told, and the log is whole
	return err
}
