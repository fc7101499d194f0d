package extension

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/sidestick-dev/sidestick/internal/sse"
)

// streamLine reads one line of a stream of events.
func (p *reply) streamLine() error {
	line, err := p.lines.Next()
	switch {
	case err == io.EOF:
		if truncated(p.held) {
			return errCutOff
		}
		if p.data {
			p.note(ruleUnclosed, "the last event is not closed by an empty line")
		}
		p.endEvent()
		return p.end()
	case err != nil:
		return err
	}
	p.at.line, p.at.offset = p.lines.Position()
	if p.lines.End() == '\r' {
		p.note(ruleLineEnd, "the line ends in a carriage return")
	}
	if len(line) == 0 {
		p.endEvent()
		return nil
	}
	return p.field(line)
}

func (p *reply) field(line []byte) error {
	name, value := sse.Field(line)
	switch string(name) {
	case "data":
		return p.dataLine(value)
	case "event":
		if p.data {
			p.note(ruleUnclosed, "an event: line follows data: without an empty line between")
			p.endEvent()
		}
		p.name = string(value)
	case "id", "retry":
		p.note(ruleField, "%s: has no meaning here", name)
	case "": // a comment
	default:
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(rest) > 0 {
			p.note(ruleField, "the line begins with white space")
			return p.field(rest)
		}
		p.note(ruleField, "there is no field %s", shown(name))
	}
	return nil
}

// dataLine reads a line of data. Most lines are a complete chunk and are yielded
// immediately. A line that is not valid JSON by itself is held until the end of its event.
func (p *reply) dataLine(value []byte) error {
	if len(p.held) > 0 {
		return p.hold(value)
	}
	several := p.data
	p.data = true
	if p.name == "" && p.judge == nil {
		if text, ok := p.chunk.scan(value); ok {
			p.settle(false)
			p.emitText(string(text))
			return nil
		}
	}
	alone := bytes.TrimSpace(value)
	if !isAlone(alone) {
		return p.hold(value)
	}
	if several {
		p.note(ruleOneLine, "the event has several data: lines")
	}
	p.takeAlone(alone)
	return nil
}

// isAlone reports whether data is complete by itself.
func isAlone(data []byte) bool {
	return len(data) > 0 && (string(data) == "[DONE]" || bytes.IndexByte([]byte(`{["`), data[0]) >= 0 && json.Valid(data))
}

func (p *reply) takeAlone(data []byte) {
	if string(data) == "[DONE]" {
		p.judge.done(p)
		p.settle(true)
		return
	}
	p.settle(false)
	p.take(p.name, bytes.Clone(data))
}

// hold keeps a line of data. Empty lines before the first other line are ignored.
func (p *reply) hold(value []byte) error {
	if len(p.held) == 0 {
		p.heldAt = p.at
	} else {
		p.held = append(p.held, '\n')
	}
	if len(p.held)+len(value) > p.max.MaxEvent {
		return unreadable("an event is longer than %d bytes", p.max.MaxEvent)
	}
	p.held = append(p.held, value...)
	return nil
}

// endEvent interprets the held lines: as one JSON value spread over several lines, otherwise
// line by line.
func (p *reply) endEvent() {
	held := p.held
	p.held = p.held[:0]
	if whole := bytes.TrimSpace(held); len(whole) > 0 {
		p.at = p.heldAt
		if isAlone(whole) {
			p.note(ruleSpread, "the event's JSON is spread over lines")
			p.takeAlone(whole)
		} else {
			p.takeLines(held)
		}
	}
	p.name, p.data = "", false
}

func (p *reply) takeLines(held []byte) {
	var text [][]byte
	for line := range bytes.SplitSeq(held, []byte("\n")) {
		alone := bytes.TrimSpace(line)
		if !isAlone(alone) {
			text = append(text, line)
			continue
		}
		p.takeText(bytes.Join(text, []byte("\n")))
		text = nil
		p.takeAlone(alone)
	}
	p.takeText(bytes.Join(text, []byte("\n")))
}

// settle records whether [DONE] was the last thing in the answer.
func (p *reply) settle(done bool) {
	if p.done && !done {
		p.note(ruleAfterDone, "there is more after [DONE]")
	}
	if p.settled != nil && p.done != done {
		p.settled(done)
	}
	p.done = done
}

// truncated reports whether data is the beginning of a JSON value.
func truncated(data []byte) bool {
	data = bytes.TrimSpace(data)
	var value json.RawMessage
	return len(data) > 0 && (data[0] == '{' || data[0] == '[') &&
		json.NewDecoder(bytes.NewReader(data)).Decode(&value) == io.ErrUnexpectedEOF
}
