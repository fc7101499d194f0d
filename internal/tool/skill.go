package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SkillLoader is a session's skills, as the skill tool needs them. Its methods are
// safe for concurrent use.
type SkillLoader interface {
	// SkillListing lists the skills and their purposes; "" if there are none.
	SkillListing() string
	// LoadSkill reads a skill for an agent, "" for the main one, and returns the events to record, one of which has its
	// text. The error is for the model: why the skill is missing, and which there are.
	LoadSkill(ctx context.Context, agentID, name string) ([]wire.Data, error)
}

//go:embed skill.md
var skillText string

const skillSchema = `{"type":"object","properties":{"skill":{"type":"string",` +
	`"description":"The name of the skill, exactly as it is listed."}},"required":["skill"],"additionalProperties":false}`

// NewSkill is the tool that loads a skill.
func NewSkill(from SkillLoader) Tool { return &skill{from} }

type skill struct{ from SkillLoader }

// Definition lists the skills, one line each, so that the model knows them. It changes
// when they change.
func (t *skill) Definition() Definition {
	description := skillText
	if listing := t.from.SkillListing(); listing != "" {
		description += "\n" + listing
	} else {
		description += "\nThere are no skills in this session."
	}
	return define(fact.Skill, description, json.RawMessage(skillSchema))
}

// Run implements [Tool]. The text of a skill is not in the result but in the event that
// follows it. Recordings match the result's text.
func (t *skill) Run(ctx context.Context, c Call) Result {
	var args struct{ Skill string }
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		err = fault.JSON(err)
		return Result{Outcome: Failure, Text: "The arguments of skill are not what its schema wants: " + err.Error(), Error: err.Error()}
	}
	after, err := t.from.LoadSkill(ctx, c.AgentID, args.Skill)
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
