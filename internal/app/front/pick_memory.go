package front

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// memory shows the files with instructions, and opens the chosen one in the user's editor.
func (f *embedded) memory(ctx context.Context, _ string) (tui.Effect, error) {
	files, err := f.instructions(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	l := page.Instructions(f.keys, files)
	return tui.Effect{Pick: &tui.Picker{List: l, Do: func(_ context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose {
			return tui.Effect{}, nil
		}
		return tui.Effect{Close: true, Edit: &tui.EditFile{Path: o.Item.ID, Then: func(ctx context.Context) (string, error) {
			return "", f.Client.Session().Discovery().SearchAgain(ctx)
		}}}, nil
	}}}, nil
}

// instructions are the files with instructions of the session, and those that are the usual ones and not there yet: of the
// project, and of the user.
func (f *embedded) instructions(ctx context.Context) (files []page.Instruction, err error) {
	got, err := f.Client.Session().Discovery().Instructions(ctx)
	if err != nil {
		return nil, err
	}
	m, err := f.runtime.Parts.Sessions.Metadata(ctx, f.ID())
	if err != nil || m == nil || m.Context == nil {
		return nil, err
	}
	root := m.Context.Cwd
	if m.Context.GitRoot != "" {
		root = m.Context.GitRoot
	}
	for _, i := range got {
		path := i.SourcePath
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		files = append(files, page.Instruction{ID: path, Name: cli.Tilde(i.SourcePath), When: command.WhenRead(i), Text: i.Content})
	}
	notYet := func(path, name string) page.Instruction {
		return page.Instruction{ID: path, Name: name, When: "not there yet", New: true}
	}
	ofProject := projectfiles.Of(projectfiles.Instructions, projectfiles.Way) // of which a folder needs one
	if !slices.ContainsFunc(files, func(i page.Instruction) bool {
		return slices.ContainsFunc(ofProject, func(e projectfiles.Entry) bool { return e.Below(root) == i.ID })
	}) {
		files = append(files, notYet(ofProject[0].Below(root), ofProject[0].Path))
	}
	own := prompt.UserInstructions(cli.Absolute(f.config.Home.Value), "")[0].Path
	if !slices.ContainsFunc(files, func(i page.Instruction) bool { return i.ID == own }) {
		files = append(files, notYet(own, cli.Tilde(own)))
	}
	return files, nil
}
