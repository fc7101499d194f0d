package effects

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect reads one redirection.
func (r *reader) redirect(d *syntax.Redirect) {
	if d.N != nil && strings.Trim(d.N.Value, "0123456789") != "" {
		r.unclear("a redirection sets a variable")
	}
	if d.Hdoc != nil {
		r.heredoc(d)
	}
	if d.Word == nil || d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc {
		return
	}
	if d.Op == syntax.WordHdoc {
		r.printed(d.Word)
		return
	}
	r.piped = d.Op == syntax.RdrIn
	target := r.word(d.Word)
	r.piped = false
	switch d.Op {
	case syntax.DplIn, syntax.DplOut:
		r.duplicate(d, target)
	case syntax.RdrIn:
		r.redirectTarget(target, false)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		r.redirectTarget(target, true)
	default:
		r.unclear("it uses a kind of redirection that is not understood")
	}
}

// heredoc reads a here-document. If any of its delimiter is quoted, the shell replaces nothing
// in it.
func (r *reader) heredoc(d *syntax.Redirect) {
	if d.Word == nil || len(d.Word.Parts) != 1 || d.Word.Lit() == "" || strings.Contains(d.Word.Lit(), `\`) {
		return
	}
	r.printed(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: d.Hdoc.Parts}}})
}

// duplicate reads >& or <& with the word behind it: a descriptor, or for >& a file. Only
// words that bash and every other reader of shell text take alike are clear. For bash, >&-x
// is >&- and an argument x, >&x- is an error, and the name of a file is expanded a second
// time, so that >& '$(rm x)' runs rm. Source: bash 5.2, redir.c.
func (r *reader) duplicate(d *syntax.Redirect, target word) {
	text := d.Word.Lit() // "" if any of it is quoted or expanded
	number := strings.TrimSuffix(text, "-")
	switch {
	case text != "" && strings.Trim(number, "0123456789") == "" && len(number) < 4:
		return
	case d.Op == syntax.DplOut && d.N == nil && plainName(text) && strings.IndexAny(text, "-0123456789") != 0 && !strings.HasSuffix(text, "-"):
		r.redirectTarget(target, true)
	default:
		r.unclear("it is not clear whether a redirection names a descriptor or a file")
	}
}

// plainName reports whether a text has only letters, digits and a few other characters
// that mean nothing to a shell.
func plainName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-+/", c))
	}) < 0
}

// redirectTarget notes the file of a redirection.
func (r *reader) redirectTarget(w word, written bool) {
	switch {
	case !w.known:
		return // reading the word has made the command unclear
	case w.pattern || w.number || w.text == "":
		r.unclear("it redirects to a file whose name is not known before it runs")
	case strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/"):
		r.unclear("it opens a network connection")
	case w.text == "/dev/null", w.text == "/dev/stdout", w.text == "/dev/stderr":
		return
	}
	if w.text == "-" || strings.HasPrefix(w.text, "~") { // here it is the name of a file
		r.file("./"+w.text, true)
	}
	r.file(w.text, true)
	r.command.Redirects = r.command.Redirects || written
}
