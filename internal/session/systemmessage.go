package session

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// role is an agent as the system message and the tools of its conversation see it.
type role struct {
	def agent.Definition
	sub *agents.Subagent // nil: the main agent
	own *servers.OfAgent // that a sub-agent brings; nil: it brings none
	// small says that the model gets the small set of tools.
	small  bool
	limits offer.Limits // of the model; zero: not known
}

// mainRole is that of the main agent, with all tools.
func (t *toolset) mainRole() role { return role{def: t.s.agents.Main()} }

// offeredRole is that of the main agent, with the set of tools that its next call is offered, as far as that
// is known.
func (t *toolset) offeredRole() role {
	return role{def: t.s.agents.Main(), small: t.small || t.s.home.ToolSet == provider.ToolSetSmall, limits: t.limits}
}

func (t *thread) role() role {
	if t.sub == nil {
		return t.s.tools.mainRole()
	}
	return role{def: t.sub.Definition(), sub: t.sub, own: t.servers}
}

// opening is what the system message is made of, as it was at one time.
type opening struct {
	env     prompt.Env
	set     *wire.SystemMessageSet
	offered *toolsearch.Offered // env names those of its tools that do not change when tools are found
	asked   *Client             // the client that transforms sections; may be nil
}

// system is the system message of the next call. It is made anew only if something
// that it is made of has changed, because a client may have to be asked. The tools are those
// that the call offers with it.
func (t *thread) system(ctx context.Context) (string, *toolsearch.Offered, error) {
	programs := t.s.home.programs()
	endpoint := t.endpoint
	o, err := mailbox.Ask(ctx, t.s.log.Post, func() (opening, error) {
		r := t.role().calling(&endpoint, t.s.home.ToolSet)
		if t.sub == nil {
			t.s.tools.small, t.s.tools.limits = r.small, r.limits
		}
		if w := t.s.tools.leftOutOfSmall(r); w != nil {
			t.s.log.RecordOrEmit(t.agentID, w)
		}
		o := t.s.opening(programs, r, &t.offers)
		return o, o.offered.Err
	})
	if err == nil && t.opened == "" {
		err = t.resolves(ctx, slices.Concat(o.offered.Tools, o.offered.Deferred))
	}
	if err != nil {
		return "", nil, err
	}
	o.env.Instructions, o.env.Agent = t.s.discovery.Texts()
	if t.sub != nil {
		o.env.Agent = t.instructions
	}
	if key := o.key(); key != t.openedBy {
		text, err := prompt.System(prompt.Sections(o.env), o.set, t.transformer(ctx, o.asked))
		if err != nil {
			t.s.log.Logger().Warn("the system message is not as its client wants it", "err", err)
		}
		t.openedBy, t.opened = key, text
	}
	return t.opened, o.offered, nil
}

// resolves warns of names in the file of the thread's agent that are no tools; see [offer.Missing].
func (t *thread) resolves(ctx context.Context, offered []*offer.Tool) error {
	return t.s.log.Post(ctx, func() error {
		all, def := t.role(), t.role().def
		all.def.Tools, all.def.ExcludedTools = nil, nil
		warnings, err := offer.Missing(&def, offered, t.s.tools.offeredTo(all))
		for _, w := range warnings {
			t.s.log.RecordOrEmit("", w) // for the user, who does not see the events of sub-agents
		}
		return err
	})
}

// programs returns the command-line programs that the model learns of. Finding them may wait
// for the disk, so it is not called on a session's goroutine.
func (h *Home) programs() []string {
	if h.Programs == nil {
		return nil
	}
	return h.Programs()
}

// opening is called on the session's goroutine. programs are those of
// [Home.programs]. A text that replaces the system message is that of the main agent
// alone.
func (s *Session) opening(programs []string, r role, offers *toolsearch.Offers) opening {
	o := opening{set: s.config.prompting}
	if r.sub != nil && o.set != nil && o.set.Mode == "replace" {
		o.set = nil
	}
	o.env = prompt.Env{
		Cwd: s.log.State().Cwd, GitRoot: s.log.State().GitRoot,
		Mode: prompt.Mode(s.log.State().ModeNow()), Plan: s.storage.planForTools(), Programs: programs, Small: r.small,
	}
	if r.sub != nil {
		o.env.Mode, o.env.Plan = "", ""
	}
	o.offered = s.tools.choose(r, offers)
	o.env.Tools = o.offered.Steady
	o.asked = s.latest(func(c *Client) bool { return c.transforms && c.peer != nil })
	return o
}

// key distinguishes openings. It ignores clients: another client that transforms the same
// sections changes nothing under way.
func (o *opening) key() string {
	parts := []string{o.env.Cwd, o.env.GitRoot, string(o.env.Mode), o.env.Instructions, o.env.Agent}
	if o.env.Small {
		parts = append(parts, "small")
	}
	if o.set != nil {
		parts = append(parts, o.set.Mode, o.set.Content)
		for _, id := range slices.Sorted(maps.Keys(o.set.Sections)) {
			parts = append(parts, id, o.set.Sections[id].Action, o.set.Sections[id].Content)
		}
	}
	return strings.Join(append(parts, o.env.Tools...), "\x00")
}

// transformer asks a client to rewrite sections; nil if there is none.
func (t *thread) transformer(ctx context.Context, c *Client) prompt.Transform {
	if c == nil {
		return nil
	}
	type texts map[string]struct {
		Content string `json:"content"`
	}
	return func(sections map[string]string) (map[string]string, error) {
		ctx, cancel := context.WithTimeout(ctx, clientLimit)
		defer cancel()
		ctx, leave := c.present(ctx)
		defer leave()
		asked, changed := texts{}, map[string]string{}
		for id, text := range sections {
			asked[id] = struct {
				Content string `json:"content"`
			}{text}
		}
		var answer struct {
			Sections texts `json:"sections"`
		}
		err := c.peer.Call(ctx, "systemMessage.transform", map[string]any{"sessionId": t.s.id, "sections": asked}, &answer)
		for id, text := range answer.Sections {
			changed[id] = text.Content
		}
		return changed, err
	}
}
