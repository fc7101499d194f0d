package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

// Bounds of a schema.
const (
	// maxBytes bounds a schema. The model reads it with every call; the largest useful ones have
	// some ten kilobytes.
	maxBytes = 256 << 10
	// maxLevels bounds the levels of JSON that are read.
	maxLevels = 512
	// maxDepth bounds the schemas within schemas. Deeper ones allow everything.
	maxDepth = 32
	// maxKeywords bounds the keywords of one schema. A schema with more allows everything.
	maxKeywords = 128
	// maxCopied bounds the bytes that references add to a schema.
	maxCopied = 128 << 10
)

// None is the schema of a tool without parameters; providers insist on one.
const None = `{"type":"object","properties":{}}`

// Normalize returns a schema that every provider accepts and that means the same, as far as that
// is possible: it describes an object, has no references, no keywords that are refused at the
// root, no mistakes of type, and nothing that only older drafts of JSON Schema allow. A schema
// without faults is returned unchanged. An empty one is that of a tool without parameters.
//
// Schemas that refer to themselves are cut where they do. The error says, in words for the user,
// why no object can be described.
func Normalize(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(raw) == 0:
		return json.RawMessage(None), nil
	case len(raw) > maxBytes:
		return nil, fmt.Errorf("its schema has %d bytes, and at most %d can be sent with every call", len(raw), maxBytes)
	case jsonscan.Deeper(raw, maxLevels):
		return nil, fmt.Errorf("its schema has more than %d levels", maxLevels)
	case !json.Valid(raw):
		return nil, errors.New("its schema is not JSON")
	}
	p := parser{data: raw}
	n := normalizer{root: p.value(), changed: p.odd}
	out, err := n.object()
	if err != nil {
		return nil, err
	}
	if !n.changed {
		return raw, nil
	}
	return out.append(nil), nil
}

// normalizer rewrites one schema.
type normalizer struct {
	root    *node
	changed bool
	open    []*node // the targets of references that are being followed, the root first
	copied  int     // bytes that references have added
	branch  bool    // the schema that comes next is one of several, and may require what stands beside them
}

// anything is a schema that allows everything.
func (n *normalizer) anything() *node {
	n.changed = true
	return newObject()
}

// schema returns a schema within the root as it is sent.
func (n *normalizer) schema(in *node, level int) *node {
	switch {
	case in.kind != object || level > maxDepth || len(in.names) > maxKeywords: // true, false, and mistakes
		n.branch = false
		return n.anything()
	case in.member("$ref") != nil:
		return n.refer(in, level)
	}
	branch := n.branch
	n.branch = false
	out := newObject()
	for i, name := range in.names {
		n.keyword(out, name, in.list[i], level)
	}
	if hasType(out, "array") && out.member("items") == nil {
		out.set("items", n.anything())
	}
	if !branch {
		n.required(out)
	}
	return out
}

// keyword adds a keyword to a schema.
func (n *normalizer) keyword(out *node, name string, value *node, level int) {
	use := useOf(name)
	kept := value
	switch use {
	case dropped:
		kept = nil
	case aSchema:
		if !value.is("true") && !value.is("false") || !takesBool(name) {
			kept = n.items(out, name, value, level)
		}
	case schemas:
		kept = n.schemas(value, level, name != "prefixItems")
	case schemaMap:
		kept = n.schemaMap(name, value, level)
	case aType:
		kept = n.types(value)
	case bound:
		kept = n.bound(out, name, value)
	default:
		if !use.takes(value) {
			kept = nil
		}
	}
	if kept == nil {
		n.changed = true
		return
	}
	out.set(name, kept)
}

// items returns the value of a keyword that has one schema. A list of schemas, as older drafts
// have for items, becomes prefixItems.
func (n *normalizer) items(out *node, name string, value *node, level int) *node {
	if name != "items" || value.kind != list {
		return n.schema(value, level+1)
	}
	if prefix := n.schemas(value, level, false); prefix != nil {
		out.set("prefixItems", prefix)
	}
	return n.anything()
}

func (n *normalizer) schemas(value *node, level int, branches bool) *node {
	if value.kind != list || len(value.list) == 0 {
		return nil
	}
	out := newList()
	for _, one := range value.list {
		n.branch = branches
		out.list = append(out.list, n.schema(one, level+1))
	}
	return out
}

// schemaMap returns the value of a keyword that has schemas by name. A property that is false can
// never be there, so it is left out.
func (n *normalizer) schemaMap(name string, value *node, level int) *node {
	if value.kind != object {
		return nil
	}
	out := &node{kind: object, names: make([]string, 0, len(value.names)), list: make([]*node, 0, len(value.list))}
	for i, key := range value.names {
		if name == "properties" && value.list[i].is("false") {
			n.changed = true
			continue
		}
		out.names, out.list = append(out.names, key), append(out.list, n.schema(value.list[i], level+1))
	}
	return out
}

// required removes from the names of required properties those that do not exist.
func (n *normalizer) required(out *node) {
	names, properties := out.member("required"), out.member("properties")
	if names == nil || properties == nil {
		return
	}
	known := make(map[string]bool, len(properties.names))
	for _, name := range properties.names {
		known[name] = true
	}
	kept := newList()
	for _, name := range names.list {
		if known[name.text] {
			kept.list = append(kept.list, name)
			known[name.text] = false // once
		}
	}
	if len(kept.list) == len(names.list) {
		return
	}
	n.changed = true
	if len(kept.list) == 0 {
		out.remove("required")
		return
	}
	out.set("required", kept)
}

func (n *node) remove(name string) {
	for i, known := range n.names {
		if known == name {
			n.names, n.list = append(n.names[:i:i], n.names[i+1:]...), append(n.list[:i:i], n.list[i+1:]...)
			return
		}
	}
}

// hasType reports whether a schema names a type, alone or among others.
func hasType(n *node, name string) bool {
	types := n.member("type")
	if types == nil || types.kind == str {
		return types != nil && types.text == name
	}
	for _, t := range types.list {
		if t.text == name {
			return true
		}
	}
	return false
}
