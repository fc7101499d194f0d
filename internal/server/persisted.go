package server

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// persistedBytes bounds the events of one page of sessions.readPersistedEvents, in bytes. A
// longer event is a page of its own. Source: the SDK's schema.
const persistedBytes = 1 << 20

// persistedPage is a page of a stored log. Its cursor is stateless: it holds the number of a
// line, and the id of the event there, by which a log that was replaced is noticed.
type persistedPage struct {
	back  bool
	at    int    // the page follows this line or, going back, ends with it; -1: the newest
	id    string // of the event at line at
	lines []storedLine
	size  int
	front string // going back: the id of the line before the first
	more  bool
}

type storedLine struct {
	id   string
	text json.RawMessage
}

// readPersisted answers with a page of a session's log, which need not be open. It reads the
// log from its beginning each time.
func readPersisted(ctx context.Context, c *conn, p struct {
	wire.EventLogRead
	SessionID string `json:"sessionId"`
},
) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	req, err := pageRequest(&p.EventLogRead)
	if err != nil {
		return nil, err
	}
	page := persistedPage{back: req.Backward}
	if req.Backward {
		page.at = -1
	}
	if req.Cursor != "" && !page.parse(req.Cursor) {
		return page.json("expired"), nil
	}
	return c.largeAnswer(ctx, func() (any, error) {
		switch err := page.read(c.home().Sessions.History(ctx, p.SessionID), req.Max); {
		case errors.Is(err, errExpired):
			return (&persistedPage{back: page.back, at: page.at, id: page.id}).json("expired"), nil
		case err != nil:
			return nil, err
		}
		return page.json("ok"), nil
	})
}

var errExpired = errors.New("the log is no longer the one of the cursor")

// parse reads a cursor, and reports whether it is one.
func (p *persistedPage) parse(cursor string) bool {
	fields := strings.SplitN(cursor, ".", 4)
	if len(fields) != 4 || fields[0] != "log" || fields[1] != "on" && fields[1] != "back" {
		return false
	}
	at, err := strconv.Atoi(fields[2])
	p.back, p.at, p.id = fields[1] == "back", at, fields[3]
	return err == nil && at >= 0
}

func (p *persistedPage) cursor() string {
	way := "on"
	if p.back {
		way = "back"
	}
	return "log." + way + "." + strconv.Itoa(p.at) + "." + p.id
}

// read fills the page, with most lines at most.
func (p *persistedPage) read(history iter.Seq2[json.RawMessage, error], most int) error {
	n := 0
	for line, err := range history {
		if err != nil {
			return err
		}
		id := wire.Raw(line).Get("id").Text()
		if n++; n == p.at && id != p.id {
			return errExpired
		}
		switch {
		case p.back && (p.at < 0 || n <= p.at):
			p.add(id, line)
			for p.overfull(most) {
				p.front = p.lines[0].id
				p.size -= len(p.lines[0].text)
				p.lines = p.lines[1:]
			}
		case !p.back && n > p.at && !p.more:
			if p.add(id, line); p.overfull(most) {
				p.lines, p.more = p.lines[:len(p.lines)-1], true
			}
		}
	}
	switch {
	case n < p.at:
		return errExpired
	case p.back && p.at < 0:
		p.at = n - len(p.lines)
	case p.back:
		p.at -= len(p.lines)
	default:
		p.at += len(p.lines)
		p.front = p.id
		if last := len(p.lines) - 1; last >= 0 {
			p.front = p.lines[last].id
		}
	}
	p.id, p.more = p.front, p.more || p.back && p.at > 0
	return nil
}

func (p *persistedPage) add(id string, text json.RawMessage) {
	p.lines = append(p.lines, storedLine{id, text})
	p.size += len(text)
}

// overfull reports whether the page has a line too many. One line always fits.
func (p *persistedPage) overfull(most int) bool {
	return len(p.lines) > 1 && (len(p.lines) > most || p.size > persistedBytes)
}

func (p *persistedPage) json(status string) json.RawMessage {
	b := wire.AppendString([]byte(`{"cursor":`), p.cursor())
	b = append(append(b, `,"cursorStatus":"`...), status...)
	b = strconv.AppendBool(append(b, `","hasMore":`...), p.more)
	b = append(b, `,"events":[`...)
	for i, line := range p.lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, line.text...)
	}
	return append(b, "]}"...)
}
