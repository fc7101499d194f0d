package front

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// own are the commands that only the terminal interface has.
func (d desk) own() []slash.Command {
	return []slash.Command{
		{Names: []string{"show"}, Terminal: true, Args: "[NUMBER]", Help: "read the session in the pager, from the last call or the one with a number"},
	}
}

// joined are the commands that the interface carries out itself: those of keys, and the list of earlier
// input.
func (d desk) joined() (all []slash.Command) {
	all = append(all, slash.Command{Names: []string{"history"}, Help: "choose earlier input of this folder from a list"})
	own := d.own()
	for _, a := range d.keys.Actions() {
		name := strings.TrimPrefix(a.Command, "/")
		if _, ok := slash.Find(name, own...); ok || name == "" {
			continue
		}
		c := slash.Command{Names: []string{name}, Help: a.Help}
		if name == "reasoning" {
			c.Args, c.Choices = "[HOW]", func() []slash.Choice {
				return []slash.Choice{{Name: "collapsed"}, {Name: "full"}, {Name: "hidden"}}
			}
		}
		all = append(all, c)
	}
	return all
}

// commands are all commands but skills and prompts in files, in the order in which help shows them.
func (d desk) commands() []slash.Command {
	return slices.Concat(slash.Builtins, d.own(), d.joined())
}

// mode sets the mode of further messages. Without an argument, the interface lets the user choose it.
func (d desk) mode(_ context.Context, mode string) (tui.Effect, error) {
	if !slices.Contains(entry.AgentModes(), mode) {
		return tui.Effect{}, fmt.Errorf("there is no mode %q; the modes are %s", timeline.OneLine(mode, 40), strings.Join(entry.AgentModes(), ", "))
	}
	return tui.Effect{Mode: mode}, nil
}

// noCommand is the error for a name that no command has.
func (f *embedded) noCommand(ctx context.Context, name string) error {
	all, _ := f.List(ctx, f) // what was found is enough for a proposal
	var names []string
	for _, c := range all {
		names = append(names, c.Text)
	}
	meant := ""
	if near := spelling.Closest(name, names); near != "" {
		meant = "did you mean /" + near + "? "
	}
	return tui.NoCommand(fmt.Sprintf("there is no command /%s; %s/help lists the commands. Begin a message with a space to send it", timeline.OneLine(name, 40), meant))
}

// offered are commands for completion: their names, then their other names.
func offered(commands []slash.Command) (all []complete.Candidate) {
	var aliases []complete.Candidate
	for _, d := range commands {
		all = append(all, complete.Candidate{Text: d.Name(), Help: d.Help})
		for _, alias := range d.Names[1:] {
			aliases = append(aliases, complete.Candidate{Text: alias, Help: "another name of /" + d.Name() + ": " + d.Help})
		}
	}
	return append(all, aliases...)
}

// List implements [tui.Commands].
func (f *front) List(ctx context.Context, s tui.Session) (all []complete.Candidate, err error) {
	all = offered(f.commands())
	prompts, err := s.(*embedded).Client.Session().Commands().Prompts(ctx)
	for _, p := range prompts {
		all = append(all, complete.Candidate{Text: timeline.OneLine(p.Name, 60), Help: timeline.OneLine(p.Description, 200)})
	}
	return all, err
}

// Arguments implements [tui.Commands].
func (f *front) Arguments(ctx context.Context, _ tui.Session) (map[string][]complete.Candidate, error) {
	all := map[string][]complete.Candidate{}
	for _, d := range f.commands() {
		for _, c := range d.Listed() {
			all[d.Name()] = append(all[d.Name()], complete.Candidate{Text: c.Name, Help: c.Help})
		}
	}
	f.mu.Lock()
	all["model"] = slices.Clone(f.known)
	f.mu.Unlock()
	for _, mode := range diffModes {
		all["diff"] = append(all["diff"], complete.Candidate{Text: mode})
	}
	all["allow"] = []complete.Candidate{{Text: "on", Help: "everything is allowed without asking"}, {Text: "off", Help: "you are asked"}}
	all["rules"] = []complete.Candidate{{Text: "forget", Help: "revoke the approvals"}}
	list, err := f.runtime.Here(ctx)
	if err != nil {
		return all, err
	}
	short := f.runtime.Parts.Sessions.Shortener(ctx)
	for _, m := range list[:min(len(list), maxOffered)] {
		all["resume"] = append(all["resume"], complete.Candidate{Text: short(m.SessionID), Help: cli.Age(m.ModifiedTime) + "  " + timeline.OneLine(m.Summary, 200)})
	}
	return all, nil
}

// maxOffered bounds the sessions that completion offers.
const maxOffered = 200

// help is the page of keys and commands.
func (f *embedded) help(ctx context.Context, _ string) (tui.Effect, error) {
	var list []page.Command
	for _, d := range f.commands() {
		list = append(list, page.Command{Name: strings.TrimSpace("/" + d.Name() + " " + d.Args), Help: d.Help})
	}
	skills, err := f.readSkills(ctx)
	for _, s := range skills {
		if s.On && s.Command != "" {
			list = append(list, page.Command{Name: s.Command, Help: s.About, Source: s.Source})
		}
	}
	return tui.Effect{Read: page.Help(f.keys, list)}, err
}
