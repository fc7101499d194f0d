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
		if strings.Trim(target.text, "0123456789-") == "" && target.text != "" && target.known {
			return
		}
		r.redirectTarget(target, true)
	case syntax.RdrIn:
		r.redirectTarget(target, false)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		r.redirectTarget(target, true)
	default:
		r.unclear("it uses a kind of redirection that is not understood")
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
	r.file(w.text, true)
	r.command.Redirects = r.command.Redirects || written
}
