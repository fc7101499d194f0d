package repetition

// marks follows where blocks of code begin and end, and whether the text begins as data does. A line that begins with
// three marks or more opens a block, but not if more such marks follow in it, which are then inline code. A line of at
// least as many marks, and nothing else, closes it. Package chat has these rules for whole lines, and for lists; here they cost
// less for each byte.
type marks struct {
	begun, isData bool
	within        bool // of a line, where nothing is looked at any more
	fence         int  // how many marks of a fence the line begins with
	mark          byte
	after         bool // something comes after these marks
	open          byte // the mark that has opened a block; 0 outside
	opened        int  // how many of them have
	program       bool // the block names a programming language
	reading       bool // the line that may open a block, after its marks
	name          [10]byte
	length        int  // of the name
	ended         bool // the name has been read
}

func (m *marks) data() bool { return m.isData || m.open != 0 }

func (m *marks) add(c byte) {
	switch {
	case c == '\n':
		m.line()
		return
	case m.within:
		return
	case m.reading:
		m.read(c)
		return
	case c == ' ', c == '\t', c == '\r':
		m.after = m.fence > 0
		return
	}
	if !m.begun {
		m.begun, m.isData = true, c == '{' || c == '[' || c == '<'
	}
	switch {
	case c == '>' && m.fence == 0: // a quote
	case (c == '`' || c == '~') && !m.after && (m.mark == 0 || m.mark == c):
		m.mark = c
		m.fence++
	case m.open == 0 && m.fence >= 3:
		m.reading, m.length, m.ended = true, 0, false
		m.read(c)
	default:
		m.within = true
	}
}

// line decides, at the end of a line, whether that opens or closes a block.
func (m *marks) line() {
	switch {
	case m.within, m.fence < 3:
	case m.open == 0:
		m.open, m.opened = m.mark, m.fence
		m.program = m.reading && m.length <= len(m.name) && isProgram(string(m.name[:m.length]))
	case m.open == m.mark && m.fence >= m.opened:
		m.open, m.program = 0, false
	}
	m.within, m.reading, m.after, m.fence, m.mark = false, false, false, 0, 0
}

// read takes a byte of the line that may open a block, after its marks. A name that is too long is none.
func (m *marks) read(c byte) {
	switch {
	case c == '`' && m.mark == c:
		m.reading, m.within = false, true
	case m.ended, c == ' ' && m.length == 0:
	case 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '#':
		if m.length < len(m.name) {
			m.name[m.length] = c | 0x20
		}
		m.length++
	default:
		m.ended = true
	}
}

// isProgram reports whether a name of a block stands for a programming language. Names of formats of data and of output,
// such as json, csv, log and text, do not, nor does none. The bit 0x20, which makes letters
// small, is set in + and # as well.
func isProgram(name string) bool {
	switch name {
	case "go", "golang", "python", "py", "js", "jsx", "javascript", "ts", "tsx", "typescript", "java", "kotlin", "scala", "swift", "c", "cpp", "c++", "csharp", "cs", "c#",
		"rust", "rs", "ruby", "rb", "php", "perl", "lua", "dart", "zig", "elixir", "haskell", "julia":
		return true
	}
	return false
}
