package export

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Formats are the formats of an export, in the order in which help names them.
var Formats = []string{"markdown", "json", "html"}

// FormatOf is the format that the ending of a file name stands for, "" if it stands for none.
func FormatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".markdown":
		return "markdown"
	case ".json", ".jsonl":
		return "json"
	case ".html", ".htm":
		return "html"
	}
	return ""
}

// Write writes the events of a session to out. title is the title of the session. It reads the
// events once and keeps none of them. [fault.Invalid] for an unknown format.
func Write(out io.Writer, format, title string, events iter.Seq2[[]byte, error]) error {
	switch format {
	case "json":
		for line, err := range events {
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
				return err
			}
		}
		return nil
	case "markdown":
		return document(&markdown{out: out}, title, events)
	case "html":
		return document(&html{out: out}, title, events)
	}
	return fault.New(fault.Invalid, "export", "", "there is no format %q, want %s", format, strings.Join(Formats, ", "))
}

// writer is a format that shows the conversation.
type writer interface {
	begin(title string) error
	add(e wire.Event) error
	end() error
}

func document(w writer, title string, events iter.Seq2[[]byte, error]) error {
	if err := w.begin(title); err != nil {
		return err
	}
	for line, err := range events {
		if err != nil {
			return err
		}
		e, err := wire.ParseEvent(line)
		if err != nil {
			continue // an event that has lost its content
		}
		if err := w.add(e); err != nil {
			return err
		}
	}
	return w.end()
}
