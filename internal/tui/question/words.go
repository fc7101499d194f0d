package question

import "github.com/sidestick-dev/sidestick/internal/tui/input"

// words is a text field. It is replaced by package composer.
type words struct{ s string }

func (w *words) text() string { return w.s }

func (w *words) paste(text string) { w.s += text }

func (w *words) key(k input.Key) {
	if k.Name == "backspace" {
		w.s = w.s[:max(len(w.s)-1, 0)]
		return
	}
	w.s += k.Text
}
