package ask

import (
	"bytes"
	"context"
	"io"

	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// scripted is a terminal at which the same is typed every time.
type scripted struct {
	bytes.Buffer
	lines         []string // what is typed; "^C" and "^D" are those keys
	columns, rows int      // 80 by 24 if 0
	unanswered    func()   // called when nothing more is typed, nil: nothing is
}

func (s *scripted) Size() (columns, rows int) {
	if s.columns == 0 {
		return 80, 24
	}
	return s.columns, s.rows
}

func (s *scripted) Discard() {}

func (s *scripted) ReadLine(ctx context.Context, prompt string, _ func(string) string) (string, error) {
	s.WriteString(prompt)
	if len(s.lines) == 0 {
		if s.unanswered != nil {
			s.unanswered()
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	s.WriteString(line + "\n")
	switch line {
	case "^C":
		return "", terminal.ErrInterrupted
	case "^D":
		return "", io.EOF
	}
	return line, nil
}
