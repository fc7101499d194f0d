package front

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionStore has the stored sessions: those of this machine, or those of a server.
type sessionStore interface {
	// stored lists them, the last changed first.
	stored(ctx context.Context) ([]wire.SessionMetadata, error)
	// folder is the folder that this program works in; "" if the sessions work elsewhere.
	folder() string
	// recap reads the end of a conversation, without what was removed from it.
	recap(ctx context.Context, id string) (*timeline.Recap, error)
	// written is the end of what the user wrote in a session; "" if it cannot be found out cheaply.
	written(ctx context.Context, id string) (string, error)
	// current is the id of the session that is shown.
	current() string
	// continueWith enters a session.
	continueWith(ctx context.Context, id string) (tui.Effect, error)
	rename(ctx context.Context, id, title string) error
	remove(ctx context.Context, id string) error
	words(err error) string
}

var (
	_ sessionStore = (*embedded)(nil)
	_ sessionStore = (*attached)(nil)
)

// sessionPicker is the list of stored sessions.
type sessionPicker struct {
	sessionStore
	list      *list.List
	beside    tui.Beside
	listing   tui.Reading
	view      page.SessionView
	exchanges map[string]page.Exchange // the ends of conversations, by id
	texts     map[string]string        // what the search finds, by id
	reading   map[string]bool
}

// pickSession lets the user choose a session.
func (d desk) pickSession(s sessionStore) tui.Effect {
	p := &sessionPicker{sessionStore: s, view: page.ThisFolder, exchanges: map[string]page.Exchange{}, texts: map[string]string{}, reading: map[string]bool{}}
	if s.folder() == "" {
		p.view = page.AllFolders
	}
	p.list = page.Sessions(d.keys, p.exchange)
	opens := func(o list.Outcome) bool { return o.Action == keymap.ListChoose }
	return tui.Effect{Pick: &tui.Picker{List: p.list, Do: p.do, Opens: opens, Open: func(b tui.Beside) {
		p.beside = b
		p.load()
	}}}
}

// load reads the list anew.
func (p *sessionPicker) load() {
	view := p.view
	p.list.Loading, p.list.View = "reading the sessions …", string(view)
	p.listing.Begin(p.beside, func(ctx context.Context) (func(), error) {
		found, err := p.found(ctx, view)
		return func() {
			if p.view != view { // the user has changed the view, which is read next
				return
			}
			p.list.Loading, p.list.Problems = "", nil
			p.set(found)
			p.readTexts(found, view)
		}, err
	}, func(err error) {
		if p.view != view {
			return
		}
		p.list.Loading = ""
		p.set(nil)
		problem(p.beside, p.list, p.words, err)
	})
}

// set shows sessions, with the texts that are known of them.
func (p *sessionPicker) set(found []page.Session) {
	for i := range found {
		found[i].Text = p.texts[found[i].ID]
	}
	p.list.Set(page.SessionItems(found, time.Now()))
}

func (p *sessionPicker) found(ctx context.Context, view page.SessionView) ([]page.Session, error) {
	all, err := p.stored(ctx)
	if err != nil {
		return nil, err
	}
	cwd := p.folder()
	var ids []string
	for _, m := range all {
		ids = append(ids, m.SessionID)
	}
	short := listing.Shortener(ids)
	var found []page.Session
	for _, m := range all {
		if view == page.ThisFolder && (m.Context == nil || m.Context.Cwd != cwd) {
			continue
		}
		s := page.Session{ID: m.SessionID, Short: short(m.SessionID), Title: m.Summary, Current: m.SessionID == p.current()}
		s.Modified, _ = time.Parse(time.RFC3339, m.ModifiedTime) // zero is not shown
		if m.Context != nil {
			s.Folder, s.Branch = cli.Tilde(m.Context.Cwd), m.Context.Branch
		}
		found = append(found, s)
	}
	return found, nil
}

// exchange is the end of a conversation, which is read when it is first asked for.
func (p *sessionPicker) exchange(id string) (page.Exchange, bool) {
	e, ok := p.exchanges[id]
	if ok || p.reading[id] {
		return e, ok
	}
	p.reading[id] = true
	p.beside(func(ctx context.Context) func() {
		e := p.readExchange(ctx, id)
		return func() {
			p.exchanges[id] = e
			p.list.Refresh()
		}
	})
	return e, false
}

func (p *sessionPicker) readExchange(ctx context.Context, id string) page.Exchange {
	r, err := p.recap(ctx, id)
	if err != nil {
		return page.Exchange{Err: p.words(err)}
	}
	return page.Exchange{Asked: r.Asked.Body, Answer: r.Answer.Body, Calls: r.Calls, Earlier: r.Earlier, Interrupted: r.Interrupted()}
}

// do carries out what the user does with a session.
func (p *sessionPicker) do(ctx context.Context, o list.Outcome) (e tui.Effect, err error) {
	switch o.Action {
	case keymap.ListChoose:
		e, err = p.continueWith(ctx, o.Item.ID)
		e.Close = err == nil
		return e, err
	case keymap.ListView:
		return tui.Effect{Then: func() {
			p.view = p.view.Next()
			p.load()
		}}, nil
	case keymap.ListRename:
		err = p.rename(ctx, o.Item.ID, o.Text)
	case keymap.ListDelete:
		if o.Item.ID == p.current() {
			return e, errors.New("this session is open here; leave it with /new first")
		}
		err = p.remove(ctx, o.Item.ID)
	}
	return tui.Effect{Then: p.load}, err
}

func (f *embedded) stored(ctx context.Context) ([]wire.SessionMetadata, error) {
	return f.runtime.Parts.Sessions.List(ctx, wire.SessionContext{})
}

func (f *embedded) folder() string { return workingDirectory() }

// workingDirectory is the working directory, "" if it was removed.
func workingDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

func (f *embedded) current() string { return f.ID() }

func (f *embedded) recap(ctx context.Context, id string) (*timeline.Recap, error) {
	return timeline.ReadRecap(registry.Conversation(ctx, f.runtime.Parts.Sessions, id))
}

func (f *embedded) continueWith(ctx context.Context, id string) (tui.Effect, error) {
	return f.enter(ctx, id)
}

func (f *embedded) remove(ctx context.Context, id string) error {
	return f.runtime.Parts.Sessions.Delete(ctx, id)
}

// rename gives a session another title, also one that is not open.
func (f *embedded) rename(ctx context.Context, id, title string) error {
	if id == f.ID() {
		return f.Client.Session().Settings().SetName(ctx, title)
	}
	if used, err := f.runtime.Parts.Sessions.UsedElsewhere(ctx, []string{id}); err != nil || len(used) > 0 {
		if err == nil {
			err = fault.New(fault.Conflict, "rename", id, "another process has the session open")
		}
		return err
	}
	c, err := f.runtime.Parts.Sessions.Resume(ctx, wire.Config{SessionID: id, ClientName: "sidestick-terminal", DisableResume: true, ContinuePendingWork: true, HoldPendingWork: true}, nil, nil)
	if err != nil {
		return err
	}
	defer c.Tail().Close()
	return errors.Join(c.Session().Settings().SetName(ctx, title), c.Detach(ctx))
}
