package schema

import (
	"encoding/json"
	"strings"
)

// PlainNames returns a schema that [Normalize] has returned without the properties whose names
// Anthropic refuses; the description beside them says that they exist. A schema without such
// names is returned unchanged.
//
// Source: Anthropic's page on self-hosted sandboxes, as diegosouzapw/OmniRoute#13552 quotes it:
// letters, digits, underscores, dots and hyphens, 1 to 64 of them.
func PlainNames(normal json.RawMessage) json.RawMessage {
	root := parse(normal)
	if !plainNames(root) {
		return normal
	}
	return root.append(nil)
}

// plainNames changes a schema, and reports whether it did.
func plainNames(in *node) (changed bool) {
	if in.kind != object {
		return false
	}
	for i, keyword := range in.names {
		value := in.list[i]
		switch useOf(keyword) {
		case aSchema:
			changed = plainNames(value) || changed
		case schemas, schemaMap:
			for _, one := range value.list {
				changed = plainNames(one) || changed
			}
		}
	}
	properties := in.member("properties")
	if properties == nil {
		return changed
	}
	kept := newObject()
	var left []string
	for i, name := range properties.names {
		if plainName(name) {
			kept.names, kept.list = append(kept.names, name), append(kept.list, properties.list[i])
			continue
		}
		left = append(left, string(newText(name).append(nil))+": "+string(properties.list[i].append(nil)))
	}
	if left == nil {
		return changed
	}
	in.set("properties", kept)
	new(normalizer).required(in)
	describe(in, "Further properties: "+strings.Join(left, ", ")+".")
	return true
}

func plainName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
	})
}
