package markdown

// maxDepth bounds how deep quotes and lists are nested. Deeper marks are text.
const maxDepth = 16

// reader reads a text line by line and puts blocks that are final into out.
type reader struct {
	open []container // the quotes and items that the last line was in; the first is the text itself
	leaf leaf        // the last block of the innermost container, if lines can be added to it
	any  bool        // a block has been put out
	out  []block
}

// container is an open quote or item.
type container struct {
	item   bool
	offset int    // columns that the lines of an item are indented by
	label  string // of an item: "• " or "3. "
	shown  bool   // a block in it has been put out
	blank  bool   // an item whose first line has only its mark
	plain  bool   // an item of which only a first paragraph was put out
	list   list   // the last block in it, if that is a list
}

// list is a list whose last item has just ended, or is open.
type list struct {
	mark    byte // 0 for none
	next    int  // the number of the next item
	big     bool // an item has more than text
	follows bool // an item has been put out
}

// fork is a copy that may read further lines without a change to p, and without what it has put
// out so far.
func (p *reader) fork() reader {
	f := *p
	f.open = append([]container(nil), p.open...)
	f.leaf.lines = p.leaf.lines[:len(p.leaf.lines):len(p.leaf.lines)]
	f.out = nil
	if c := p.leaf.columns; c != nil && !p.leaf.frozen {
		f.leaf.columns = &columns{aligns: c.aligns}
	}
	return f
}

// inCode reports whether the next line is one of code, unless it ends the code.
func (p *reader) inCode() bool { return p.leaf.kind == fence || p.leaf.kind == indented }

// line reads the next line.
func (p *reader) line(text string) {
	if len(p.open) == 0 {
		p.open = []container{{}}
	}
	c := cursor{text: text}
	matched := p.match(&c)
	inside := matched == len(p.open) // of all that was open
	if inside && p.code(&c) {
		return
	}
	for {
		if p.container(&c, matched, inside) {
			matched, inside = len(p.open), true
			continue
		}
		break
	}
	if p.block(&c, matched, inside) {
		return
	}
	p.text(&c, matched, inside)
}

// match goes into the containers that the line is in, and returns how many these are.
func (p *reader) match(c *cursor) int {
	for i := 1; i < len(p.open); i++ {
		o := &p.open[i]
		switch {
		case !o.item:
			if !quoteMark(c) {
				return i
			}
		case c.blank():
			if o.blank {
				return i
			}
		case c.indent() >= o.offset:
			c.skip(o.offset)
		default:
			return i
		}
	}
	return len(p.open)
}

// quoteMark removes "> ".
func quoteMark(c *cursor) bool {
	n := c.indent()
	if rest := c.rest(); n > 3 || rest == "" || rest[0] != '>' {
		return false
	}
	c.skip(n)
	c.take(1)
	c.skip(1)
	return true
}

// container opens the quote or the item that begins here, if one does.
func (p *reader) container(c *cursor, matched int, inside bool) bool {
	n := c.indent()
	if n > 3 || c.blank() || matched >= maxDepth {
		return false
	}
	rest := c.rest()
	if rest[0] == '>' {
		p.close(matched)
		quoteMark(c)
		p.push(container{})
		return true
	}
	m, ok := itemMark(rest)
	if !ok || rule(rest) {
		return false
	}
	empty := len(rest) == m.size || (&cursor{text: rest[m.size:]}).blank()
	if inside && p.leaf.prose() && (empty || m.ordered() && m.number != 1) {
		return false
	}
	p.close(matched)
	p.item(c, m, n, empty)
	return true
}

// item opens an item. Its lines are indented by its mark, and by up to four columns behind it.
func (p *reader) item(c *cursor, m marker, indent int, empty bool) {
	c.skip(indent)
	c.take(m.size)
	o := container{item: true, blank: empty, plain: true, offset: indent + m.size + 1}
	behind := c.indent()
	switch {
	case empty:
		c.text = ""
	case behind > 4:
		c.skip(1)
	default:
		o.offset = indent + m.size + behind
		c.skip(behind)
	}
	l := &p.open[len(p.open)-1].list
	if l.mark != m.mark {
		*l = list{mark: m.mark, next: m.number}
	}
	o.label = label(m, l.next)
	l.next++
	p.push(o)
}

func (p *reader) push(o container) {
	parent := &p.open[len(p.open)-1]
	parent.blank = false
	if !o.item {
		parent.list = list{}
	}
	p.open = append(p.open, o)
}

// block puts out, or begins, the block that a line begins or is; false for lines of text.
func (p *reader) block(c *cursor, matched int, inside bool) bool {
	if c.blank() || c.indent() > 3 {
		return false
	}
	rest := c.rest()
	if level, title, ok := heading(rest); ok {
		p.close(matched)
		p.put(block{kind: header, level: level, text: title})
		return true
	}
	if mark, n, language, ok := fenceMark(rest); ok {
		p.close(matched)
		p.start(leaf{kind: fence, mark: mark, size: n, indent: c.indent(), language: language})
		return true
	}
	if level := underline(rest); level > 0 && inside && p.leaf.kind == paragraph && !p.leaf.part {
		text := p.leaf.join()
		p.leaf = leaf{}
		p.put(block{kind: header, level: level, text: text})
		return true
	}
	if rule(rest) {
		p.close(matched)
		p.put(block{kind: ruler})
		return true
	}
	return false
}

// text adds a line of text to the open block, or begins one.
func (p *reader) text(c *cursor, matched int, inside bool) {
	switch {
	case c.blank():
		p.end()
		p.close(matched)
		return
	case !inside && p.leaf.kind == paragraph: // the mark of the container may be missing
		p.add(c.rest())
		return
	case !inside:
		p.close(matched)
	}
	switch {
	case p.leaf.kind == table && p.tableRow(c.rest()):
	case p.leaf.kind == paragraph && p.tableHead(c.rest()):
	case p.leaf.kind != paragraph && c.indent() > 3:
		p.start(leaf{kind: indented})
		p.code(c)
	default:
		if p.leaf.kind != paragraph {
			p.start(leaf{kind: paragraph})
		}
		p.add(c.rest())
	}
}

// close ends the open block, and the containers behind the first n.
func (p *reader) close(n int) {
	p.end()
	for len(p.open) > n {
		if o := &p.open[len(p.open)-1]; o.item && !o.shown {
			p.put(block{kind: prose})
		}
		p.open = p.open[:len(p.open)-1]
	}
}
