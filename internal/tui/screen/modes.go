package screen

import (
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// The sequences for cursor and overlays. Source: xterm's control sequences.
const (
	showCursor, hideCursor = "\x1b[?25h", "\x1b[?25l"
	enterOther, leaveOther = "\x1b[?1049h", "\x1b[?1049l"
	syncBegin, syncEnd     = "\x1b[?2026h", "\x1b[?2026l"
)

// Keys are told apart as kitty's protocol does, with the key of a Latin keyboard beside that of
// another one, so that Ctrl-C works on each. The terminal keeps what was asked for before on a
// stack of each screen. Source: https://sw.kovidgoyal.net/kitty/keyboard-protocol/
const pushKeys, popKeys = "\x1b[>5u", "\x1b[<u"

// Pasted text is marked, and the terminal tells when its window gets or loses the focus.
const (
	pasteOn, pasteOff = "\x1b[?2004h", "\x1b[?2004l"
	focusOn, focusOff = "\x1b[?1004h", "\x1b[?1004l"
	askBackground     = "\x1b]11;?\x1b\\"
	askPaste          = "\x1b[?2004$p" // whether pasted text is marked now
)

// kind is what differs between terminals.
type kind struct {
	simple  bool // the console of Linux, which takes parts of unknown sequences for text
	multi   bool // tmux or screen, which keep notices and the clipboard from the terminal
	reflows bool // wraps its rows again when it gets narrower
	adapts  bool // the colours are those for the background: there is no NO_COLOR, and the user has chosen none
	marks   bool // it is known to mark pasted text
	notices string
	rest    time.Duration // how long the size must rest
}

func kindOf(getenv func(string) string) kind {
	tmux := getenv("TMUX") != ""
	k := kind{
		simple:  getenv("TERM") == "linux",
		multi:   tmux || getenv("STY") != "",
		reflows: terminal.Reflows(getenv),
		adapts:  getenv("NO_COLOR") == "",
		marks:   tmux || getenv("VTE_VERSION") != "" || getenv("TERM_PROGRAM") != "",
		notices: notice(getenv),
		rest:    rest,
	}
	if tmux {
		k.rest = restTmux
	}
	return k
}

// MarksPaste reports whether the terminal is known to mark pasted text, for input.Decoder. Most
// others do it, too.
func (s *Screen) MarksPaste() bool { return s.kind.marks }

// begin is what is sent when the Screen takes the terminal.
func (k kind) begin() string {
	if k.simple {
		return pasteOn
	}
	return pushKeys + pasteOn + focusOn
}

// ask is what asks for the background, and whether pasted text is marked. The answer to a program
// that ends at once, because of an error, would be typed into the shell: so only the first frame
// asks. The terminal of macOS, which shows the end of the second question, is known to mark.
func (k kind) ask() (questions string) {
	if k.simple {
		return ""
	}
	if k.adapts {
		questions = askBackground
	}
	if !k.marks {
		questions += askPaste
	}
	return questions
}

// end is what is sent when the Screen gives the terminal back. It undoes what a frame that was cut
// off may have left, too.
func (k kind) end() string {
	if k.simple {
		return "\x1b[0m" + pasteOff
	}
	return "\x1b[0m" + syncEnd + popKeys + pasteOff + focusOff
}

// notice is what shows a notice: OSC 9 as iTerm2 has it, or OSC 777 as urxvt has it. Terminals
// that know both would show two.
func notice(getenv func(string) string) string {
	if term := getenv("TERM"); getenv("VTE_VERSION") != "" || strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") {
		return "777;notify;"
	}
	return "9;"
}
