package markdown

import (
	"bytes"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// inlines parses what is inside a paragraph. It has none of goldmark's extensions, because their
// package compiles regular expressions at every start.
var inlines = lazy.Value[parser.Parser]{Make: func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(strike{}, 600), util.Prioritized(bare{}, 700))...),
	)
}}

// strike parses ~~text~~.
type strike struct{}

// strikeNode is text that is struck out. It says that it is emphasis, because a kind of its own
// would be made at every start.
type strikeNode struct{ ast.BaseInline }

func (*strikeNode) Kind() ast.NodeKind      { return ast.KindEmphasis }
func (n *strikeNode) Dump(b []byte, lv int) { ast.DumpHelper(n, b, lv, nil, nil) }

func (strike) IsDelimiter(b byte) bool                         { return b == '~' }
func (strike) CanOpenCloser(open, shut *parser.Delimiter) bool { return open.Char == shut.Char }
func (strike) OnMatch(int) ast.Node                            { return &strikeNode{} }
func (strike) Trigger() []byte                                 { return []byte{'~'} }

func (s strike) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, s)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// bare parses addresses that stand in the text: https://go.dev.
type bare struct{}

func (bare) Trigger() []byte { return []byte{'h'} }

func (bare) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	n := addressEnd(line)
	if n == 0 || pc.IsInLinkLabel() {
		return nil
	}
	if before := block.PrecendingCharacter(); unicode.IsLetter(before) || unicode.IsDigit(before) {
		return nil
	}
	block.Advance(n)
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(segment.Start, segment.Start+n)))
}

// addressEnd is the length of the address that a line begins with, 0 for none. Punctuation behind
// it, and a bracket that it does not open, belong to the sentence.
func addressEnd(line []byte) int {
	if !bytes.HasPrefix(line, []byte("https://")) && !bytes.HasPrefix(line, []byte("http://")) {
		return 0
	}
	n := bytes.IndexAny(line, " \t\n<>\"`|")
	if n < 0 {
		n = len(line)
	}
	for n > 0 {
		switch c := line[n-1]; {
		case bytes.IndexByte([]byte("?!.,:;*_~'"), c) >= 0:
		case c == ')' && bytes.Count(line[:n], []byte{')'}) > bytes.Count(line[:n], []byte{'('}):
		case c == ']' && bytes.Count(line[:n], []byte{']'}) > bytes.Count(line[:n], []byte{'['}):
		default:
			if n <= len("https://") {
				return 0
			}
			return n
		}
		n--
	}
	return 0
}
