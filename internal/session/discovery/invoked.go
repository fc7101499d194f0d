package discovery

import (
	"iter"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// InvokedSkills returns the skills that were loaded in a conversation, by its records in order, the newest last; never
// nil.
func InvokedSkills(kept iter.Seq2[eventlog.Record, error]) ([]wire.SkillLoaded, error) {
	invoked, turn := []wire.SkillLoaded{}, int64(0)
	for rec, err := range kept {
		if err != nil {
			return nil, err
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil || e.AgentID != "" {
			continue
		}
		switch data := wire.Raw(e.Data); e.Type {
		case "assistant.turn_start":
			turn, _ = strconv.ParseInt(data.Get("turnId").Text(), 10, 64)
		case "skill.invoked":
			k := wire.SkillLoaded{
				Name: data.Get("name").Text(), Path: data.Get("path").Text(), Content: data.Get("content").Text(),
				AllowedTools: wire.Texts(data.Get("allowedTools")), InvokedAtTurn: turn,
			}
			if hidden := data.Get("disableModelInvocation").True(); hidden {
				k.DisableModelInvocation = &hidden
			}
			invoked = append(invoked, k)
		}
	}
	return invoked, nil
}
