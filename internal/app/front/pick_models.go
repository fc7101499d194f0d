package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// Models asks all providers for their models. tell gets what is known of all of them, at first and
// whenever one has answered; it is never called twice at the same time.
type Models func(ctx context.Context, o *cli.Options, cfg config.Config, tell func([]page.Provider)) error

// pickModel implements [subject].
func (f *embedded) pickModel(ctx context.Context) (tui.Effect, error) {
	now, _, err := f.Client.Session().Settings().Model(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if f.opts.Models == nil {
		return tui.Effect{Text: "the model is " + timeline.OneLine(now, 200)}, nil
	}
	m := &modelPicker{embedded: f, name: now, list: page.Models(f.keys)}
	m.list.Loading = "asking the providers…"
	return tui.Effect{Pick: &tui.Picker{List: m.list, Open: m.open, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose {
			return tui.Effect{}, nil
		}
		err := f.SwitchModel(ctx, o.Item.ID)
		return tui.Effect{Close: err == nil}, err
	}}}, nil
}

// modelPicker is the list of models while the providers are asked.
type modelPicker struct {
	*embedded
	name string // of the model of the session
	list *list.List

	mu  sync.Mutex
	all []page.Provider // what is known so far
}

func (m *modelPicker) open(b tui.Beside) {
	b(func(ctx context.Context) func() {
		err := m.opts.Models(ctx, m.Options, m.runtime.Parts.Config, func(all []page.Provider) {
			m.learn(all)
			b(func(context.Context) func() { return m.fill })
		})
		return func() {
			m.fill()
			if m.list.Loading = ""; err != nil {
				m.list.Problems = []string{m.words(err)}
			}
		}
	})
}

// learn takes what is known now, and marks the model of the session.
func (m *modelPicker) learn(all []page.Provider) {
	configured := slices.ContainsFunc(all, func(p page.Provider) bool {
		return slices.ContainsFunc(p.Models, func(o page.Model) bool { return o.Selected && isModel(o.Name, m.name) })
	})
	for i := range all {
		all[i].Models = slices.Clone(all[i].Models)
		for j := range all[i].Models {
			o := &all[i].Models[j]
			o.Selected = !configured && o.Name == m.name || configured && o.Selected
		}
	}
	var known []complete.Candidate
	for _, p := range all {
		for _, o := range p.Models {
			known = append(known, complete.Candidate{Text: timeline.OneLine(o.Name, 200), Help: timeline.OneLine(o.Title, 200)})
		}
	}
	m.embedded.mu.Lock()
	m.known = known
	m.embedded.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = all
}

// isModel reports whether a name in the list is that of the model of a session, which may be without
// its provider. Without a model, a session uses the one that is configured.
func isModel(listed, now string) bool {
	_, bare, _ := strings.Cut(listed, ":")
	return now == "" || listed == now || bare == now
}

func (m *modelPicker) fill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all != nil {
		page.SetModels(m.list, m.all)
	}
}

// effort sets how much the model reasons, or lets the user choose it.
func (f *embedded) effort(ctx context.Context, level string) (tui.Effect, error) {
	if level != "" {
		return f.useEffort(ctx, level)
	}
	settings := f.Client.Session().Settings()
	name, now, err := settings.Model(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	levels, certain, err := f.efforts(ctx, name)
	if err != nil {
		return tui.Effect{}, err
	}
	var choices []page.Choice
	for _, l := range levels {
		choices = append(choices, page.Choice{ID: l, Title: l, Current: l == now})
	}
	choose := page.Choices(f.keys, "How much the model reasons", choices)
	if !certain {
		choose.About = "It is not known which of these " + timeline.OneLine(cmp.Or(name, "the model"), 60) + " has; its provider may refuse one."
	}
	return f.choice(choose, f.useEffort), nil
}

// efforts are those of a model. certain is false if that is not known: then they are all.
func (f *embedded) efforts(ctx context.Context, name string) (levels []string, certain bool, err error) {
	p, err := f.Client.Session().Settings().ProviderOf(ctx, "")
	if err != nil {
		return nil, false, err
	}
	facts := known.New(f.Sys.FS, known.Path(cli.Absolute(f.runtime.Parts.Config.Home.Value)))
	found, err := facts.Find(known.ProviderOf(p.Vendor, p.Endpoint.BaseURL), cmp.Or(p.Endpoint.WireModel, name))
	if levels = found.Model().ReasoningEfforts; err == nil && len(levels) > 0 {
		return levels, true, nil
	}
	return config.Efforts(), false, nil
}

func (f *embedded) useEffort(ctx context.Context, level string) (tui.Effect, error) {
	if all := config.Efforts(); !slices.Contains(all, level) {
		return tui.Effect{}, fmt.Errorf("there is no effort %q; want one of %s", timeline.OneLine(level, 40), strings.Join(all, ", "))
	}
	settings := f.Client.Session().Settings()
	_, now, err := settings.Model(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if now == level {
		return tui.Effect{Text: "the effort is " + level + " already"}, nil
	}
	return tui.Effect{}, settings.SetReasoningEffort(ctx, level) // an event says so
}

// choice lets the user choose from a list, and closes it then.
func (f *embedded) choice(l *list.List, do func(ctx context.Context, id string) (tui.Effect, error)) tui.Effect {
	return tui.Effect{Pick: &tui.Picker{List: l, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose || o.Item.ID == "" {
			return tui.Effect{}, errors.New("choose one with " + f.keys.Key(keymap.ListChoose))
		}
		e, err := do(ctx, o.Item.ID)
		e.Close = err == nil
		return e, err
	}}}
}
