package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// refer returns a schema that has a reference, with what it refers to in it. The members beside
// the reference count more. A reference to itself, to another document or to nothing, and one
// that would become too long, allows more than it should.
func (n *normalizer) refer(in *node, level int) *node {
	n.changed = true
	target := n.target(in.member("$ref"))
	merged := newObject()
	follow := target != nil && target.kind == object && !slices.Contains(n.open, target) && n.copied+target.size <= maxCopied
	if follow {
		n.copied += target.size
		merged.names, merged.list = slices.Clone(target.names), slices.Clone(target.list)
	} else if known := target.member("type"); known != nil {
		merged.set("type", known)
	}
	for i, name := range in.names {
		if name != "$ref" {
			merged.set(name, in.list[i])
		}
	}
	if !follow {
		merged.remove("$ref")
		return n.schema(merged, level+1)
	}
	n.open = append(n.open, target)
	out := n.schema(merged, level+1)
	n.open = n.open[:len(n.open)-1]
	return out
}

// target returns what a reference refers to in the same document; nil if nothing.
func (n *normalizer) target(ref *node) *node {
	if ref.kind != str {
		return nil
	}
	address := ref.text
	if id := n.root.member("$id"); id != nil && id.kind == str {
		address = strings.TrimPrefix(address, strings.TrimSuffix(id.text, "#"))
	}
	pointer, local := strings.CutPrefix(address, "#")
	if !local && address != "" {
		return nil
	}
	at := n.root
	if pointer == "" {
		return at
	}
	if !strings.HasPrefix(pointer, "/") {
		return n.anchor(n.root, pointer)
	}
	for _, step := range strings.Split(pointer[1:], "/") {
		if plain, err := url.PathUnescape(step); err == nil {
			step = plain
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch {
		case at == nil:
			return nil
		case at.kind == list:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(at.list) {
				return nil
			}
			at = at.list[index]
		default:
			at = at.member(step)
		}
	}
	return at
}

// anchor finds the schema of that name among the definitions of the root.
func (n *normalizer) anchor(in *node, name string) *node {
	for _, keyword := range []string{"$defs", "definitions"} {
		definitions := in.member(keyword)
		if definitions == nil {
			continue
		}
		for _, one := range definitions.list {
			for _, at := range []*node{one.member("$anchor"), one.member("$id")} {
				if at != nil && at.kind == str && strings.TrimPrefix(at.text, "#") == name {
					return one
				}
			}
		}
	}
	return nil
}
