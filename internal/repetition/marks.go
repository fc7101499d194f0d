package repetition

// marks follows where blocks of code begin and end, and whether the text begins as data does.
type marks struct {
	begun, isData bool
	within        bool // of a line, after its indentation
	fence         int  // how many marks of a fence the line begins with
	mark          byte
	open          byte // the mark that has opened a block; 0 outside
	program       bool // the block names a programming language
	reading       bool // that name
	name          [8]byte
	length        int
}

func (m *marks) data() bool { return m.isData || m.open != 0 }

func (m *marks) add(c byte) {
	switch {
	case c == '\n':
		if m.reading {
			m.named()
		}
		m.within, m.fence, m.mark = false, 0, 0
		return
	case m.within, m.fence == 0 && (c == ' ' || c == '\t' || c == '\r'):
		return
	case m.reading:
		m.read(c)
		return
	}
	if !m.begun {
		m.begun, m.isData = true, c == '{' || c == '[' || c == '<'
	}
	if (c != '`' && c != '~') || m.mark != 0 && m.mark != c {
		m.within = true
		return
	}
	m.mark = c
	if m.fence++; m.fence < 3 {
		return
	}
	switch m.open {
	case 0:
		m.open, m.reading, m.length = c, true, 0
		return
	case c:
		m.open, m.program = 0, false
	}
	m.within = true
}

// read takes over a byte of the line that opens a block, after its marks. A name that is too long is none.
func (m *marks) read(c byte) {
	switch {
	case c == m.open && m.length == 0, c == ' ' && m.length == 0:
	case 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '#':
		if m.length < len(m.name) {
			m.name[m.length] = c | 0x20
		}
		m.length++
	default:
		m.named()
	}
}

// named decides what the block is, once its name has been read.
func (m *marks) named() {
	m.reading, m.within = false, true
	m.program = m.length <= len(m.name) && isProgram(string(m.name[:m.length]))
}

// isProgram reports whether a name of a block stands for a programming language. Names of formats of data and of output,
// such as json, csv, log and text, do not, nor does none. The bit 0x20, which makes letters
// small, is set in + and # as well.
func isProgram(name string) bool {
	switch name {
	case "go", "golang", "python", "py", "js", "jsx", "ts", "tsx", "java", "kotlin", "scala", "swift", "c", "cpp", "c++", "csharp", "cs", "c#",
		"rust", "rs", "ruby", "rb", "php", "perl", "lua", "dart", "zig", "elixir", "haskell", "julia":
		return true
	}
	return false
}
