package front

import (
	"context"
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// skills shows the skills and the prompts in files. Choosing one puts its command into the input box.
func (f *embedded) skills(context.Context, string) (tui.Effect, error) {
	l := page.Skills(f.keys)
	fill := &filler{words: f.words, list: l, read: func(ctx context.Context) (func(), error) {
		skills, err := f.readSkills(ctx)
		return func() { page.SetSkills(l, skills) }, err
	}}
	return tui.Effect{Pick: &tui.Picker{List: l, Open: fill.open, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		skills, err := f.readSkills(ctx)
		if err != nil {
			return tui.Effect{}, err
		}
		for _, s := range skills {
			if s.Name == o.Item.ID {
				return f.doSkill(ctx, fill, s, o.Action)
			}
		}
		return tui.Effect{Then: fill.load}, errors.New("this skill is not there any more")
	}}}, nil
}

func (f *embedded) readSkills(ctx context.Context) (skills []page.Skill, err error) {
	s := f.Client.Session()
	got, err := s.Discovery().Skills(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range got {
		p := page.Skill{Name: k.Name, About: k.Description, Source: string(k.Source), Path: wire.OrZero(k.Path), On: k.Enabled}
		if k.UserInvocable {
			p.Command = "/" + k.Name
			if k.CommandName != nil {
				p.Command = "/" + *k.CommandName
			}
		}
		skills = append(skills, p)
	}
	prompts, err := operate.Prompts(ctx, s)
	for _, k := range prompts {
		skills = append(skills, page.Skill{Name: k.Name, About: k.About, Source: k.Source, Command: k.Name, On: true})
	}
	return skills, err
}

// doSkill carries out what the user does with a skill.
func (f *embedded) doSkill(ctx context.Context, fill *filler, s page.Skill, action string) (tui.Effect, error) {
	name := timeline.OneLine(s.Name, 60)
	switch {
	case action == keymap.ListToggle && strings.HasPrefix(s.Name, "/"):
		return tui.Effect{}, errors.New("a prompt in a file cannot be switched off")
	case action == keymap.ListToggle:
		return tui.Effect{Then: fill.load}, f.Client.Session().Discovery().EnableSkill(ctx, s.Name, !s.On)
	case !s.On:
		return tui.Effect{}, errors.New(name + " is off; " + f.keys.Key(keymap.ListToggle) + " switches it on")
	case s.Command == "":
		return tui.Effect{}, errors.New(name + " has no command: the model uses it by itself")
	}
	return tui.Effect{Close: true, Draft: s.Command + " "}, nil
}
