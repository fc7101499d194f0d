package effects

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command, with its quotes removed.
type word struct {
	text    string
	known   bool // text is exactly what the program gets
	pattern bool // text is a pattern, which the shell replaces by names of files
	leading bool // it is a pattern whose match may look like an option
	number  bool // text has a 0 where the shell inserts a number that is not known

	variable bool // it holds the value of a variable that the command has set
	data     bool // a text that is not known, for a program that only prints it
}

// words reads words in order.
func (r *reader) words(list []*syntax.Word) []word {
	read := make([]word, 0, len(list))
	for _, w := range list {
		if more := r.braces(w); more != nil {
			read = append(read, more...)
			continue
		}
		read = append(read, r.word(w))
	}
	return read
}

// word reads one word. Anything in it that cannot be known makes the command unclear.
func (r *reader) word(w *syntax.Word) word {
	r.spend(4*perItem, 1+len(w.Parts))
	b := builder{r: r, word: word{known: true}}
	defer func(before bool) { r.piped = before }(r.piped)
	r.piped = r.piped && len(w.Parts) == 1
	for i, part := range w.Parts {
		b.part(part, i == 0, i == len(w.Parts)-1)
	}
	out := b.word
	out.text = b.text.String()
	out.leading = out.pattern && strings.IndexAny(out.text, wildcards+"-") == 0
	if out.pattern && out.number {
		b.unknown("a pattern holds a number that is not known before it runs")
		out.known = false
	}
	b.checkVariables(&out)
	if out.pattern && mayLeadUp(out.text) {
		b.unknown("a pattern may match a parent folder")
		out.known = false
	}
	return out
}

// builder assembles a word from its parts.
type builder struct {
	word
	r      *reader
	text   strings.Builder
	brace  bool // an unquoted { has been read
	comma  bool // and after it a comma or ".."
	class  bool // an unquoted [ has been read
	before byte // the last character that was read

	variables []value // the values of variables in it
}

// write adds a text to the word.
func (b *builder) write(text string) {
	b.grow(len(text))
	b.text.WriteString(text)
}

// grow counts bytes that are added to the word. A text that grows is copied up to three times.
func (b *builder) grow(n int) { b.r.spend(4*n, n/32) }

// unknown notes that the word's value cannot be known.
func (b *builder) unknown(why string) {
	b.known = false
	b.r.unclear(why)
}

// part reads a part of a word that is outside double quotes. first and last tell where in
// the word it is.
func (b *builder) part(part syntax.WordPart, first, last bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		if first {
			b.unquoted(b.tilde(p.Value, last))
		} else {
			b.unquoted(p.Value)
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			b.unknown("it uses ANSI-C quoting")
		}
		b.write(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar {
			b.unknown("it uses text that is translated")
		}
		for _, inner := range p.Parts {
			if text, ok := inner.(*syntax.Lit); ok {
				b.quoted(text.Value)
			} else {
				b.expansion(inner, true)
			}
		}
	default:
		b.expansion(part, false)
	}
}

// expansion reads a part of a word that the shell replaces.
func (b *builder) expansion(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.ParamExp:
		b.parameter(p, quoted)
	case *syntax.CmdSubst:
		if !quoted || !b.print() {
			b.unknown("it inserts the output of another command")
		}
		b.r.substituted(p.Stmts)
	case *syntax.ProcSubst:
		if b.r.piped && p.Op == syntax.CmdIn {
			b.text.WriteString("-") // the program reads a pipe, as it does for -
		} else {
			b.unknown("it uses process substitution")
		}
		b.r.substituted(p.Stmts)
	default:
		b.unknown("it uses an expansion whose value is not known before it runs")
		b.r.substitutions(p)
	}
}

// tilde replaces ~ at the beginning of a word by the home folder, as the shell does if
// everything up to the first slash is without quotes. It returns the rest of the text.
func (b *builder) tilde(text string, last bool) string {
	if strings.HasPrefix(text, "=") && len(text) > 1 {
		b.unknown("a word begins with =, which some shells replace by the path of a program")
	}
	if !strings.HasPrefix(text, "~") {
		return text
	}
	user, _, slash := strings.Cut(text[1:], "/")
	switch {
	case user != "":
		b.unknown("it names another user's home folder")
	case !slash && !last:
		b.unknown("a ~ stands before a quote or a variable")
	case !filepath.IsAbs(b.r.home):
		b.unknown("the home folder is not known")
	}
	b.write(b.r.home)
	return text[1:]
}

// unquoted reads text outside quotes: a backslash quotes the next character, and some
// characters expand.
func (b *builder) unquoted(text string) {
	b.grow(len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			_, n := utf8.DecodeRuneInString(text[i:])
			if strings.ContainsAny(text[i:i+n], wildcards) {
				b.unknown("it escapes a pattern character") // in the result it would look like a pattern
			}
			b.text.WriteString(text[i : i+n])
			i += n - 1
			b.before = '\\'
			continue
		case c == '*' || c == '?' || c == ']' && b.class:
			b.pattern = true
		case c == '[':
			b.class = true // a character class only if a ] follows
		case c == '~' && (b.before == '=' || b.before == ':'):
			b.unknown("it has a ~ that the shell may replace by a home folder") // in what looks like an assignment
		case c == '{':
			b.brace = true
		case b.brace && (c == ',' || c == '.' && b.before == '.'):
			b.comma = true
		case c == '}' && b.comma:
			b.unknown("it expands braces")
		}
		b.before = c
		b.text.WriteByte(c)
	}
}

// quoted reads text in double quotes, where a backslash quotes four characters only.
func (b *builder) quoted(text string) {
	b.grow(len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\", text[i+1]) >= 0 {
			i++
		}
		b.text.WriteByte(text[i])
	}
}

// parameter reads a variable. $HOME is known, and $?, $#, $$ and $! are known to be
// numbers.
func (b *builder) parameter(p *syntax.ParamExp, quoted bool) {
	plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && p.Names == 0 &&
		!p.Excl && !p.Length && !p.Width && p.Param != nil
	switch {
	case plain && p.Param.Value == "HOME" && filepath.IsAbs(b.r.home) && (quoted || !strings.ContainsAny(b.r.home, " \t\n\\"+wildcards)):
		b.write(b.r.home)
	case plain && slices.Contains([]string{"?", "#", "$", "!"}, p.Param.Value):
		b.text.WriteString("0")
		b.number = true
	case b.variable(p, quoted):
	default:
		b.unknown("it uses a variable")
		b.r.substitutions(p)
	}
}
