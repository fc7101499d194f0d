package prompt

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Limits on a YAML text. Those of the providers' and editors' documented front matter are
// below a quarter of them.
const (
	maxYAMLDepth  = 32  // tables and lists in one another
	maxYAMLFields = 200 // of one table: the decoder compares each of them with each other one
)

// decodeYAML returns the table in a YAML text; nil if it is empty. It does not build the value
// before [checkYAML] accepts the text: the decoder would follow aliases, and need time that
// grows with the square of the fields.
func decodeYAML(text string) (table map[string]any, err error) {
	defer func() {
		if reason := recover(); reason != nil { // by a mistake of the parser
			table, err = nil, refusedFront(oneLine(fmt.Sprintf("the YAML parser failed: %v", reason), maxLine))
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	if document.Kind == 0 {
		return nil, nil
	}
	if err := checkYAML(&document, 0); err != nil {
		return nil, err
	}
	err = document.Decode(&table)
	return table, err
}

// checkYAML refuses the parts of YAML that let a small text stand for a large value or for one
// of another kind (anchors, aliases, merge keys and tags), and tables that are too deep or too
// large. Lines are those of the file, where the opening --- is the first.
func checkYAML(n *yaml.Node, depth int) error {
	refuse := func(format string, args ...any) error {
		return refusedFront(fmt.Sprintf("line %d: ", n.Line+1) + fmt.Sprintf(format, args...))
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return refuse("the alias *%s is not allowed; write the value itself", oneLine(n.Value, maxName))
	case n.Anchor != "":
		return refuse("the anchor &%s is not allowed; write the value in each place that needs it, or quote a text that begins with &", oneLine(n.Anchor, maxName))
	case n.Style&yaml.TaggedStyle != 0:
		return refuse("the tag %s is not allowed; remove it, or quote a text that begins with !", oneLine(n.Tag, maxName))
	case depth > maxYAMLDepth:
		return refuse("there are more than %d tables and lists in one another", maxYAMLDepth)
	case n.Kind == yaml.MappingNode && len(n.Content) > 2*maxYAMLFields:
		return refuse("a table has more than %d fields", maxYAMLFields)
	}
	for i, part := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && part.Tag == "!!merge" {
			return refusedFront(fmt.Sprintf("line %d: the merge key << is not allowed; write the fields themselves", part.Line+1))
		}
		if err := checkYAML(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}
