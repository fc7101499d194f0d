package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// maxLine bounds a line of --input-format stream-json, in bytes. Images are in it as base64.
const maxLine = 32 << 20

// blob is an attachment as a message to a session has it.
type blob struct {
	Type     string `json:"type"` // "blob"
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
}

// userLine is a message of a line.
type userLine struct {
	text        string
	attachments json.RawMessage // nil for none
	ignored     []string        // what of the line has no effect, in words
}

// parseUserLine reads a line, as Claude Code takes it: {"type":"user","message":{"role":"user","content":…}}. ok is false
// for a line of another type, which ignored names.
func parseUserLine(line []byte) (m userLine, ok bool, err error) {
	var fields map[string]json.RawMessage
	if err := fault.DecodeObject(line, &fields); err != nil {
		return m, false, fault.JSON(err)
	}
	var kind string
	if json.Unmarshal(fields["type"], &kind) != nil || kind == "" {
		return m, false, errors.New(`there is no type; a message is {"type":"user","message":{"role":"user","content":"TEXT"}}`)
	}
	if kind != "user" {
		m.ignored = []string{"the type " + timeline.OneLine(kind, 80)}
		return m, false, nil
	}
	m.unknown("", fields, "type", "message")
	var message map[string]json.RawMessage
	if err := fault.DecodeObject(fields["message"], &message); err != nil {
		return m, false, fmt.Errorf("message: %w", fault.JSON(err))
	}
	m.unknown("message.", message, "role", "content")
	var role string
	if json.Unmarshal(message["role"], &role) != nil || role != "user" {
		return m, false, fmt.Errorf("message.role is %s, want \"user\"", fault.Bounded(string(message["role"])))
	}
	if err := m.content(message["content"]); err != nil {
		return m, false, fmt.Errorf("message.content: %w", err)
	}
	if strings.TrimSpace(m.text) == "" {
		return m, false, errors.New("message.content has no text")
	}
	return m, true, nil
}

// unknown notes fields that have no effect. Without a value they ask for nothing.
func (m *userLine) unknown(path string, fields map[string]json.RawMessage, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := string(fields[name])
		if !slices.Contains(known, name) && value != "null" && value != `""` {
			m.ignored = append(m.ignored, "the field "+path+timeline.OneLine(name, 80))
		}
	}
}

// content reads a text, or a list of blocks.
func (m *userLine) content(raw json.RawMessage) error {
	if json.Unmarshal(raw, &m.text) == nil && string(raw) != "null" {
		return nil
	}
	var blocks []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil || blocks == nil {
		return errors.New("it is neither a text nor a list of blocks")
	}
	var texts []string
	var images []blob
	for i, b := range blocks {
		var kind, text string
		_ = json.Unmarshal(b["type"], &kind)
		switch kind {
		case "text":
			if b["text"] == nil || json.Unmarshal(b["text"], &text) != nil {
				return fmt.Errorf("block %d has no text", i+1)
			}
			m.unknown(fmt.Sprintf("message.content[%d].", i), b, "type", "text")
			texts = append(texts, text)
		case "image":
			image, err := imageOf(b["source"])
			if err != nil {
				return fmt.Errorf("block %d: %w", i+1, err)
			}
			m.unknown(fmt.Sprintf("message.content[%d].", i), b, "type", "source")
			images = append(images, image)
		default:
			return fmt.Errorf("block %d has the type %s; a message has blocks of the types text and image", i+1, fault.Bounded(string(b["type"])))
		}
	}
	m.text = strings.Join(texts, "\n\n")
	if images != nil {
		m.attachments, _ = json.Marshal(images) // strings only
	}
	return nil
}

// imageOf reads the source of an image.
func imageOf(raw json.RawMessage) (blob, error) {
	var source struct {
		Type string `json:"type"`
		Data string `json:"data"`
		MIME string `json:"media_type"`
	}
	if err := json.Unmarshal(raw, &source); err != nil || source.Type != "base64" || source.Data == "" || !strings.HasPrefix(source.MIME, "image/") {
		return blob{}, errors.New(`the source of an image is {"type":"base64","media_type":"image/png","data":"…"}`)
	}
	return blob{"blob", source.Data, source.MIME}, nil
}

// inputLine is a line of stdin with its number from 1, or the error that ended it.
type inputLine struct {
	number int
	text   []byte
	err    error
}

// inputLines yields the lines of in that are not blank. A read cannot be interrupted, so it is abandoned when ctx ends: the
// process is about to end, too.
func inputLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for n := 1; ; n++ {
			text, err := boundedLine(r)
			if len(strings.TrimSpace(string(text))) == 0 && err == nil {
				continue
			}
			if len(strings.TrimSpace(string(text))) > 0 && err == io.EOF {
				err = nil
			}
			if err == io.EOF {
				return
			}
			select {
			case lines <- inputLine{n, text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// boundedLine reads a line of at most maxLine bytes.
func boundedLine(r *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return nil, fmt.Errorf("it is longer than %d MiB", maxLine>>20)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// lines answers the messages of stdin, one after the other, and prints a result after each. Its error is that of the first
// one that was not answered as it should; a line that cannot be read ends it at once.
func (r *runner) lines(ctx context.Context, t *conversation) error {
	beside, stop := context.WithCancel(ctx)
	defer stop()
	lines, opened := inputLines(beside, r.Sys.Stdin), r.result
	var first error
	answered := 0
	for {
		line, err := t.nextLine(ctx, lines)
		if err != nil {
			return errors.Join(err, r.ending(ctx, t))
		}
		if line == nil {
			break
		}
		wrong := func(err error) error {
			return cli.NewUsageError(fmt.Errorf("line %d of stdin: %w", line.number, err))
		}
		if line.err != nil {
			return errors.Join(wrong(line.err), r.ending(ctx, t))
		}
		m, ok, err := parseUserLine(line.text)
		if err != nil {
			return errors.Join(wrong(err), r.ending(ctx, t))
		}
		for _, what := range m.ignored {
			if err := r.warn(fmt.Sprintf("line %d of stdin: %s has no effect", line.number, what)); err != nil {
				return err
			}
		}
		if !ok {
			continue
		}
		answered++
		r.began = time.Now()
		err = r.turn(ctx, t, m.text, m.attachments)
		if errors.Is(err, entry.ErrLeft) || errors.Is(err, cli.ErrAborted) || ctx.Err() != nil || errors.Is(err, errClosed) {
			return err
		}
		if printed := r.print(err); printed != nil {
			return printed
		}
		if first == nil {
			first = err
		}
		r.result = opened
	}
	if answered == 0 {
		return cli.NewUsageError(errors.New("stdin has no message"))
	}
	r.printed = true
	return errors.Join(first, r.ending(ctx, t))
}

// nextLine waits for a line, nil at the end of stdin, and meanwhile answers what the session asks.
func (t *conversation) nextLine(ctx context.Context, lines <-chan inputLine) (*inputLine, error) {
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return nil, nil
			}
			return &line, nil
		case c := <-t.Peer.Calls():
			t.serve(ctx, c)
		case <-t.interrupts:
			return nil, cli.ErrAborted
		case <-ctx.Done():
			return nil, cli.ErrAborted
		}
	}
}
