package effects

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// findings are the effects of a command that have been found so far, and where its shell may
// be. They know nothing of syntax and of programs: the reader does.
type findings struct {
	*budget
	command permit.Command
	home    string
	resolve func(string) []string
	real    map[string][]string // what resolve has returned; see [findings.where]
	dirs    []string            // where the shell may be; the first is where it starts
	moved   bool                // a cd led away from the first of dirs
}

// unclear makes the command unclear. The first reason is kept.
func (f *findings) unclear(why string) {
	if f.command.Unclear == "" {
		f.command.Unclear = why
	}
}

// hidden makes the command unclear because it may run programs that are not listed.
func (f *findings) hidden(why string) {
	f.unclear(why)
	f.command.Hidden = true
}

// keep counts texts that stay in the result.
func (f *findings) keep(texts ...string) {
	for _, t := range texts {
		f.spend(perKept+perKeptByte*len(t), 1+2*strings.Count(t, "/"))
	}
}

// besides notes a program or builtin that only deny rules judge.
func (f *findings) besides(words []string) {
	if len(f.command.Besides) >= maxPrograms {
		f.hidden("it runs too many programs")
		return
	}
	f.keep(words...)
	f.command.Besides = append(f.command.Besides, permit.Program{Name: words[0], Words: words})
}
