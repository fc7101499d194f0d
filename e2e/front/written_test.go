package front_test

import (
	"bytes"
	"regexp"
)

// forbidden is what is never written: clearing the scrollback, resetting the terminal, and modes of
// the mouse.
var forbidden = regexp.MustCompile(`\x1b\[3J|\x1bc|\x1b\[\?(?:9|1000|1002|1003|1005|1006|1015)h`)

// modes are the modes of terminals, and how the program sets and resets them.
var modes = []struct{ name, set, reset string }{
	{"the keyboard", "\x1b[>5u", "\x1b[<u"},
	{"marks of pasted text", "\x1b[?2004h", "\x1b[?2004l"},
	{"reports of the focus", "\x1b[?1004h", "\x1b[?1004l"},
	{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
	{"the hidden cursor", "\x1b[?25l", "\x1b[?25h"},
	{"a frame", "\x1b[?2026h", "\x1b[?2026l"},
}

// checkWritten fails if a stream has what it must not, or if a mode is still set at its end.
func (d *desk) checkWritten() {
	d.t.Helper()
	d.mu.Lock()
	written, outside := bytes.Clone(d.written), d.outside
	d.mu.Unlock()
	if bad := forbidden.Find(written); bad != nil {
		d.t.Errorf("the program has written %q", bad)
	}
	for _, m := range modes {
		if bytes.LastIndex(written, []byte(m.set)) > bytes.LastIndex(written, []byte(m.reset)) {
			d.t.Errorf("%s: is still set in the end", m.name)
		}
	}
	if got := d.settings(); got != d.before {
		d.t.Errorf("the settings of the terminal were %+v, and are %+v", d.before, got)
	}
	if outside != "" {
		d.t.Errorf("the cursor was outside the screen, at %s", outside)
	}
}
