package markdown

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// blockKind is what a block is.
type blockKind uint8

const (
	prose blockKind = iota
	header
	ruler
	codeLine
	grid // a table
)

// block is a block of the text that is final, or a part of one. Its rows depend on nothing but
// the width, and for lines of code on the lines before.
type block struct {
	kind     blockKind
	text     string
	level    int         // of a header
	language string      // of a line of code
	growing  bool        // it is the last one of a text that has not ended
	part     bool        // it goes on with the block before
	cells    [][]row.Row // of a table: its rows
	columns  *columns    // of a table
	gap      bool        // an empty row is before it
	spacer   row.Row     // the prefix of that row
	first    row.Row     // the prefix of its first row, with the marks of items that begin
	further  row.Row     // the prefix of its other rows
}

// put puts out a block in the innermost container.
func (p *reader) put(b block) {
	if b.kind == codeLine && p.begins() {
		p.put(block{kind: prose}) // the mark of the item has a row of its own
	}
	if b.kind == prose && !b.part {
		b.text = p.task(b.text)
	}
	b.gap = p.any && !b.part && p.apart()
	p.prefixes(&b)
	p.note(&b)
	p.out = append(p.out, b)
}

// begins reports whether an item begins whose mark has not been shown.
func (p *reader) begins() bool { o := p.open[len(p.open)-1]; return o.item && !o.shown }

// task replaces the mark of an item by its box, if it has one.
func (p *reader) task(text string) string {
	o := &p.open[len(p.open)-1]
	if !p.begins() || len(text) < 4 || text[0] != '[' || text[2] != ']' || text[3] != ' ' {
		return text
	}
	box := "[ ] "
	switch text[1] {
	case 'x', 'X':
		box = "[✓] "
	case ' ':
	default:
		return text
	}
	if strings.HasPrefix(o.label, "•") {
		o.label = ""
	}
	o.label += box
	return strings.TrimLeft(text[4:], " ")
}

func label(m marker, number int) string {
	if m.ordered() {
		return strconv.Itoa(number) + string(rune(m.mark)) + " "
	}
	return "• "
}

// apart reports whether an empty row is before the next block. Items are together if they have
// only text; so are the text of an item and the list in it.
func (p *reader) apart() bool {
	for i := 1; i < len(p.open); i++ {
		o, parent := &p.open[i], &p.open[i-1]
		if o.shown {
			continue
		}
		if !o.item {
			return true
		}
		if parent.list.next > 0 && parent.list.follows {
			return parent.list.big
		}
		return !(parent.item && parent.plain)
	}
	return true
}

// prefixes makes the prefixes of a block: bars of quotes, marks and indentations of items.
func (p *reader) prefixes(b *block) {
	for i := 1; i < len(p.open); i++ {
		o := &p.open[i]
		if !o.item {
			b.first, b.further = b.first.And("│ ", row.Quote), b.further.And("│ ", row.Quote)
			if o.shown {
				b.spacer = b.further
			}
			continue
		}
		blank := strings.Repeat(" ", row.Width(o.label))
		if o.shown {
			b.first = b.first.And(blank, row.Plain)
		} else {
			b.first = b.first.And(o.label, row.Accent)
		}
		b.further = b.further.And(blank, row.Plain)
	}
}

// note keeps what the gaps of later blocks depend on.
func (p *reader) note(b *block) {
	p.any = true
	text := b.kind == prose
	for i := len(p.open) - 1; i > 0; i-- {
		o, parent := &p.open[i], &p.open[i-1]
		inner := i == len(p.open)-1
		if inner && o.item && (!text || o.shown && !b.part) {
			o.plain = false
		}
		if o.item {
			if !o.plain {
				parent.list.big = true
				parent.plain = false
			}
			parent.list.follows = true
		} else {
			parent.plain = false
		}
		o.shown, o.blank = true, false
	}
	p.open[len(p.open)-1].list = list{}
}
