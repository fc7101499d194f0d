package prompt

import (
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Transform asks a client to rewrite sections. It takes and returns texts by section id.
// Sections that are missing from the result stay unchanged.
type Transform func(sections map[string]string) (map[string]string, error)

// System returns the system message: own, with the client's changes in set, which may be
// nil. An error means that sections were not transformed; the rest of the text is correct.
func System(own []Section, set *wire.SystemMessageSet, transform Transform) (string, error) {
	if set == nil {
		return text(own), nil
	}
	switch set.Mode {
	case "replace":
		return set.Content, nil
	case "customize":
		changed, err := Customize(own, set.Sections, transform)
		return join(text(changed), set.Content), err
	}
	return join(text(own), set.Content), nil
}

func text(sections []Section) string {
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = s.Text
	}
	return join(texts...)
}

// Customize applies a client's overrides and returns the sections that remain.
//
// An override of [Identity] applies to its members, except for those with an override of
// their own, "preserve" included. The text that it puts in their place, before or after them
// appears once. Content for an unknown id is added to the custom instructions; content with
// an unknown action is added to its section.
//
// All sections with the action "transform" are passed to one call of transform, by their ids
// and with their text before any override; a group is passed as one text. If the call fails
// they stay unchanged, and Customize returns the error. transform may be nil if no override
// needs it.
func Customize(own []Section, overrides map[string]wire.SectionOverride, transform Transform) ([]Section, error) {
	c := customizing{overrides: overrides, sections: withGroup(own)}
	err := c.transform(transform)
	for i := range c.sections {
		s := &c.sections[i]
		if o, ok := overrides[s.ID]; ok && s.ID != Identity {
			s.Text = override(s.Text, o)
		}
	}
	c.group()
	c.unknown()
	return slices.DeleteFunc(c.sections, func(s Section) bool { return s.Text == "" }), err
}

type customizing struct {
	overrides map[string]wire.SectionOverride
	sections  []Section // own, with an empty section at either end of the group
	extra     []string  // content for sections that do not exist
}

// withGroup inserts an empty section with the id identity before the group, and another
// after it.
func withGroup(own []Section) []Section {
	var out []Section
	for i, s := range own {
		if inIdentity(s.ID) && (i == 0 || !inIdentity(own[i-1].ID)) {
			out = append(out, Section{ID: Identity})
		}
		out = append(out, s)
		if inIdentity(s.ID) && (i == len(own)-1 || !inIdentity(own[i+1].ID)) {
			out = append(out, Section{ID: Identity})
		}
	}
	return out
}

// governed returns the members that the group's override applies to.
func (c *customizing) governed() []*Section {
	var out []*Section
	for i := range c.sections {
		s := &c.sections[i]
		if _, own := c.overrides[s.ID]; inIdentity(s.ID) && !own {
			out = append(out, s)
		}
	}
	return out
}

// group applies the override of the group. Text that it adds goes into one of the two empty
// sections around the group.
func (c *customizing) group() {
	o, ok := c.overrides[Identity]
	first := slices.IndexFunc(c.sections, func(s Section) bool { return s.ID == Identity })
	if !ok || first < 0 {
		return
	}
	if o.Action == "replace" || o.Action == "remove" {
		for _, s := range c.governed() {
			s.Text = ""
		}
	}
	at := first
	if o.Action != "replace" && o.Action != "prepend" {
		at = slices.IndexFunc(c.sections[first+1:], func(s Section) bool { return s.ID == Identity }) + first + 1
	}
	c.sections[at].Text = override("", o)
}

// transform lets the client rewrite the marked sections.
func (c *customizing) transform(ask Transform) error {
	marked := map[string]string{}
	for id, o := range c.overrides {
		if o.Action == "transform" {
			marked[id] = c.current(id)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	if ask == nil {
		return fault.New(fault.Unavailable, "prompt.Customize", "", "nobody is there to transform sections")
	}
	changed, err := ask(maps.Clone(marked))
	if err != nil {
		return fault.New(fault.Unavailable, "prompt.Customize", "", "the client did not transform its sections: %w", err)
	}
	for _, id := range slices.Sorted(maps.Keys(marked)) {
		if text, ok := changed[id]; ok && text != marked[id] {
			c.put(id, text)
		}
	}
	return nil
}

func (c *customizing) current(id string) string {
	var texts []string
	for _, s := range c.sections {
		if s.ID == id {
			texts = append(texts, s.Text)
		}
	}
	if id == Identity {
		for _, s := range c.governed() {
			texts = append(texts, s.Text)
		}
	}
	return join(texts...)
}

// put sets the text of a section or of the group. Text for an unknown id is added to the
// custom instructions.
func (c *customizing) put(id, text string) {
	if id == Identity {
		for _, s := range c.governed() {
			s.Text = ""
		}
	}
	for i := range c.sections {
		if c.sections[i].ID == id {
			c.sections[i].Text = text
			return
		}
	}
	c.extra = append(c.extra, text)
}

// unknown adds the content for sections that do not exist to the custom instructions.
func (c *customizing) unknown() {
	for _, id := range slices.Sorted(maps.Keys(c.overrides)) {
		if !slices.ContainsFunc(c.sections, func(s Section) bool { return s.ID == id }) {
			c.extra = append(c.extra, override("", c.overrides[id]))
		}
	}
	at := slices.IndexFunc(c.sections, func(s Section) bool { return s.ID == CustomInstructions })
	if at < 0 {
		at = len(c.sections)
		c.sections = append(c.sections, Section{ID: CustomInstructions})
	}
	c.sections[at].Text = join(append([]string{c.sections[at].Text}, c.extra...)...)
}

// override returns a section's text after an action that needs no client.
func override(text string, o wire.SectionOverride) string {
	content := strings.TrimRight(o.Content, "\n")
	switch o.Action {
	case "replace":
		return content
	case "remove":
		return ""
	case "prepend":
		return join(content, text)
	case "preserve", "transform":
		return text
	}
	return join(text, content)
}
