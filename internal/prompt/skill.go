package prompt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skill is what is known of a skill before it is loaded: its front matter.
type Skill struct {
	// Name identifies it in a session; Description says when to use it, one line.
	Name, Description string
	// Path is its SKILL.md, absolute.
	Path string
	// Source is where it comes from, in the protocol's words: "custom", "project",
	// "inherited", "personal-copilot" or "personal-agents".
	Source string
	// AllowedTools need no permission while the skill is at work.
	AllowedTools []string
	// ArgumentHint says what may follow its name when a person calls it.
	ArgumentHint string
	// Hidden skills ("disable-model-invocation") are loaded by people only, and
	// Internal ones ("user-invocable: false") by the model only.
	Hidden, Internal bool
	// Enabled is false of one that a client has turned off.
	Enabled bool

	within string // the folder that it must lie in, links resolved; "" is any
}

// SkillText is a skill with its text.
type SkillText struct {
	Skill
	// Content is the whole SKILL.md, or the beginning of one that is too long.
	Content string
}

// maxSkill bounds a SKILL.md, in bytes. Longer ones are cut: the convention is to
// put what is long into files beside it.
const maxSkill = 128 << 10

// Load reads a skill. It fails if the file is gone or has become something else.
func (d Disk) Load(s Skill) (SkillText, error) {
	c, err := d.readText(s.Path, s.within, maxSkill)
	if err != nil {
		return SkillText{}, &fault.Error{
			Op: "prompt.Load", On: s.Path, Kind: fault.NotFound,
			Err: fmt.Errorf("the skill %q cannot be read: %s", s.Name, reason(err)),
		}
	}
	if c.cut {
		c.text += "\n[Cut after " + bytesShown(maxSkill) + ". Read the rest of " + s.Path + " if you need it.]\n"
	}
	return SkillText{s, c.text}, nil
}

// Preload reads the skills that a custom agent wants from its start, in its order.
// Warnings say which there are not; a skill that is turned off is none.
func (d Disk) Preload(s Skills, names []string) (loaded []SkillText, warnings []string) {
	for _, name := range names {
		k, ok := s.Get(name)
		if !ok || !k.Enabled {
			warnings = append(warnings, fmt.Sprintf("there is no skill %q", oneLine(name, maxName)))
			continue
		}
		text, err := d.Load(k)
		if err != nil {
			warnings = append(warnings, err.Error())
			continue
		}
		loaded = append(loaded, text)
	}
	return loaded, warnings
}

// Context is the skill as the model reads it, once it is loaded.
func (s SkillText) Context() string { return SkillContext(s.Name, s.Path, s.Content) }

// SkillContext is the text of a skill.invoked event as the model reads it, in a
// user message of its own. Matched by recordings: a text that ends its last line
// leaves an empty one before the closing tag.
func SkillContext(name, path, content string) string {
	_, body := split(content)
	return `<skill-context name="` + attribute(name) + "\">\nBase directory for this skill: " + filepath.Dir(path) +
		"\n\n" + strings.TrimLeft(body, "\n") + "\n</skill-context>"
}

// Invoked is the event that says that the skill was loaded.
func (s SkillText) Invoked(by wire.SkillTrigger) *wire.SkillInvoked {
	e := &wire.SkillInvoked{
		Name: s.Name, Path: s.Path, Content: s.Content, AllowedTools: s.AllowedTools,
		Description: &s.Description, Source: &s.Source, Trigger: &by,
	}
	if s.Hidden {
		e.DisableModelInvocation = &s.Hidden
	}
	return e
}

// Skills are the skills of a session. The methods that only read may be called by
// several goroutines.
type Skills struct {
	List []Skill
	// Warnings say what is wrong with skills that were found all the same, Errors
	// which could not be used and why. For people.
	Warnings, Errors []string
}

// Get returns the skill of that name. Names differ by their case only if a skill has
// just that one.
func (s Skills) Get(name string) (Skill, bool) {
	i := slices.IndexFunc(s.List, func(k Skill) bool { return k.Name == name })
	if i < 0 {
		i = slices.IndexFunc(s.List, func(k Skill) bool { return strings.EqualFold(k.Name, name) })
	}
	if i < 0 {
		return Skill{}, false
	}
	return s.List[i], true
}

// ForModel returns a skill that the model may load, by its name. The error says
// which there are, in words for the model.
func (s Skills) ForModel(name string) (Skill, error) {
	k, ok := s.Get(name)
	if ok && k.Enabled && !k.Hidden {
		return k, nil
	}
	var names []string
	for _, k := range s.offered() {
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return Skill{}, fmt.Errorf("there is no skill %q, and no other one", oneLine(name, maxName))
	}
	return Skill{}, fmt.Errorf("there is no skill %q. Skills that can be loaded: %s", oneLine(name, maxName), strings.Join(names, ", "))
}

// Enable turns a skill on or off and reports whether there is one of that name.
func (s Skills) Enable(name string, on bool) bool {
	for i := range s.List {
		if s.List[i].Name == name {
			s.List[i].Enabled = on
			return true
		}
	}
	return false
}

// offered are the skills that the model may load.
func (s Skills) offered() []Skill {
	return slices.DeleteFunc(slices.Clone(s.List), func(k Skill) bool { return !k.Enabled || k.Hidden })
}

// maxListing bounds what the model reads of all skills before it loads one, in
// bytes.
const maxListing = 16 << 10

// Listing names the skills that the model may load and says what they are for; ""
// if there are none. It is part of the skill tool's description.
func (s Skills) Listing() string {
	var b strings.Builder
	offered := s.offered()
	for i, k := range offered {
		line := "- " + k.Name + ": " + k.Description + "\n"
		if b.Len()+len(line) > maxListing {
			fmt.Fprintf(&b, "- and %d more: %s\n", len(offered)-i, oneLine(joinNames(offered[i:]), 4*maxLine))
			break
		}
		b.WriteString(line)
	}
	if b.Len() == 0 {
		return ""
	}
	return "<available_skills>\n" + b.String() + "</available_skills>"
}

func joinNames(skills []Skill) string {
	var names []string
	for _, k := range skills {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// Wire is the skills as session.skills.list answers; never nil.
func (s Skills) Wire() []wire.Skill {
	out := []wire.Skill{}
	for _, k := range s.List {
		w := wire.Skill{
			Name: k.Name, Description: k.Description, Path: &k.Path, Enabled: k.Enabled,
			Source: wire.SkillSource(k.Source), UserInvocable: !k.Internal,
		}
		if k.ArgumentHint != "" {
			w.ArgumentHint = &k.ArgumentHint
		}
		if !k.Internal {
			w.CommandName = &k.Name
		}
		out = append(out, w)
	}
	return out
}
