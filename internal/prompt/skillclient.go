package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// errClientAllows is why the allowed tools of a client's skill are asked about like others.
var errClientAllows = errors.New("only the skills of the user allow tools, and those of folders that the user trusts")

// ofClient is [Disk.LoadCounted] for a skill of a client.
func (s Skill) ofClient(ctx context.Context) (text SkillText, refused, err error) {
	content, err := s.Read(ctx)
	if err != nil {
		return SkillText{}, nil, &fault.Error{
			Op: "prompt.Load", Kind: fault.NotFound, Err: fmt.Errorf("the skill %q cannot be read: %s", s.Name, fault.Message(err)),
		}
	}
	content = strings.ReplaceAll(strings.ToValidUTF8(content, "\ufffd"), "\r\n", "\n")
	front, _ := split(content)
	table, err := fields(front)
	if name, ok := table["name"].(string); ok && strings.TrimSpace(name) != s.Name {
		return SkillText{}, nil, fault.New(fault.Invalid, "prompt.Load", "", "the skill %q cannot be read: the client has sent one with another name", s.Name)
	}
	if s.AllowedTools = list(table["allowed-tools"], words); len(s.AllowedTools) > 0 || isRefused(err) {
		refused = errClientAllows
	}
	cut := ""
	if len(content) > maxSkill {
		cut = cutSkill(s.Name)
		content = strings.ToValidUTF8(content[:maxSkill], "") + "\n[Cut after " + bytesShown(maxSkill) + ".]\n"
	}
	return SkillText{s, content, cut}, refused, nil
}

// Provide puts the skills of a client in front of the others, whose names they take. Those whose names are in disabled
// are off. It returns what is left out, a sentence each.
func (s *Skills) Provide(list []Skill, disabled []string) (problems []string) {
	var kept []Skill
	named := func(in []Skill, name string) bool {
		return slices.ContainsFunc(in, func(k Skill) bool { return strings.EqualFold(k.Name, name) })
	}
	for _, k := range list {
		if len(kept) == maxSkills {
			problems = append(problems, fmt.Sprintf("The client has more than %d skills, and those that follow are left out.", maxSkills))
			break
		}
		switch {
		case !isName(k.Name):
			problems = append(problems, fmt.Sprintf("A skill of the client is left out: %q is not a name for a skill: letters, digits and -_.: only, at most %d.", oneLine(k.Name, maxName), maxName))
			continue
		case named(kept, k.Name):
			problems = append(problems, fmt.Sprintf("The client lists the skill %q twice, and the second one is left out.", k.Name))
			continue
		}
		k.Source, k.Enabled = "sdk", !slices.Contains(disabled, k.Name)
		k.Description, k.ArgumentHint = oneLine(k.Description, maxDescription), oneLine(k.ArgumentHint, maxLine)
		kept = append(kept, k)
	}
	for i, k := range s.List {
		if named(kept, k.Name) {
			problems = append(problems, fmt.Sprintf("%s is left out: the client has a skill %q, too.", k.Path, k.Name))
			continue
		}
		if len(kept) == maxSkills {
			problems = append(problems, fmt.Sprintf("%s is left out with all that follow, %d in all: with those of the client there are more than %d skills.", k.Path, len(s.List)-i, maxSkills))
			break
		}
		kept = append(kept, k)
	}
	s.List = kept
	return problems
}
