package terminal

// Paint is how text stands out on one stream: not at all unless it is a terminal.
// The zero value paints nothing.
type Paint struct{ on bool }

// PaintFor honours NO_COLOR (https://no-color.org) and terminals that say they are
// dumb.
func PaintFor(stream any, getenv func(string) string) Paint {
	return Paint{on: Is(stream) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

// The ways to stand out, in the terminal's own colours, which fit its background.
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
