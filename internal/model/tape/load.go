package tape

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const opReplay = "tape.Replay"

// The bounds of a recording, which is read as a whole, and may come from elsewhere. Each of its lines,
// pieces and places costs more memory than it has bytes. Each place costs a comparison with each
// request.
const (
	maxFile   = 1 << 30   // bytes
	maxLines  = 200_000   // calls of models, results and decisions
	maxPieces = 2_000_000 // of all answers: at least 2 hours of them, see [joinTime]
	maxPlaces = 2_000     // sessions and sub-agents
)

// lines are the contents of a recording, in order.
type lines struct {
	calls       []*call
	tools       []*Result
	permissions []*Decision
	pieces      int // of all answers
	places      map[model.Place]bool
}

// load reads a recording.
func load(files vfs.FS, path string) (*lines, error) {
	info, err := files.Stat(path)
	if err != nil {
		return nil, unusable(opReplay, path, err)
	}
	if info.Size() > maxFile {
		return nil, refused(path, "it is larger than %d MiB", maxFile>>20)
	}
	f, err := files.OpenFile(path, os.O_RDONLY, 0) // says what is wrong with a folder or a pipe
	if err != nil {
		return nil, unusable(opReplay, path, err)
	}
	_ = f.Close() // nothing was written
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, unusable(opReplay, path, err)
	}
	return parse(path, data)
}

// parse reads the lines of a recording. A line that cannot be read is accepted where a process has
// been killed: as the last one, or before the header of the next process.
func parse(path string, data []byte) (*lines, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, refused(path, "it is empty")
	}
	l := &lines{places: map[model.Place]bool{}}
	line, rest, more := bytes.Cut(bytes.TrimRight(data, "\n"), []byte{'\n'})
	for i := 0; ; i++ {
		next, after, further := bytes.Cut(rest, []byte{'\n'})
		err := l.add(i == 0, line)
		switch {
		case err == nil:
		case errors.Is(err, errCut) && i > 0 && (!more || isHeader(next)):
		default:
			return nil, refused(path, "line %d: %w", i+1, err)
		}
		if !more {
			break
		}
		line, rest, more = next, after, further
	}
	return l, nil
}

func refused(path, format string, args ...any) error {
	e := fault.New(fault.Invalid, opReplay, path, "the recording cannot be used: "+format, args...)
	e.Hint = "make one with --record FILE"
	return e
}

// errCut is the error of a line that is not a JSON object.
var errCut = errors.New("it is not a JSON object; has the file been cut or changed?")

func isHeader(line []byte) bool {
	var h header
	return json.Unmarshal(line, &h) == nil && h.Type == typeHeader
}

// add reads one line.
func (l *lines) add(first bool, line []byte) error {
	var head struct {
		Type    string `json:"type"`
		Version int    `json:"version"`
	}
	if json.Unmarshal(line, &head) != nil {
		return errCut
	}
	switch {
	case first && head.Type != typeHeader:
		return errors.New(`it is not the first line of a recording, which has "type":"recording"`)
	case head.Type == typeHeader && head.Version != Version:
		return fmt.Errorf("it has version %d, and this program reads version %d; record it again", head.Version, Version)
	case head.Type == typeCall:
		c := &call{}
		l.calls = append(l.calls, c)
		return cmpErr(json.Unmarshal(line, c), func() error { return cmp.Or(c.check(l), l.bound(c.Place)) })
	case head.Type == typeTool:
		t := &Result{}
		l.tools = append(l.tools, t)
		return cmpErr(json.Unmarshal(line, t), func() error { return l.bound(t.Place) })
	case head.Type == typePermission:
		d := &Decision{}
		l.permissions = append(l.permissions, d)
		return cmpErr(json.Unmarshal(line, d), func() error { return l.bound(d.Place) })
	}
	return nil // a line of a later program, which changes nothing
}

// bound counts a line of a place, and what it has.
func (l *lines) bound(at model.Place) error {
	l.places[at] = true
	switch {
	case l.pieces > maxPieces:
		return errors.New("the answers have more than 2,000,000 pieces; record the sessions in several files")
	case len(l.places) > maxPlaces:
		return errors.New("the lines are of more than 2,000 sessions and sub-agents; record them in several files")
	case len(l.calls)+len(l.tools)+len(l.permissions) > maxLines:
		return errors.New("it has more than 200,000 calls of models, results and decisions; record the sessions in several files")
	}
	return nil
}

// cmpErr is the error of decoding, in our own words, or that of a check.
func cmpErr(err error, check func() error) error {
	switch {
	case err != nil:
		return fault.JSON(err)
	case check != nil:
		return check()
	}
	return nil
}

// check refuses a line that cannot be answered from, and counts its pieces.
func (c *call) check(l *lines) error {
	if _, err := url.Parse(c.Request.URL); err != nil || c.Request.Method == "" || c.Request.URL == "" {
		return errors.New("it has no request")
	}
	if c.Answer == nil && c.Failure == "" {
		return errors.New("it has neither an answer nor a failure")
	}
	if err := checkHeaders(c.Request.Headers); err != nil {
		return err
	}
	if a := c.Answer; a != nil {
		if none := a.Status == 0 && a.Aborted; !none && (a.Status < 100 || a.Status > 999) {
			return fmt.Errorf("%d is not an HTTP status", a.Status)
		}
		if err := checkHeaders(a.Headers); err != nil {
			return err
		}
		l.pieces += len(a.Pieces)
	}
	return c.checkBodies()
}

// checkHeaders refuses headers that no connection could have carried, such as one with a line end.
func checkHeaders(all map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == ':' }) || strings.ContainsFunc(all[name], control) {
			return fmt.Errorf("the header %q is not one of HTTP", fault.Bounded(name))
		}
	}
	return nil
}

// control reports whether a character may not be in the value of a header.
func control(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// checkBodies refuses bodies that [content.bytes] and [piece.bytes] cannot decode.
func (c *call) checkBodies() error {
	texts := []string{c.Request.Base64}
	if c.Answer != nil {
		for _, p := range c.Answer.Pieces {
			texts = append(texts, p.Base64)
		}
	}
	for _, text := range texts {
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return errors.New("a body is not base64")
		}
	}
	return nil
}
