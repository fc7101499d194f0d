package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SkillLoader is a session's skills, as the skill tool needs them. Its methods are
// safe for concurrent use.
type SkillLoader interface {
	// SkillListing says which skills there are and what for; "" if there are none.
	SkillListing() string
	// LoadSkill reads a skill and returns what is recorded of it, the event that
	// carries its text among it. The error is for the model: why it is not there,
	// and which are.
	LoadSkill(ctx context.Context, name string) ([]wire.Data, error)
}

// SkillName is what the model calls to load a skill.
const SkillName = "skill"

//go:embed skill.md
var skillText string

// NewSkill is the tool that loads a skill.
func NewSkill(from SkillLoader) Tool { return &skill{from} }

type skill struct{ from SkillLoader }

// Definition lists the skills, so that the model knows of them at the price of a
// line each. It changes when they do.
func (t *skill) Definition() Definition {
	description := skillText
	if listing := t.from.SkillListing(); listing != "" {
		description += "\n" + listing
	} else {
		description += "\nThere are no skills in this session."
	}
	return Definition{
		Name: SkillName, Description: description, Source: Builtin, Trusted: true, Repeatable: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"skill":{"type":"string",` +
			`"description":"The name of the skill, exactly as it is listed."}},"required":["skill"],"additionalProperties":false}`),
	}
}

// Run implements [Tool]. The text of a skill is not in the result but in the event
// that follows it. Matched by recordings: the result's text.
func (t *skill) Run(ctx context.Context, c Call) Result {
	var args struct{ Skill string }
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return Result{Outcome: Failure, Text: "The arguments of skill are not what its schema wants: " + err.Error(), Error: err.Error()}
	}
	after, err := t.from.LoadSkill(ctx, args.Skill)
	if ctx.Err() != nil {
		return Result{Outcome: Interrupted, Text: TextInterrupted, Error: ctx.Err().Error()}
	}
	if err != nil {
		return Result{Outcome: Failure, Text: "The skill was not loaded: " + err.Error(), Error: err.Error()}
	}
	return Result{
		Outcome: Success, After: after,
		Text: fmt.Sprintf("Skill %q loaded successfully. Follow the instructions in the skill context.", args.Skill),
	}
}
