package composer

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// viCommands are the commands that are no motions and take no operator.
var viCommands = lazy.Value[map[string]func(c *Composer, cmd viCommand, n int)]{Make: func() map[string]func(*Composer, viCommand, int) {
	type do = func(*Composer, viCommand, int)
	short := func(operator, name string) do {
		return func(c *Composer, cmd viCommand, _ int) {
			c.operate(viCommand{count: cmd.count, operator: operator, name: name})
		}
	}
	return map[string]do{
		"i": func(c *Composer, _ viCommand, _ int) { c.insert(c.cursor) },
		"I": func(c *Composer, _ viCommand, _ int) { c.insert(c.firstWord(c.cursor)) },
		"A": func(c *Composer, _ viCommand, _ int) { c.insert(c.lineEnd(c.cursor)) },
		"a": func(c *Composer, _ viCommand, _ int) {
			if c.cursor != c.lineEnd(c.cursor) {
				c.cursor = c.right(c.cursor)
			}
			c.insert(c.cursor)
		},
		"o": func(c *Composer, _ viCommand, _ int) {
			end := c.lineEnd(c.cursor)
			c.change(end, end, "\n", other)
			c.insert(c.cursor)
		},
		"O": func(c *Composer, _ viCommand, _ int) {
			at := c.lineBegin(c.cursor)
			c.change(at, at, "\n", other)
			c.insert(at)
		},
		"x": short("d", "l"), "X": short("d", "h"), "s": short("c", "l"), "S": short("c", "c"),
		"D": short("d", "$"), "C": short("c", "$"), "Y": short("y", "y"),
		"p": func(c *Composer, _ viCommand, n int) { c.put(true, n) },
		"P": func(c *Composer, _ viCommand, n int) { c.put(false, n) },
		"r": func(c *Composer, cmd viCommand, n int) {
			c.replaceChars(n, func(string) string { return clean(cmd.char) })
			c.cursor = c.left(c.cursor)
		},
		"~": func(c *Composer, _ viCommand, n int) { c.replaceChars(n, turn) },
		"u": func(c *Composer, _ viCommand, n int) {
			for range n {
				c.undo()
			}
		},
		"J": func(c *Composer, _ viCommand, n int) {
			for range max(n-1, 1) {
				end := c.lineEnd(c.cursor)
				if next := c.right(end); next != end {
					c.change(end, c.firstWord(next), " ", other)
					c.cursor = end
				}
			}
		},
		"/": func(c *Composer, _ viCommand, _ int) { c.searchOlder() },
	}
}}

// firstWord is the first character of a line that is not a space.
func (c *Composer) firstWord(p place) place {
	s := c.text.lines[p.line].text
	return place{p.line, len(s) - len(strings.TrimLeft(s, " \t"))}
}

// span is the text that an operator takes; lines says that it is whole lines.
func (c *Composer) span(cmd viCommand) (from, to place, lines, ok bool) {
	n := max(cmd.count, 1)
	last := len(c.text.lines) - 1
	at := c.cursor
	switch cmd.name {
	case cmd.operator:
		return at, place{min(at.line+n-1, last), 0}, true, true
	case "j":
		return at, place{min(at.line+n, last), 0}, true, at.line < last
	case "k":
		return place{max(at.line-n, 0), 0}, at, true, at.line > 0
	case "G", "gg":
		to, _, _ := c.motion(cmd)
		if to.line < at.line {
			at, to = to, at
		}
		return at, to, true, true
	}
	if len(cmd.name) == 2 && strings.Contains("ia", cmd.name[:1]) {
		from, to, ok = c.object(cmd.name[1:], cmd.name[0] == 'a')
		return from, to, false, ok
	}
	big := cmd.name == "W"
	if cmd.operator == "c" && (big || cmd.name == "w") && c.classBehind(at) != space { // the space behind the word stays
		_, to, _ := c.wordObject(big, false)
		for range n - 1 {
			to = c.right(c.viEnd(c.left(to), big))
		}
		return at, to, false, true
	}
	to, inclusive, ok := c.motion(cmd)
	if !ok {
		return at, at, false, false
	}
	if cmd.name == "w" || cmd.name == "W" {
		if to.line > at.line && to.at <= c.firstWord(to).at { // not the line break behind the last word
			to = c.lineEnd(place{to.line - 1, 0})
		}
	}
	from = at
	if to.line < at.line || to.line == at.line && to.at < at.at {
		from, to = to, at
	} else if inclusive {
		to = c.right(to)
	}
	return from, to, false, true
}

// motion is where a motion leads; inclusive says that an operator takes the character there too.
func (c *Composer) motion(cmd viCommand) (to place, inclusive, ok bool) {
	at, n := c.cursor, max(cmd.count, 1)
	times := func(step func(place) place) place {
		for range n {
			next := step(at)
			if next == at {
				break
			}
			at = next
		}
		return at
	}
	big := strings.Contains("WBE", cmd.name)
	switch cmd.name {
	case "h":
		return times(func(p place) place { return place{p.line, c.inLine(p, c.left(p))} }), false, true
	case "l", " ":
		return times(func(p place) place { return place{p.line, c.inLine(p, c.right(p))} }), false, true
	case "w", "W":
		return times(func(p place) place { return c.viWord(p, big) }), false, true
	case "b", "B":
		return times(func(p place) place { return c.viBack(p, big) }), false, true
	case "e", "E":
		return times(func(p place) place { return c.viEnd(p, big) }), true, true
	case "0":
		return c.lineBegin(at), false, true
	case "^":
		return c.firstWord(at), false, true
	case "$":
		return c.lineEnd(place{min(at.line+n-1, len(c.text.lines)-1), 0}), false, true
	case "gg":
		return c.firstWord(place{min(n, len(c.text.lines)) - 1, 0}), false, true
	case "G":
		if cmd.count == 0 {
			n = len(c.text.lines)
		}
		return c.firstWord(place{min(n, len(c.text.lines)) - 1, 0}), false, true
	case "{", "}":
		return times(func(p place) place { return c.paragraph(p, cmd.name == "}") }), false, true
	case "f", "t", "F", "T":
		c.vim.find = []string{cmd.name, cmd.char}
		return c.findChar(cmd.name, cmd.char, n)
	case ";", ",":
		if f := c.vim.find; f != nil {
			name := f[0]
			if cmd.name == "," {
				name = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[name]
			}
			return c.findChar(name, f[1], n)
		}
	}
	return at, false, false
}

// inLine is the byte of a place if it is in the line of another, else that of the other.
func (c *Composer) inLine(p, q place) int {
	if p.line == q.line {
		return q.at
	}
	return p.at
}

// kindBehind is the class of the character behind a place. If big, all that is not a space is one class.
func (c *Composer) kindBehind(p place, big bool) class {
	k := c.classBehind(p)
	if big && k != space {
		return word
	}
	return k
}

// viWord is the beginning of the next word.
func (c *Composer) viWord(p place, big bool) place {
	end := c.text.end()
	for k := c.kindBehind(p, big); k != space && p != end && c.kindBehind(p, big) == k; {
		p = c.right(p)
	}
	for p != end && c.kindBehind(p, big) == space {
		p = c.right(p)
		if p.at == 0 && c.lineEnd(p) == p { // an empty line is a word
			break
		}
	}
	return p
}

// viBack is the beginning of the word before.
func (c *Composer) viBack(p place, big bool) place {
	for q := c.left(p); q != p && c.kindBehind(q, big) == space; q = c.left(p) {
		p = q
	}
	q := c.left(p)
	for k := c.kindBehind(q, big); q != p && c.kindBehind(q, big) == k && k != space; q = c.left(p) {
		p = q
	}
	return p
}

// viEnd is the last character of a word, behind a place.
func (c *Composer) viEnd(p place, big bool) place {
	end := c.text.end()
	if p == end {
		return p
	}
	q := c.right(p)
	for q != end && c.kindBehind(q, big) == space {
		q = c.right(q)
	}
	if q == end {
		return p
	}
	for k := c.kindBehind(q, big); ; {
		next := c.right(q)
		if next == end || c.kindBehind(next, big) != k || next.line != q.line {
			return q
		}
		q = next
	}
}

// paragraph is the next empty line, or the end of the text.
func (c *Composer) paragraph(p place, forward bool) place {
	step := -1
	if forward {
		step = 1
	}
	for i := p.line + step; i >= 0 && i < len(c.text.lines); i += step {
		if c.text.lines[i].text == "" {
			return place{i, 0}
		}
	}
	if forward {
		return c.text.end()
	}
	return place{}
}

// findChar is the nth place of a character in the line: at it for f and F, beside it for t and T.
func (c *Composer) findChar(name, char string, n int) (to place, inclusive, ok bool) {
	p := c.cursor
	forward := name == "f" || name == "t"
	for ; n > 0; n-- {
		q := p
		for {
			step := c.left(q)
			if forward {
				step = c.right(q)
			}
			if step == q || step.line != p.line || step == c.lineEnd(step) {
				return p, false, false
			}
			q = step
			if c.text.slice(q, c.right(q)) == char && (n > 1 || name != "t" || q != c.right(p)) {
				break
			}
		}
		p = q
	}
	switch name {
	case "t":
		p = c.left(p)
	case "T":
		p = c.right(p)
	}
	return p, forward, true
}

// object is the text object around the cursor: a word, a quoted text, brackets. around takes the spaces behind
// a word, and the quotes or brackets.
func (c *Composer) object(name string, around bool) (from, to place, ok bool) {
	pairs := map[string]string{"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}", "<": "<>", ">": "<>", `"`: `""`, "'": "''", "`": "``"}
	if name == "w" || name == "W" {
		return c.wordObject(name == "W", around)
	}
	pair, ok := pairs[name]
	if !ok {
		return c.cursor, c.cursor, false
	}
	open, closing := pair[:1], pair[1:]
	s := c.text.lines[c.cursor.line].text
	at := c.cursor.at
	begin := strings.LastIndex(s[:min(at+1, len(s))], open)
	if begin < 0 || open == closing && begin == at && strings.Count(s[:at], open)%2 == 1 { // the cursor is on the second quote
		begin = strings.LastIndex(s[:at], open)
	}
	if begin < 0 {
		begin = at + strings.Index(s[at:], open)
	}
	if begin < 0 || !strings.HasPrefix(s[begin:], open) {
		return c.cursor, c.cursor, false
	}
	depth, i := 1, begin+1
	for ; i < len(s); i++ {
		if s[i] == closing[0] {
			depth--
		} else if s[i] == open[0] {
			depth++
		}
		if depth == 0 {
			break
		}
	}
	if depth > 0 || i < at {
		return c.cursor, c.cursor, false
	}
	line := c.cursor.line
	if around {
		return place{line, begin}, place{line, i + 1}, true
	}
	return place{line, begin + 1}, place{line, i}, true
}

// wordObject is the word, or the spaces, at the cursor.
func (c *Composer) wordObject(big, around bool) (from, to place, ok bool) {
	from = c.cursor
	if from == c.lineEnd(from) {
		return from, from, false
	}
	k := c.kindBehind(from, big)
	for from.at > 0 && c.kindBehind(c.left(from), big) == k {
		from = c.left(from)
	}
	to = c.cursor
	for to != c.lineEnd(to) && c.kindBehind(to, big) == k {
		to = c.right(to)
	}
	for around && to != c.lineEnd(to) && c.kindBehind(to, big) == space {
		to = c.right(to)
	}
	return from, to, true
}
