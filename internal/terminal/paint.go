package terminal

// Paint styles text for one stream, and does nothing unless the stream is a terminal.
// The zero value does nothing.
type Paint struct{ on bool }

// PaintFor returns the styles for a stream. NO_COLOR (https://no-color.org) and
// TERM=dumb turn them off.
func PaintFor(stream any, getenv func(string) string) Paint {
	return Paint{on: Is(stream) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

// The styles, in the terminal's own colours, which fit its background.
func (p Paint) Bold(s string) string   { return p.with("1", s) }
func (p Paint) Dim(s string) string    { return p.with("2", s) }
func (p Paint) Red(s string) string    { return p.with("31", s) }
func (p Paint) Green(s string) string  { return p.with("32", s) }
func (p Paint) Yellow(s string) string { return p.with("33", s) }
func (p Paint) Cyan(s string) string   { return p.with("36", s) }

func (p Paint) with(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
