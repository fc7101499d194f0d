package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// node is a JSON value.
type node struct {
	kind  kind
	text  string   // of a string; the JSON of a number or a word
	names []string // of the members of an object, in order, each once
	list  []*node  // the values of the members, or the elements of a list
	size  int      // bytes of the JSON that it was read from
}

type kind uint8

const (
	word kind = iota // null, true or false
	number
	str
	list
	object
)

// member returns the value of a member; nil if there is none.
func (n *node) member(name string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for i, known := range n.names {
		if known == name {
			return n.list[i]
		}
	}
	return nil
}

// set adds a member, or replaces its value.
func (n *node) set(name string, value *node) {
	for i, known := range n.names {
		if known == name {
			n.list[i] = value
			return
		}
	}
	n.names, n.list = append(n.names, name), append(n.list, value)
}

func (n *node) is(text string) bool { return n != nil && n.kind == word && n.text == text }

func newObject() *node { return &node{kind: object} }

func newText(text string) *node { return &node{kind: str, text: text} }

func newList(of ...*node) *node { return &node{kind: list, list: of} }

// parser reads JSON that is known to be valid.
type parser struct {
	data []byte
	pos  int
	odd  bool // something was read that readers disagree about: a name twice, a lone surrogate, 1e999
}

// parse reads valid JSON. Of members with the same name the last counts.
func parse(data []byte) *node {
	p := parser{data: data}
	return p.value()
}

func (p *parser) space() {
	for p.pos < len(p.data) && (p.data[p.pos] == ' ' || p.data[p.pos] == '\t' || p.data[p.pos] == '\n' || p.data[p.pos] == '\r') {
		p.pos++
	}
}

// after consumes c if it is next.
func (p *parser) after(c byte) bool {
	p.space()
	if p.data[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

func (p *parser) value() *node {
	p.space()
	start := p.pos
	n := &node{}
	switch c := p.data[p.pos]; {
	case c == '{':
		n.kind = object
		p.pos++
		p.members(n)
	case c == '[':
		n.kind = list
		p.pos++
		for first := true; !p.after(']'); first = false {
			if !first {
				p.after(',')
			}
			n.list = append(n.list, p.value())
		}
	case c == '"':
		n.kind, n.text = str, p.string()
	default:
		for p.pos < len(p.data) && (p.data[p.pos] >= 'a' && p.data[p.pos] <= 'z' || p.data[p.pos] >= '+' && p.data[p.pos] <= '9' && p.data[p.pos] != ',' || p.data[p.pos] == 'E') {
			p.pos++
		}
		n.text = string(p.data[start:p.pos])
		if c < 'a' {
			n.kind = number
			if _, err := strconv.ParseFloat(n.text, 64); err != nil {
				n.kind, n.text, p.odd = word, "null", true
			}
		}
	}
	n.size = p.pos - start
	return n
}

// members reads those of an object. With many of them, finding a name that comes twice takes
// an index.
func (p *parser) members(n *node) {
	var index map[string]int
	for first := true; !p.after('}'); first = false {
		if !first {
			p.after(',')
			p.space()
		}
		name := p.string()
		p.after(':')
		value := p.value()
		if index == nil && len(n.names) == 16 {
			index = map[string]int{}
			for i, known := range n.names {
				index[known] = i
			}
		}
		switch at, known := index[name]; {
		case index == nil:
			n.set(name, value)
			p.odd = p.odd || n.list[len(n.list)-1] != value
		case known:
			n.list[at], p.odd = value, true
		default:
			index[name] = len(n.names)
			n.names, n.list = append(n.names, name), append(n.list, value)
		}
	}
}

func (p *parser) string() string {
	start := p.pos
	plain := true
	for p.pos++; p.data[p.pos] != '"'; p.pos++ {
		if p.data[p.pos] == '\\' {
			p.pos++
			plain = false
		}
	}
	p.pos++
	raw := p.data[start:p.pos]
	if plain && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	_ = json.Unmarshal(raw, &text) // it is valid
	p.odd = p.odd || strings.ContainsRune(text, utf8.RuneError)
	return text
}

// append appends the JSON of a node.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case object:
		b = append(b, '{')
		for i, name := range n.names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(wire.AppendString(b, name), ':')
			b = n.list[i].append(b)
		}
		return append(b, '}')
	case list:
		b = append(b, '[')
		for i, element := range n.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = element.append(b)
		}
		return append(b, ']')
	case str:
		return wire.AppendString(b, n.text)
	}
	return append(b, n.text...)
}
