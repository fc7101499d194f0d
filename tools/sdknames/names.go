package main

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// sdk is what the sources of an SDK say about the wire.
type sdk struct {
	names  map[string]bool    // lines of the result
	types  map[string]*object // by name; those that are written by hand have "own " before it
	events map[string]string  // the type of the data, by the name of the event
	walked int                // how many types, each as often as it is somewhere
}

// maxWalked bounds sdk.walked, which is 7,000 for the newest wheel.
const maxWalked = 100_000

// object is a type whose values are objects in JSON.
type object struct {
	own    bool // written by hand, and not generated
	fields []field
}

// field is a member of an object, or, if it has no key, another type whose members the object has, too.
type field struct {
	key   string
	holds string // the text that says which types its value has
}

func newSDK() *sdk {
	return &sdk{names: map[string]bool{}, types: map[string]*object{}, events: map[string]string{}}
}

func (s *sdk) define(name string, o *object) {
	if o.own {
		name = "own " + name
	}
	s.types[name] = o
}

// find returns the type that a name stands for in the source text of an object.
func (s *sdk) find(name string, own bool) *object {
	if own {
		return cmp.Or(s.types["own "+name], s.types[name])
	}
	return cmp.Or(s.types[name], s.types["own "+name])
}

// all returns a line for each name, sorted: what it is, a space, and the name.
//
//	method    the SDK calls it, and the server answers
//	callback  the server calls it, and the SDK answers
//	event     the type of an event
//	field     a field of the data of an event: session.idle.aborted
//	setting   a member of the parameters of session.create or session.resume: mcpServers.*.env
//	update    the same of session.options.update
//
// In paths, [] stands for each element of a list and * for each key of a map.
func (s *sdk) all(settings, updates []string) ([]string, error) {
	for event, data := range s.events {
		s.add("event", event)
		s.walk("field", event+".", data, false, nil)
	}
	for _, t := range settings {
		s.walk("setting", "", t, true, nil)
	}
	for _, t := range updates {
		s.walk("update", "", t, false, nil)
	}
	if s.walked > maxWalked {
		return nil, errors.New("its types are in each other in too many ways")
	}
	return slices.Sorted(maps.Keys(s.names)), nil
}

func (s *sdk) add(what, name string) { s.names[what+" "+name] = true }

var (
	word = regexp.MustCompile(`\w+`)
	list = regexp.MustCompile(`Vec<|\bfrom_list\(|\[\]`)
	mark = regexp.MustCompile(`Vec<|\bfrom_list\(|\[\]|Map<|[^.]from_dict\(|map\[`) // of a list or of a map
)

// walk adds the members of the types that a text names. above are the types that it is in: a type that is in itself
// is not walked a second time.
func (s *sdk) walk(what, path, text string, own bool, above []*object) {
	own = own && !strings.Contains(text, "generated::")
	for _, name := range word.FindAllString(text, -1) {
		o := s.find(strings.TrimPrefix(name, "_load_"), own)
		if o == nil || slices.Contains(above, o) {
			continue
		}
		if s.walked++; s.walked > maxWalked {
			return
		}
		inside := append(slices.Clip(above), o)
		for _, f := range o.fields {
			if f.key == "" {
				s.walk(what, path, f.holds, o.own, inside)
				continue
			}
			s.add(what, path+f.key)
			in := path + f.key
			for _, m := range mark.FindAllString(f.holds, -1) {
				in += map[bool]string{true: "[]", false: ".*"}[list.MatchString(m)]
			}
			s.walk(what, in+".", f.holds, o.own, inside)
		}
	}
}
