package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// object returns the root as it is sent: a schema of an object with properties.
func (n *normalizer) object() (*node, error) {
	if n.root.kind != object {
		n.changed = true
		if n.root.is("null") || n.root.is("true") {
			return parse([]byte(None)), nil
		}
		return nil, errors.New("its schema is not an object")
	}
	n.open = []*node{n.root}
	out := n.schema(n.root, 0)
	n.flatten(out)
	switch {
	case out.member("type") == nil:
		n.changed = true
		out.names, out.list = slices.Insert(out.names, 0, "type"), slices.Insert(out.list, 0, newText("object"))
	case !hasType(out, "object"):
		return nil, fmt.Errorf("its schema describes a value of the type %s, and arguments are an object", out.member("type").append(nil))
	case out.member("type").kind != str:
		n.changed = true
		out.set("type", newText("object"))
	}
	if out.member("properties") == nil {
		n.changed = true
		out.set("properties", newObject())
	}
	n.required(out)
	return out, nil
}

// flatten replaces keywords that OpenAI and Anthropic refuse at the root. The properties of all
// alternatives become properties of the root. Only those are required that each alternative
// requires; the description says what else is.
func (n *normalizer) flatten(out *node) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches := out.member(keyword)
		if branches == nil {
			continue
		}
		n.changed = true
		out.remove(keyword)
		// A branch may have branches itself.
		for _, branch := range branches.list {
			n.flatten(branch)
		}
		n.merge(out, branches.list, keyword == "allOf")
	}
	for _, keyword := range []string{"not", "enum", "const", "if", "then", "else"} {
		if out.member(keyword) != nil {
			n.changed = true
			out.remove(keyword)
		}
	}
}

// merge adds the properties of branches to a schema. all means that each branch holds.
func (n *normalizer) merge(out *node, branches []*node, all bool) {
	var needs []string
	counts := map[string]int{} // how many branches require a property
	var order []string
	for _, branch := range branches {
		if out.member("type") == nil && hasType(branch, "object") {
			out.set("type", newText("object"))
		}
		addProperties(out, branch.member("properties"))
		required := namesIn(branch.member("required"))
		for _, name := range required {
			if counts[name]++; counts[name] == 1 {
				order = append(order, name)
			}
		}
		needs = append(needs, strings.Join(required, ", "))
	}
	if !all && len(needs) > 1 && len(needs) <= maxAlternatives && !slices.Contains(needs, "") {
		describe(out, "One of these groups of properties is needed: "+strings.Join(slices.Compact(needs), "; or ")+".")
	}
	names := newList()
	for _, name := range namesIn(out.member("required")) {
		names.list = append(names.list, newText(name))
	}
	for _, name := range order {
		if all || counts[name] >= len(branches) {
			names.list = append(names.list, newText(name))
		}
	}
	if len(names.list) > 0 {
		out.set("required", names) // required removes those that come twice
	}
}

// maxAlternatives bounds what the alternatives at the root add to one property. A property with
// more forms may be anything.
const maxAlternatives = 16

// addProperties adds properties to those of a schema. One that has another form there may have
// either.
func addProperties(out, more *node) {
	if more == nil {
		return
	}
	properties := out.member("properties")
	if properties == nil {
		properties = newObject()
		out.set("properties", properties)
	}
	for i, name := range more.names {
		known, other := properties.member(name), more.list[i]
		if known == nil || string(known.append(nil)) == "{}" {
			properties.set(name, other)
			continue
		}
		text := string(other.append(nil))
		if text == "{}" || text == string(known.append(nil)) {
			continue
		}
		if either := known.member("anyOf"); either != nil && len(known.names) == 1 {
			if len(either.list) >= maxAlternatives {
				properties.set(name, newObject())
			} else if !slices.ContainsFunc(either.list, func(one *node) bool { return string(one.append(nil)) == text }) {
				either.list = append(either.list, other)
			}
			continue
		}
		either := newObject()
		either.set("anyOf", newList(known, other))
		properties.set(name, either)
	}
}

func namesIn(names *node) (all []string) {
	if names != nil {
		for _, name := range names.list {
			all = append(all, name.text)
		}
	}
	return all
}

// describe adds a sentence to the description of a schema.
func describe(out *node, sentence string) {
	if known := out.member("description"); known != nil && known.text != "" {
		sentence = known.text + " " + sentence
	}
	out.set("description", newText(sentence))
}
