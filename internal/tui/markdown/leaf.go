package markdown

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/code"
)

// leafKind is what lines are being added to.
type leafKind uint8

const (
	none leafKind = iota
	paragraph
	fence
	indented
	table
)

// leaf is the block that lines are being added to.
type leaf struct {
	kind     leafKind
	lines    []string // of a paragraph; of a table, without the delimiters
	size     int      // bytes of a paragraph; marks of a fence
	part     bool     // the beginning of the paragraph has been put out
	mark     byte     // of a fence
	indent   int      // of a fence
	language string   // of a fence
	begun    bool     // a line of the code has been put out
	blanks   int      // blank lines of code at its end so far: code without an end of its own has none
	columns  *columns // of a table
	frozen   bool     // the first rows of the table have been put out
}

// prose reports whether a line of text goes on with the leaf.
func (l *leaf) prose() bool { return l.kind == paragraph || l.kind == table }

func (l *leaf) join() string { return strings.TrimRight(strings.Join(l.lines, "\n"), " \t") }

// start ends the open leaf and begins another.
func (p *reader) start(l leaf) {
	p.end()
	p.leaf = l
	o := &p.open[len(p.open)-1]
	o.list, o.blank = list{}, false
}

// add adds a line to the paragraph.
func (p *reader) add(text string) {
	p.leaf.lines = append(p.leaf.lines, text)
	if p.leaf.size += len(text) + 1; p.leaf.size > maxLine {
		p.split()
	}
}

// split puts out the paragraph so far, and lets it go on behind.
func (p *reader) split() {
	if p.leaf.kind == paragraph {
		p.end()
		p.leaf = leaf{kind: paragraph, part: true}
	}
}

// code reads a line of the open code. False means that the line is not one of its.
func (p *reader) code(c *cursor) bool {
	switch p.leaf.kind {
	case fence:
		if c.blank() {
			p.leaf.blanks++
			return true
		}
		p.codeBlanks()
		if closesFence(c, p.leaf.mark, p.leaf.size) {
			p.end()
			return true
		}
		c.skip(min(p.leaf.indent, c.indent()))
		p.codeLine(c.text)
		return true
	case indented:
		if c.blank() {
			p.leaf.blanks++
			return true
		}
		if c.indent() < 4 {
			p.end()
			return false
		}
		p.codeBlanks()
		c.skip(4)
		p.codeLine(c.text)
		return true
	}
	return false
}

// codeBlanks puts out the blank lines before a line of the code, or before the end of its fence.
func (p *reader) codeBlanks() {
	for ; p.leaf.blanks > 0; p.leaf.blanks-- {
		p.codeLine("")
	}
}

func (p *reader) codeLine(text string) {
	b := block{kind: codeLine, text: code.Expand(text), language: p.leaf.language, part: p.leaf.begun}
	p.leaf.begun = true
	p.put(b)
}

// maxFree is how many rows of a table decide about the widths of its columns. Those that follow
// are wrapped into them, and are final one by one.
const maxFree = 50

// tableHead begins a table if text is its line of delimiters and the line before is its head.
func (p *reader) tableHead(text string) bool {
	aligns, ok := delimiters(text)
	if !ok || len(p.leaf.lines) == 0 {
		return false
	}
	last := len(p.leaf.lines) - 1
	head := p.leaf.lines[last]
	if len(cells(head)) != len(aligns) {
		return false
	}
	p.leaf.lines = p.leaf.lines[:last]
	p.end()
	p.leaf = leaf{kind: table, lines: []string{head}, columns: &columns{aligns: aligns}}
	return true
}

// tableRow adds a row to the open table. False means that the line is none.
func (p *reader) tableRow(text string) bool {
	if !strings.Contains(text, "|") {
		return false
	}
	p.leaf.lines = append(p.leaf.lines, text)
	if p.leaf.size += len(text); p.leaf.frozen || len(p.leaf.lines) > maxFree || p.leaf.size > maxLine {
		p.putTable(true)
		p.leaf.frozen, p.leaf.lines = true, nil
	}
	return true
}

// putTable puts out the rows of the table so far. More can follow.
func (p *reader) putTable(more bool) {
	b := block{kind: grid, columns: p.leaf.columns, part: p.leaf.frozen}
	for i, line := range p.leaf.lines {
		b.cells = append(b.cells, b.columns.cells(line, i == 0 && !b.part))
	}
	b.columns.measure(b.cells, more)
	p.put(b)
}

// end puts out the open leaf.
func (p *reader) end() {
	switch p.leaf.kind {
	case paragraph:
		if text := p.leaf.join(); text != "" {
			p.put(block{kind: prose, text: text, part: p.leaf.part})
		}
	case table:
		if len(p.leaf.lines) > 0 {
			p.putTable(false)
		}
	}
	p.leaf = leaf{}
}
