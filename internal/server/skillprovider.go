package server

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Bounds on a client that gives skills. Source: the documentation of skillProvider.list and
// skillProvider.read in the SDKs.
const (
	skillWait       = 30 * time.Second // for an answer; a run waits for it
	maxListedSkills = 1 << 20          // bytes of the names and texts of a list
	maxReadSkill    = 1 << 20          // bytes of a skill
)

// skillsOf is a client that gives skills.
type skillsOf struct{ client peer }

// List implements [wire.SkillProvider].
func (s *skillsOf) List(ctx context.Context, sessionID string) ([]wire.ProvidedSkill, error) {
	var answer struct {
		Skills []wire.ProvidedSkill `json:"skills"`
	}
	if err := s.client.ask(ctx, skillWait, "skillProvider.list", map[string]string{"sessionId": sessionID}, &answer); err != nil {
		return nil, err
	}
	if answer.Skills == nil {
		return nil, fault.New(fault.Invalid, "client.skillProvider.list", "", "the client has answered without a list of skills")
	}
	size := 0
	for _, k := range answer.Skills {
		size += len(k.Name) + len(k.Description) + len(k.ArgumentHint) + len(k.Directory)
	}
	if size > maxListedSkills {
		return nil, fault.New(fault.Invalid, "client.skillProvider.list", "", "the list of skills has more than %d KiB", maxListedSkills>>10)
	}
	return answer.Skills, nil
}

// Read implements [wire.SkillProvider].
func (s *skillsOf) Read(ctx context.Context, sessionID, name string) (string, error) {
	var answer struct {
		Markdown *string `json:"markdown"`
	}
	if err := s.client.ask(ctx, skillWait, "skillProvider.read", map[string]string{"sessionId": sessionID, "name": name}, &answer); err != nil {
		return "", err
	}
	switch {
	case answer.Markdown == nil:
		return "", fault.New(fault.NotFound, "client.skillProvider.read", "", "the client has no such skill")
	case len(*answer.Markdown) > maxReadSkill:
		return "", fault.New(fault.Invalid, "client.skillProvider.read", "", "it has more than %d KiB", maxReadSkill>>10)
	}
	return *answer.Markdown, nil
}
