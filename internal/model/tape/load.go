package tape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const opReplay = "tape.Replay"

// maxFile bounds a recording, in bytes, because it is read as a whole.
const maxFile = 1 << 30

// lines are the contents of a recording, in order.
type lines struct {
	calls       []*call
	tools       []*Result
	permissions []*Decision
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
	all := bytes.Split(bytes.TrimRight(data, "\n"), []byte{'\n'})
	l := &lines{}
	for i, line := range all {
		err := l.add(i == 0, line)
		switch {
		case err == nil:
		case errors.Is(err, errCut) && i > 0 && (i == len(all)-1 || isHeader(all[i+1])):
		default:
			return nil, refused(path, "line %d: %w", i+1, err)
		}
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
		return cmpErr(json.Unmarshal(line, c), c.check)
	case head.Type == typeTool:
		t := &Result{}
		l.tools = append(l.tools, t)
		return cmpErr(json.Unmarshal(line, t), nil)
	case head.Type == typePermission:
		d := &Decision{}
		l.permissions = append(l.permissions, d)
		return cmpErr(json.Unmarshal(line, d), nil)
	}
	return nil // a line of a later program, which changes nothing
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

// check refuses a line that cannot be answered from.
func (c *call) check() error {
	if _, err := url.Parse(c.Request.URL); err != nil || c.Request.Method == "" || c.Request.URL == "" {
		return errors.New("it has no request")
	}
	if c.Answer == nil && c.Failure == "" {
		return errors.New("it has neither an answer nor a failure")
	}
	if a := c.Answer; a != nil && !a.Aborted && (a.Status < 100 || a.Status > 999) {
		return fmt.Errorf("%d is not an HTTP status", a.Status)
	}
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
