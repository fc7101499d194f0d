package discovery

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/shellword"
)

// Templates returns the prompts in files that the session can send as slash commands: those of
// a project that the user trusts, if the client looks for configuration in projects, those of the
// user, and those of plugins. The warnings are about files that are left out. It reads the files.
func (d *Discovery) Templates(ctx context.Context) (list []prompt.Template, warnings []string, err error) {
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return nil, nil, err
	}
	f := d.finder
	root, untrusted := f.trustedProject(scope, prompt.TemplateFolders)
	list, warnings = prompt.FindTemplates(prompt.TemplateSearch{Disk: f.Disk(), Root: root, Home: f.opts.Home, Plugins: f.pluginRoots(scope), Counts: f.opts.Counts})
	if untrusted != "" {
		project := cmp.Or(scope.Root, scope.Cwd)
		for _, hidden := range first(prompt.FindTemplates(prompt.TemplateSearch{Disk: f.Disk(), Root: project})) {
			warnings = append(warnings, hidden.Path+": not used, because the folder "+project+" is not trusted; to trust it: sidestick trust "+shellword.Quote(project))
		}
	}
	return list, warnings, nil
}

func first(list []prompt.Template, _ []string) []prompt.Template { return list }

// ReadTemplate returns the text of a template with what the user wrote after its name; see
// [prompt.Disk.ReadTemplate].
func (d *Discovery) ReadTemplate(ctx context.Context, t prompt.Template, input string) (prompt.TemplateText, error) {
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return prompt.TemplateText{}, err
	}
	return d.finder.Disk().ReadTemplate(t, input, d.use(ctx, scope, ""))
}

// use is what a text needs when it is sent; agentID is the sub-agent that loads it.
func (d *Discovery) use(ctx context.Context, scope Scope, agentID string) prompt.Use {
	return prompt.Use{
		Cwd: scope.Cwd, Root: cmp.Or(scope.Root, scope.Cwd), SessionID: d.sessionID,
		Run: func(command string, allowed []string) (output, why string) {
			rules, _ := permit.SkillRules("", allowed) // what is no rule allows nothing, and the command says that it did not run
			for i := range rules {
				rules[i].From = "allowed-tools of the text"
			}
			return d.session.RunText(ctx, agentID, command, rules)
		},
		MayRead: func(path string) (why string) { return d.session.MayRead(ctx, path) },
	}
}
