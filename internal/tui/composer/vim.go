package composer

import (
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// vim is the state of the editing that the user knows from vi: a mode for commands beside that for
// text.
type vim struct {
	normal    bool        // keys are commands
	pending   []string    // the beginning of a command
	find      []string    // the last f, t, F or T with its character
	record    []input.Key // the keys of the command, and of the text that it lets the user write
	recording bool
	change    []input.Key // the keys of the last change, for the point
	replays   bool
}

// Mode is "normal" or "insert" if the box has the keys of vi, else "".
func (c *Composer) Mode() string {
	switch {
	case !c.Vi:
		return ""
	case c.vim.normal:
		return "normal"
	}
	return "insert"
}

// viKey applies a key as vi does. Keys that are no characters keep their usual effect.
func (c *Composer) viKey(k input.Key) (a Action, taken bool) {
	v := &c.vim
	if !v.normal {
		v.keep(k)
		if k.Name == "esc" {
			return c.press(edits((*Composer).leaveInsert))
		}
		return None, false
	}
	switch {
	case k.Name == "esc":
		taken = len(v.pending) > 0 // else it interrupts, as always
		v.pending = nil
		return None, taken
	case k.Name == "ctrl+r":
		return c.press(edits(func(c *Composer) { c.redo() }))
	case k.Text == "":
		return None, false
	}
	if len(v.pending) == 0 && !v.replays {
		v.record, v.recording = nil, true
	}
	v.keep(k)
	v.pending = append(v.pending, k.Text)
	cmd, whole := parse(v.pending)
	if !whole {
		return None, true
	}
	v.pending = nil
	if cmd.name == "." {
		return c.repeat(cmd.count)
	}
	version := c.version
	a, taken = c.press(func(c *Composer) Action { return c.vi(cmd) })
	if v.normal {
		if c.version != version && !strings.Contains("ujk/", cmd.name) {
			v.done()
		}
		c.back()
	}
	return a, taken
}

// maxRecord bounds the keys of a change. A longer one cannot be repeated.
const maxRecord = 10_000

// keep adds a key to those of the present command.
func (v *vim) keep(k input.Key) {
	v.recording = v.recording && !v.replays && len(v.record) < maxRecord
	if v.recording {
		v.record = append(v.record, k)
	}
}

// done says that the present command was a change, which the point repeats.
func (v *vim) done() {
	if v.recording {
		v.change = v.record
	}
	v.record, v.recording = nil, false
}

// repeat does the last change again.
func (c *Composer) repeat(count int) (a Action, taken bool) {
	v := &c.vim
	v.record, v.recording = nil, false
	if v.replays {
		return None, true
	}
	v.replays = true
	for range min(max(count, 1), maxRepeat) {
		for _, k := range v.change {
			c.Key(k)
		}
		if !v.normal {
			c.leaveInsert()
		}
	}
	v.replays, v.pending = false, nil
	return None, true
}

// leaveInsert goes to the mode of commands.
func (c *Composer) leaveInsert() {
	c.vim.normal = true
	c.vim.done()
	if c.cursor.at > 0 {
		c.cursor = c.left(c.cursor)
	}
}

// insert goes to the mode for text, at a place.
func (c *Composer) insert(at place) { c.cursor, c.vim.normal = at, false }

// back moves from behind the last character of a line onto it, where vi has its cursor.
func (c *Composer) back() {
	if c.cursor.at > 0 && c.cursor == c.lineEnd(c.cursor) {
		c.cursor = c.left(c.cursor)
	}
}

// The bounds of the count of a command, and of the point.
const (
	maxCount  = 10_000
	maxRepeat = 100
)

// viCommand is a whole command, such as d2w.
type viCommand struct {
	count    int    // 0 if there is none
	operator string // d, c or y; "" for none
	name     string // of a motion, a text object such as iw, or a command; the operator itself for whole lines
	char     string // the character of f, t, F, T and r
}

// parse reads a command. whole is false if there is more to come. The name is empty if the keys
// are no command.
func parse(keys []string) (cmd viCommand, whole bool) {
	rest := keys
	number := func() (n int) {
		for len(rest) > 0 && len(rest[0]) == 1 && (rest[0] >= "1" || n > 0 && rest[0] == "0") && rest[0] <= "9" {
			n = min(10*n+int(rest[0][0]-'0'), maxCount)
			rest = rest[1:]
		}
		return n
	}
	cmd.count = number()
	if len(rest) > 0 && strings.Contains("dcy", rest[0]) {
		cmd.operator, rest = rest[0], rest[1:]
		if n := number(); n > 0 {
			cmd.count = min(max(cmd.count, 1)*n, maxCount)
		}
	}
	if len(rest) == 0 {
		return cmd, false
	}
	cmd.name = rest[0]
	switch {
	case cmd.name == "g" || cmd.operator != "" && (cmd.name == "i" || cmd.name == "a"):
		if len(rest) < 2 {
			return cmd, false
		}
		cmd.name += rest[1]
	case strings.Contains("ftFT", cmd.name) || cmd.name == "r" && cmd.operator == "":
		if len(rest) < 2 {
			return cmd, false
		}
		cmd.char = rest[1]
	}
	return cmd, true
}

// vi carries out a command.
func (c *Composer) vi(cmd viCommand) Action {
	n := max(cmd.count, 1)
	if c.last == killing {
		c.last = other // each command cuts out a text of its own
	}
	if cmd.operator != "" {
		c.operate(cmd)
		return None
	}
	if do := viCommands.Get()[cmd.name]; do != nil {
		do(c, cmd, n)
		return None
	}
	switch cmd.name { // at the first and the last row they recall what was typed before
	case "k":
		for range n {
			c.up()
		}
		return None
	case "j":
		for range n {
			c.down()
		}
		return None
	}
	to, _, ok := c.motion(cmd)
	if !ok {
		return notTaken
	}
	c.cursor = to
	return None
}

// operate applies an operator to the text up to where its motion leads.
func (c *Composer) operate(cmd viCommand) {
	from, to, lines, ok := c.span(cmd)
	if !ok {
		return
	}
	if lines {
		c.operateLines(cmd.operator, from.line, to.line)
		return
	}
	switch cmd.operator {
	case "y":
		c.copy(c.text.slice(from, to))
		c.cursor = from
	case "d", "c":
		c.kill(from, to)
		c.cursor = from
		if cmd.operator == "c" {
			c.insert(from)
		}
	}
}

// operateLines applies an operator to whole lines.
func (c *Composer) operateLines(operator string, first, last int) {
	from, to := place{first, 0}, c.lineEnd(place{last, 0})
	c.copy(c.text.slice(from, to) + "\n")
	switch operator {
	case "c":
		c.change(from, to, "", other)
		c.insert(from)
	case "d":
		switch {
		case last+1 < len(c.text.lines):
			to = place{last + 1, 0}
		case first > 0:
			from = c.left(from)
		}
		c.change(from, to, "", other)
		c.cursor = c.firstWord(c.cursor)
	}
}

// copy keeps a text for p and for yank.
func (c *Composer) copy(s string) {
	c.ring.texts = append(c.ring.texts, s)
	c.ring.trim()
}

// put puts back what was cut out: lines below or above the present one, other text behind or before the
// cursor.
func (c *Composer) put(behind bool, n int) {
	if len(c.ring.texts) == 0 {
		return
	}
	s := c.ring.texts[len(c.ring.texts)-1]
	if len(s)*n > maxText {
		return
	}
	s = strings.Repeat(s, n)
	if lines, ok := strings.CutSuffix(s, "\n"); ok {
		at := c.lineBegin(c.cursor)
		if behind {
			at = c.lineEnd(c.cursor)
			lines = "\n" + lines
		} else {
			lines += "\n"
		}
		c.change(at, at, lines, other)
		if behind {
			at = place{at.line + 1, 0}
		}
		c.cursor = c.firstWord(at)
		return
	}
	at := c.cursor
	if behind && at != c.lineEnd(at) {
		at = c.right(at)
	}
	c.change(at, at, s, other)
	c.cursor = c.left(c.cursor)
}

// replaceChars replaces n characters.
func (c *Composer) replaceChars(n int, by func(string) string) {
	from, to := c.cursor, c.cursor
	var b strings.Builder
	for range n {
		if to == c.lineEnd(to) {
			break
		}
		end := c.right(to)
		b.WriteString(by(c.text.slice(to, end)))
		to = end
	}
	if b.Len() > 0 {
		c.change(from, to, b.String(), other)
	}
}

// turn is a character in the other case.
func turn(g string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, g)
}
