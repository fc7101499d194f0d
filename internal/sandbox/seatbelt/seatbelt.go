// Package seatbelt writes the profile of a macOS sandbox, and the arguments by which the
// system's program sandbox-exec starts a command in it: a pure function, [Args]. seatbelt.go
// has the description of a sandbox and what is made of it; base.sbpl what every profile
// begins with, with the reason for each line.
//
// UNTRIED: nobody has run these profiles on a Mac. They are written from the documentation of
// other programs and tested as text only.
//
// The profile has no path in it. Paths are parameters, arguments of their own, so that no name
// of a folder can end a string and begin a rule.
package seatbelt

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Profile describes a sandbox. One that only reads has no Write but its private folder; as
// changing modes and times is writing on a Mac, it needs nothing else. Paths are absolute and have no symbolic links in them, but for
// /tmp, /var and /etc, which every Mac has. A folder stands for all below it. There is no
// network.
type Profile struct {
	Read    []string // files and folders to read and execute, besides those of the system
	Write   []string // files and folders to read, execute, write, make and remove
	Protect []string // what cannot be written also below Write
	Deny    []string // what stays out of reach also below Read and Write
}

//go:embed base.sbpl
var base string

// Args returns the arguments for sandbox-exec, /usr/bin/sandbox-exec excluded, that start
// argv in a sandbox. An error is [fault.Invalid], for a path that cannot be.
func Args(p Profile, argv []string) ([]string, error) {
	w := writer{}
	w.text.WriteString(base)
	w.rule("allow file-read* process-exec", "subpath", "READ", p.Read)
	w.rule("allow file-read* process-exec", "subpath", "WRITE", p.Write)
	w.rule("allow file-write*", "subpath", "WRITE", p.Write)
	w.rule("allow file-read-metadata", "literal", "PARENT", parents(p.Read, p.Write))
	w.rule("deny file-write*", "subpath", "PROTECT", p.Protect)
	w.rule("deny file-read* file-write* process-exec", "subpath", "DENY", p.Deny)
	// A denied folder must not get another path, by moving one that it lies in.
	w.rule("deny file-write-unlink", "literal", "ABOVE", parents(p.Deny, p.Protect))
	if len(argv) == 0 {
		w.fail("", "there is no command")
	}
	if w.err != nil {
		return nil, w.err
	}
	return slices.Concat([]string{"-p", w.text.String()}, w.parameters, []string{"--"}, argv), nil
}

// writer collects a profile, its parameters, and the first error.
type writer struct {
	text       strings.Builder
	parameters []string
	err        error
}

func (w *writer) fail(on, why string) {
	if w.err == nil {
		w.err = fault.New(fault.Invalid, "seatbelt.Args", on, "%s", why)
	}
}

// rule writes one rule for all paths. Its filter, subpath or literal, gets each of them as a
// parameter with a numbered name.
func (w *writer) rule(what, filter, name string, paths []string) {
	if len(paths) == 0 {
		return
	}
	fmt.Fprintf(&w.text, "\n(%s", what)
	for i, path := range paths {
		key := name + "_" + strconv.Itoa(i)
		fmt.Fprintf(&w.text, "\n  (%s (param %q))", filter, key)
		w.parameter(key, path)
	}
	w.text.WriteString(")\n")
}

// parameter passes a path, unless an earlier rule has done so.
func (w *writer) parameter(key, name string) {
	if !path.IsAbs(name) || path.Clean(name) != name || strings.ContainsRune(name, 0) {
		w.fail(name, "a path in a sandbox must be absolute, and without . and .. and zero bytes")
		return
	}
	argument := "-D" + key + "=" + private(name)
	if !slices.Contains(w.parameters, argument) {
		w.parameters = append(w.parameters, argument)
	}
}

// parents returns the folders above paths, which programs must be able to stat in order to
// find out where they are.
func parents(groups ...[]string) (all []string) {
	for _, name := range slices.Concat(groups...) {
		for dir := path.Dir(private(name)); dir != "/" && dir != "."; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// private resolves the links that every Mac has at its root.
func private(name string) string {
	for _, link := range []string{"/tmp", "/var", "/etc"} {
		if name == link || strings.HasPrefix(name, link+"/") {
			return "/private" + name
		}
	}
	return name
}
