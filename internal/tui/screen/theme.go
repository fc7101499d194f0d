package screen

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// theme is what is known of the terminal before it answers: NO_COLOR has attributes only, and
// COLORFGBG, which rxvt and others set, ends with the number of the background colour.
func theme(getenv func(string) string) row.Theme {
	if getenv("NO_COLOR") != "" {
		return row.Mono
	}
	colours := getenv("COLORFGBG")
	n, err := strconv.Atoi(colours[strings.LastIndexByte(colours, ';')+1:])
	if err == nil && (n == 7 || n > 8) {
		return row.Light
	}
	return row.Dark
}

// Choose uses the theme of that name, "light", "dark" or "mono", whatever the background is. Another
// name changes nothing, and so does any with NO_COLOR.
func (s *Screen) Choose(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen, ok := map[string]row.Theme{"light": row.Light, "dark": row.Dark, "mono": row.Mono}[name]
	if ok && s.kind.adapts {
		s.theme, s.kind.adapts = chosen, false
	}
}

// SetDark chooses the theme for the background that the terminal has told. It changes nothing
// with NO_COLOR, and after Choose.
func (s *Screen) SetDark(dark bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.kind.adapts:
	case dark:
		s.theme = row.Dark
	default:
		s.theme = row.Light
	}
}

// Theme is the present theme.
func (s *Screen) Theme() row.Theme {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.theme
}
