package files

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Imported is the result of [Store.Import].
type Imported struct {
	Session string
	Records uint64 // events that were taken over
	// Others are the numbers of the lines that hold a JSON object which is not an event, and
	// was left out: the first 100. OtherCount is how many there are.
	Others     []uint64
	OtherCount int
	// Lost describes the first 100 events whose content was kept beside the log and is
	// missing or damaged there. LostCount is how many there are.
	Lost      []Lost
	LostCount int
	// Repair says what in the log was not a record, nil if it was complete. Import does
	// not change that log: it did not take over CutBytes, and it saved nothing.
	Repair *Repair
}

// Import makes a session of a log that another runtime, or another home, has written:
// the file path, or the events.jsonl in it if it is a folder. It takes over every event
// that can be read, as it is, and the payloads beside the log. An event is a JSON object
// with a type and data. When Import returns nil the session is as durable as the root, for
// every value of [Options.Sync]; after an error or a crash there is no session.
//
// The session gets the given id or, if that is empty, the id in the log's
// session.start event, or else a fresh one. Before there is a session with this id, Import
// calls before with it; an earlier error ends the import.
//
// [fault.Conflict] if a session with that id exists, [fault.Invalid] if it is not a
// valid id or if the file has no event of a session, [fault.NotFound] if there is no log.
func (s *Store) Import(path, session string, before func(session string) error) (Imported, error) {
	const op = "files.Import"
	if session != "" {
		if _, err := s.free(session); err != nil {
			return Imported{}, err
		}
	}
	if info, err := s.fs.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, logName)
	}
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return Imported{}, failed(op, path, err)
	}
	defer f.Close()
	stage := filepath.Join(s.root, trash, rand.Text())
	made, known, err := s.stage(stage, path, f, session)
	if err == nil && made.Records == 0 {
		err = &fault.Error{
			Op: op, On: path, Kind: fault.Invalid, Hint: "give an events.jsonl, or the folder that holds one",
			Err: errString("nothing in it is an event"),
		}
	}
	if err == nil && known == 0 {
		err = &fault.Error{
			Op: op, On: path, Kind: fault.Invalid, Hint: "give an events.jsonl, or the folder that holds one",
			Err: errString("it is not the log of a session: no event in it is of a type that sessions have"),
		}
	}
	if err == nil {
		_, err = s.free(made.Session)
	}
	if err == nil {
		err = before(made.Session)
	}
	if err == nil {
		err = s.publish(stage, made.Session)
	}
	if err != nil {
		s.remove(stage)
		return Imported{}, failed(op, path, err)
	}
	if _, err := s.Accept(made.Session); err != nil { // the next Open makes the index just as well
		s.log.Warn("an imported log has no index yet", "session", made.Session, "error", err)
	}
	return made, nil
}

// stage writes a copy of the log f at path to dir, where it is not a session yet. If it
// stays there, the next [Open] removes it. known is how many events are of a type that
// sessions have.
func (s *Store) stage(dir, path string, f vfs.File, session string) (made Imported, known uint64, err error) {
	made.Session = session
	info, err := f.Stat()
	if err != nil {
		return made, 0, err
	}
	if err := s.fs.MkdirAll(dir, dirPerm); err != nil {
		return made, 0, err
	}
	err = s.writeSynced(filepath.Join(dir, logName), func(w *bufio.Writer) error {
		write := lineWriter(w)
		seen, err := scanLog(f, 0, info.Size(), func(rec record) error {
			if !isEvent(rec.json) {
				made.addOther(rec.line)
				return nil
			}
			made.Records++
			if isKnown(rec.json) {
				known++
			}
			if err := s.takePayload(&made, filepath.Dir(path), dir, rec.json); err != nil {
				return err
			}
			if made.Session == "" {
				made.Session = startedAs(rec.json)
			}
			return write(rec)
		})
		made.Repair = seen.report()
		return err
	})
	if made.Session == "" {
		made.Session = wire.NewSessionID()
	}
	if err == nil {
		err = s.fs.SyncDir(dir)
	}
	return made, known, err
}

// isEvent reports whether a JSON object is an event, or stands for one.
func isEvent(object []byte) bool {
	e, err := wire.ParseEvent(object)
	return err == nil && len(e.Data) > 0 && e.Data[0] == '{' || eventlog.Reference(object) != ""
}

// isKnown reports whether an event, or the one that a record stands for, is of a type of the
// protocol.
func isKnown(object []byte) bool {
	e, err := wire.ParseEvent(object)
	_, known := wire.Kinds[e.Type]
	return err == nil && known || eventlog.Reference(object) != ""
}

// addOther counts an object that is not an event.
func (m *Imported) addOther(line uint64) {
	if m.OtherCount++; m.OtherCount <= maxLost {
		m.Others = append(m.Others, line)
	}
}

// takePayload copies the payload that the last record refers to, if it does, from the
// folder of one log to that of another. A payload that is missing or damaged is not
// repaired, and is counted.
func (s *Store) takePayload(made *Imported, from, to string, rec []byte) error {
	ref, ok := referenceOf(made.Records, rec)
	if !ok {
		return nil
	}
	data, err := s.payload(from, ref.name)
	switch kind := fault.KindOf(err); {
	case err == nil:
		return s.putPayload(to, ref.name, data)
	case kind == fault.NotFound || kind == fault.Conflict:
		if made.LostCount++; made.LostCount <= maxLost {
			made.Lost = append(made.Lost, ref.lost(err))
		}
		return nil
	}
	return err
}

// startedAs returns the session id of a session.start event; empty if it has none, or
// if the event is another one.
func startedAs(event []byte) string {
	if !bytes.Contains(event, []byte("session.start")) {
		return ""
	}
	e, err := wire.ParseEvent(event)
	if err != nil || e.Type != "session.start" {
		return ""
	}
	var start struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(e.Data, &start) // a value of another type counts as missing
	return start.SessionID
}

// report describes the damage of a log that was read and not repaired.
func (v *scanResult) report() *Repair {
	switch {
	case v.clean():
		return nil
	case v.scattered():
		return &Repair{Salvaged: v.salvaged, Dropped: v.dropped, Reason: v.why()}
	}
	return &Repair{CutBytes: v.size - v.keep, Reason: v.why()}
}

// publish moves a durable folder to where the sessions are.
func (s *Store) publish(stage, session string) error {
	dir, err := s.free(session)
	if err != nil {
		return err
	}
	if err := s.fs.Rename(stage, dir); err != nil {
		return err
	}
	err = s.fs.SyncDir(s.root)
	if err == nil {
		err = s.fs.SyncDir(filepath.Dir(stage)) // not earlier: until now it was the only durable name
	}
	if err == nil {
		err = s.nameRoot()
	}
	if err != nil {
		_ = s.fs.Rename(dir, stage) // the first error is the one to act on
	}
	return err
}

// free returns the folder for a new session; it is an error if the session exists.
func (s *Store) free(session string) (dir string, err error) {
	const op = "files.Import"
	if dir, err = s.dir(op, session); err != nil {
		return "", err
	}
	if _, err := s.fs.Stat(dir); err == nil {
		return "", &fault.Error{
			Op: op, On: shown(session), Kind: fault.Conflict, Hint: "give it another id with --id",
			Err: errString("a session with this id exists"),
		}
	}
	return dir, nil
}
