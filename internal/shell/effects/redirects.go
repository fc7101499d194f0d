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
		r.word(d.Hdoc)
	}
	if d.Word == nil || d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc {
		return
	}
	target := r.word(d.Word)
	switch d.Op {
	case syntax.WordHdoc:
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

// duplicate reads >& or <& with the word behind it: a descriptor, or for >& a file. A word
// that only begins like a descriptor is unclear, because shells and readers of shell text
// disagree about where it ends: for bash, >&-x is >&- and an argument x.
func (r *reader) duplicate(d *syntax.Redirect, target word) {
	text := d.Word.Lit() // "" if any of it is quoted or expanded
	number := strings.TrimSuffix(text, "-")
	switch {
	case text != "" && strings.Trim(number, "0123456789") == "" && len(number) < 4:
		return
	case d.Op == syntax.DplOut && d.N == nil && strings.IndexAny(target.text, "-0123456789") != 0:
		r.redirectTarget(target, true)
	default:
		r.unclear("it is not clear whether a redirection names a descriptor or a file")
	}
}

// redirectTarget notes the file of a redirection.
func (r *reader) redirectTarget(w word, written bool) {
	switch {
	case !w.known:
		return // reading the word has made the command unclear
	case w.pattern || w.number:
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
