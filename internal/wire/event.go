package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"
)

// Header is the envelope of an event: all fields except its data.
type Header struct {
	// ID is a UUID v4, unique over all events of all sessions.
	ID string
	// ParentID is the ID of the last persisted event before this one; empty, on the
	// wire null, for the first. Ephemeral events have a parent but are never one.
	ParentID string
	// Time is the time of the event, written in UTC with milliseconds.
	Time time.Time
	// Ephemeral events are sent to attached clients and not stored.
	Ephemeral bool
	// AgentID names the sub-agent instance; empty for the main agent.
	AgentID string
	Type    EventType
}

// Event is an event whose data is still JSON.
type Event struct {
	Header
	Data json.RawMessage
}

// timeLayout is the format of JavaScript: three digits of milliseconds, and Z.
const timeLayout = "2006-01-02T15:04:05.000Z"

// envelope is the size of an event in bytes, without its type, data and agent, as far as its ids are
// UUIDs.
const envelope = 192

// AppendEvent appends the event as one JSON object without a line feed. Its data must be
// compact JSON, as from [Marshal]. The order of keys is fixed: type, data, id, timestamp,
// parentId, then optional ones, so that a reader of the log sees first what happened.
func AppendEvent(dst []byte, e *Event) []byte {
	dst = slices.Grow(dst, envelope+len(e.Type)+len(e.Data)+len(e.AgentID))
	dst = append(dst, `{"type":`...)
	dst = AppendString(dst, string(e.Type))
	dst = append(dst, `,"data":`...)
	dst = append(dst, e.Data...)
	return appendTail(dst, &e.Header)
}

// appendTail appends the envelope after the data, and the closing brace.
func appendTail(dst []byte, h *Header) []byte {
	dst = append(dst, `,"id":`...)
	dst = AppendString(dst, h.ID) // of a log that others may have written, as the parent's
	dst = append(dst, `,"timestamp":"`...)
	dst = appendTime(dst, h.Time)
	dst = append(dst, `","parentId":`...)
	if h.ParentID == "" {
		dst = append(dst, "null"...)
	} else {
		dst = AppendString(dst, h.ParentID)
	}
	if h.Ephemeral {
		dst = append(dst, `,"ephemeral":true`...)
	}
	if h.AgentID != "" {
		dst = append(dst, `,"agentId":`...)
		dst = AppendString(dst, h.AgentID)
	}
	return append(dst, '}')
}

// appendTime does the same as time.AppendFormat(timeLayout), but does not parse the layout,
// which would be a fifth of the cost of relaying a delta.
func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(dst, timeLayout)
	}
	hour, minute, sec := t.Clock()
	dst = appendPadded(dst, year, 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, int(month), 2)
	dst = append(dst, '-')
	dst = appendPadded(dst, day, 2)
	dst = append(dst, 'T')
	dst = appendPadded(dst, hour, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, minute, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, sec, 2)
	dst = append(dst, '.')
	dst = appendPadded(dst, t.Nanosecond()/int(time.Millisecond), 3)
	return append(dst, 'Z')
}

func appendPadded(dst []byte, n, width int) []byte {
	for limit := 10; width > 1; width, limit = width-1, limit*10 {
		if n < limit {
			dst = append(dst, '0')
		}
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// FormatTime returns t in the format of all timestamps of the protocol.
func FormatTime(t time.Time) string { return string(appendTime(nil, t)) }

// Moment returns t in UTC, cut to the milliseconds that events carry.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// ParseEvent decodes the envelope of one event. Its data shares the memory of line. Unknown
// envelope fields are ignored. A missing id, parentId or timestamp is left zero, because
// logs of other runtimes lack them; a missing type is an error. line must be valid JSON, as
// the lines of a log are.
func ParseEvent(line []byte) (Event, error) {
	var e Event
	for key, value := range Raw(line).Members() {
		switch string(key) {
		case "type":
			e.Type = eventType(value)
		case "data":
			e.Data = json.RawMessage(value)
		case "id":
			e.ID = value.Text()
		case "timestamp":
			e.Time = value.Time()
		case "parentId":
			e.ParentID = value.Text()
		case "ephemeral":
			e.Ephemeral = value.True()
		case "agentId":
			e.AgentID = value.Text()
		}
	}
	if e.Type == "" {
		return Event{}, errors.New("not an event: it has no type")
	}
	return e, nil
}

// eventType returns a type's name, without a new string if this program emits the type.
func eventType(value Raw) EventType {
	if value.IsString() {
		if k, ok := names[string(value[1:len(value)-1])]; ok {
			return k
		}
	}
	return EventType(value.Text())
}

// names holds the names of the types that this program emits.
var names = func() map[string]EventType {
	m := make(map[string]EventType, len(Kinds))
	for t := range Kinds {
		m[string(t)] = t
	}
	return m
}()
