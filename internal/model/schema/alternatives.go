package schema

import "slices"

// alternatives returns a schema that allows one of several. Nothing may stand beside the alternatives, so
// each gets the description, and the properties that all have in common.
func (o *opener) alternatives(in *node, branches []*node, level int) *node {
	_, null := typesOf(in)
	var kept []*node
	for _, branch := range branches {
		if types, isNull := typesOf(branch); isNull && len(types) == 0 {
			null = true
			continue
		}
		kept = append(kept, joined(without(in, "anyOf", "oneOf"), []*node{branch}))
	}
	out := newList()
	for _, one := range kept {
		out.list = append(out.list, o.open(one, level+1))
	}
	if len(out.list) == 0 {
		out.list = append(out.list, opaque())
	}
	if null {
		out.list[0].set("nullable", &node{text: "true"})
	}
	if len(out.list) == 1 {
		return out.list[0]
	}
	any := newObject()
	any.set("anyOf", out)
	return any
}

// types returns a schema with several types as alternatives.
func (o *opener) types(in *node, types []string, null bool, level int) *node {
	out := newList()
	for _, t := range types {
		one := without(in)
		one.set("type", newText(t))
		out.list = append(out.list, o.open(one, level+1))
	}
	if null {
		out.list[0].set("nullable", &node{text: "true"})
	}
	any := newObject()
	any.set("anyOf", out)
	return any
}

// without returns a copy of a schema without some keywords.
func without(in *node, keywords ...string) *node {
	out := newObject()
	for i, name := range in.names {
		if !slices.Contains(keywords, name) {
			out.names, out.list = append(out.names, name), append(out.list, in.list[i])
		}
	}
	return out
}

// joined returns a schema for which others hold as well. Of keywords that several have, the last
// counts, but properties and the names of required ones are collected.
func joined(in *node, all []*node) *node {
	out := without(in, "allOf")
	for _, one := range all {
		for i, name := range one.names {
			value := one.list[i]
			known := out.member(name)
			switch {
			case known == nil:
			case name == "properties":
				value = united(known, value)
			case name == "required":
				value = newList(append(slices.Clone(known.list), value.list...)...)
			}
			out.set(name, value)
		}
	}
	return out
}

// united returns an object with the members of both.
func united(a, b *node) *node {
	out := without(a)
	for i, name := range b.names {
		out.set(name, b.list[i])
	}
	return out
}
