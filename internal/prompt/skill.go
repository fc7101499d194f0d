package prompt

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skill is the front matter of a skill, known before the skill is loaded.
type Skill struct {
	// Name identifies the skill in a session; Description says in one line when to use it.
	Name, Description string
	// Path is the absolute path of its SKILL.md; of a skill of a client, that in the folder which it names, or "".
	Path string
	// Source is the protocol's name for its origin: "custom", "project", "inherited",
	// "personal-copilot", "personal-agents", "plugin" or "sdk".
	Source string
	// AllowedTools need no permission while the skill is in use.
	AllowedTools []string
	// ArgumentHint describes the arguments that a user may type after the skill's name.
	ArgumentHint string
	// Hidden skills ("disable-model-invocation") can be loaded only by users, Internal ones
	// ("user-invocable: false") only by the model.
	Hidden, Internal bool
	// Enabled is false if a client has turned the skill off.
	Enabled bool

	// Read returns the text of a skill of a client; nil for one in a file. It waits for the client, for up to 30 seconds.
	Read func(ctx context.Context) (string, error)

	within string // the folder that must contain it after links are resolved; "": any
}

// Own reports whether the skill lies in the user's own folders.
func (s Skill) Own() bool { return s.Source == "personal-copilot" || s.Source == "personal-agents" }

// SkillText is a skill with its text.
type SkillText struct {
	Skill
	// Content is the whole SKILL.md, or the beginning of one that is too long; then Cut says so, as a sentence without its
	// end.
	Content, Cut string
}

// maxSkill bounds a SKILL.md, in bytes; longer ones are cut. By convention long texts are in
// files next to it.
const maxSkill = 128 << 10

// Load reads a skill. It fails if the file no longer exists or is no longer a skill, or if the client that has the
// skill does not give it before ctx ends.
func (d Disk) Load(ctx context.Context, s Skill) (SkillText, error) {
	text, _, err := d.LoadCounted(ctx, s, nil)
	return text, err
}

// LoadCounted is [Disk.Load] for the model. refused is why the tools that the text allows are asked about like
// others, by counts; nil if they are not, or if counts is nil. The allowed tools are those of the text that is
// returned.
func (d Disk) LoadCounted(ctx context.Context, s Skill, counts projectfiles.Counts) (text SkillText, refused, err error) {
	if s.Read != nil {
		return s.ofClient(ctx)
	}
	c, refused, err := d.readCounted(s.Path, s.within, maxSkill, counts)
	if err != nil {
		return SkillText{}, nil, &fault.Error{
			Op: "prompt.Load", On: s.Path, Kind: fault.NotFound,
			Err: fmt.Errorf("the skill %q cannot be read: %s", s.Name, reason(err)),
		}
	}
	if front, _ := split(c.text); counts != nil {
		table, err := fields(front) // other problems were reported when the file was found
		if s.AllowedTools = list(table["allowed-tools"], words); isRefused(err) {
			s.AllowedTools = nil
		}
	}
	cut := ""
	if c.cut {
		cut = cutSkill(s.Name)
		c.text += "\n[Cut after " + bytesShown(maxSkill) + ". Read the rest of " + s.Path + " if you need it.]\n"
	}
	return SkillText{s, c.text, cut}, refused, nil
}

// Preload reads the skills that a custom agent starts with, in its order, without those that are turned off. The
// warnings name those that do not exist, cannot be read or are cut.
func (d Disk) Preload(ctx context.Context, s Skills, names []string) (loaded []SkillText, warnings []string) {
	for _, name := range names {
		k, ok := s.Get(name)
		if !ok {
			warnings = append(warnings, fmt.Sprintf("there is no skill %q", oneLine(name, maxName)))
			continue
		}
		if !k.Enabled {
			continue
		}
		text, err := d.Load(ctx, k)
		if err != nil {
			warnings = append(warnings, fault.ForClient(err, ""))
			continue
		}
		if loaded = append(loaded, text); text.Cut != "" {
			warnings = append(warnings, text.Cut)
		}
	}
	return loaded, warnings
}

func cutSkill(name string) string {
	return fmt.Sprintf("the skill %q is longer than %s, and what follows is left out", name, bytesShown(maxSkill))
}

// Context returns the loaded skill as the model reads it.
func (s SkillText) Context() string { return SkillContext(s.Name, s.Path, s.Content) }

// SkillContext returns the text of a skill.invoked event for the model, which is a user
// message of its own. Recordings match it: a text that ends with a line end leaves an empty
// line before the closing tag.
func SkillContext(name, path, content string) string {
	_, body := split(content)
	folder := ""
	if path != "" {
		folder = "Base directory for this skill: " + filepath.Dir(path) + "\n\n"
	}
	return `<skill-context name="` + attribute(name) + "\">\n" + folder + strings.TrimLeft(body, "\n") + "\n</skill-context>"
}

// Invoked returns the event that records that the skill was loaded.
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

// Skills are the skills of a session. Several goroutines may call the methods that only
// read.
type Skills struct {
	List []Skill
	// Warnings describe problems of skills that were found, Errors the skills that cannot be
	// used. Both are for the user.
	Warnings, Errors []string
	// Strange are files of skills above the working directory that were not read because of their
	// owner; see [vfs.Strange].
	Strange []string
}

// Get returns the skill of that name. If no skill has exactly that name, case is ignored,
// provided that only one skill matches.
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

// ForModel returns a skill that the model may load, by its name. The error lists those
// skills, in words for the model.
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

// Enable turns a skill on or off and reports whether it exists.
func (s Skills) Enable(name string, on bool) bool {
	for i := range s.List {
		if s.List[i].Name == name {
			s.List[i].Enabled = on
			return true
		}
	}
	return false
}

// offered returns the skills that the model may load.
func (s Skills) offered() []Skill {
	return slices.DeleteFunc(slices.Clone(s.List), func(k Skill) bool { return !k.Enabled || k.Hidden })
}

// maxListing bounds the listing of all skills for the model, in bytes.
const maxListing = 16 << 10

// Listing returns the names and descriptions of the skills that the model may load, "" if
// there are none. It is part of the skill tool's description.
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

// Wire returns the skills as session.skills.list reports them; never nil.
func (s Skills) Wire() []wire.Skill {
	out := []wire.Skill{}
	for _, k := range s.List {
		w := wire.Skill{
			Name: k.Name, Description: k.Description, Path: &k.Path, Enabled: k.Enabled,
			Source: wire.SkillSource(k.Source), UserInvocable: !k.Internal,
		}
		if k.Path == "" {
			w.Path = nil
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
