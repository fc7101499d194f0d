package chat

import (
	"context"
	"errors"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionPicker is the list of stored sessions.
type sessionPicker struct {
	*front
	list      *list.List
	beside    tui.Beside
	everyone  bool                     // the sessions of all folders, and not of this one
	exchanges map[string]page.Exchange // the ends of conversations, by id
	texts     map[string]string        // what the search finds, by id
	reading   map[string]bool
}

// sessions lets the user choose a session.
func (f *front) sessions(context.Context, string) (tui.Effect, error) {
	p := &sessionPicker{front: f, exchanges: map[string]page.Exchange{}, texts: map[string]string{}, reading: map[string]bool{}}
	p.list = page.Sessions(f.keys, p.exchange)
	return tui.Effect{Pick: &tui.Picker{List: p.list, Do: p.do, Open: func(b tui.Beside) {
		p.beside = b
		p.load()
	}}}, nil
}

// load reads the list anew.
func (p *sessionPicker) load() {
	everyone := p.everyone
	p.list.Loading, p.list.View = "reading the sessions …", "this folder"
	if everyone {
		p.list.View = "all folders"
	}
	p.beside(func(ctx context.Context) func() {
		found, err := p.found(ctx, everyone)
		return func() {
			p.list.Loading = ""
			if p.list.Problems = nil; err != nil {
				p.list.Problems = []string{p.words(err)}
			}
			p.set(found)
			p.readTexts(found, everyone)
		}
	})
}

// set shows sessions, with the texts that are known of them.
func (p *sessionPicker) set(found []page.Session) {
	for i := range found {
		found[i].Text = p.texts[found[i].ID]
	}
	p.list.Set(page.SessionItems(found, time.Now()))
}

// The bounds of what the search finds: sessions, the newest first, and of each session the last bytes
// that the user wrote; and how long logs are read for that.
const (
	maxTexts  = 100
	maxText   = 4000
	textsTime = 3 * time.Second
)

// readTexts has the search find what the user wrote in the sessions.
func (p *sessionPicker) readTexts(found []page.Session, everyone bool) {
	var wanted []string
	for _, s := range found[:min(len(found), maxTexts)] {
		if _, known := p.texts[s.ID]; !known {
			wanted = append(wanted, s.ID)
		}
	}
	if len(wanted) == 0 {
		return
	}
	p.beside(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(ctx, textsTime)
		defer cancel()
		read := map[string]string{}
		for _, id := range wanted {
			if text, err := p.written(ctx, id); err == nil { // the preview says what is wrong with a session
				read[id] = text
			}
		}
		return func() {
			maps.Copy(p.texts, read)
			if p.everyone == everyone {
				p.set(found)
			}
		}
	})
}

// written is the end of what the user wrote in a session.
func (p *sessionPicker) written(ctx context.Context, id string) (text string, err error) {
	for line, err := range p.parts.Sessions.Conversation(ctx, id) {
		if err != nil {
			return "", err
		}
		e, err := wire.ParseEvent(line)
		if err != nil || e.Type != "user.message" || e.AgentID != "" {
			continue
		}
		text += "\n" + wire.Raw(e.Data).Get("content").Text()
		text = strings.ToValidUTF8(text[max(len(text)-maxText, 0):], "")
	}
	return text, nil
}

func (p *sessionPicker) found(ctx context.Context, everyone bool) ([]page.Session, error) {
	all, err := p.parts.Sessions.List(ctx, wire.SessionContext{})
	if err != nil {
		return nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range all {
		ids = append(ids, m.SessionID)
	}
	short := listing.Shortener(ids)
	var found []page.Session
	for _, m := range all {
		if !everyone && (m.Context == nil || m.Context.Cwd != cwd) {
			continue
		}
		s := page.Session{ID: m.SessionID, Short: short(m.SessionID), Title: m.Summary, Current: m.SessionID == p.now.ID()}
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
	var r timeline.Recap
	for line, err := range p.parts.Sessions.Conversation(ctx, id) {
		if err != nil {
			return page.Exchange{Err: p.words(err)}
		}
		if e, err := wire.ParseEvent(line); err == nil {
			r.Add(e)
		}
	}
	return page.Exchange{Asked: r.Asked.Body, Answer: r.Answer.Body, Calls: r.Calls, Earlier: r.Earlier, Interrupted: r.Interrupted()}
}

// do carries out what the user does with a session.
func (p *sessionPicker) do(ctx context.Context, o list.Outcome) (e tui.Effect, err error) {
	switch o.Action {
	case keymap.ListChoose:
		e, err = p.enter(ctx, talkOptions{resume: o.Item.ID})
		e.Close = err == nil
		return e, err
	case keymap.ListView:
		return tui.Effect{Then: func() {
			p.everyone = !p.everyone
			p.load()
		}}, nil
	case keymap.ListRename:
		err = p.rename(ctx, o.Item.ID, o.Text)
	case keymap.ListDelete:
		if o.Item.ID == p.now.ID() {
			return e, errors.New("this session is open here; leave it with /new first")
		}
		err = p.parts.Sessions.Delete(ctx, o.Item.ID)
	}
	return tui.Effect{Then: p.load}, err
}

// rename gives a session another title, also one that is not open.
func (f *front) rename(ctx context.Context, id, title string) error {
	if id == f.now.ID() {
		return f.now.client.Session().Settings().SetName(ctx, title)
	}
	if used, err := f.parts.Sessions.UsedElsewhere(ctx, []string{id}); err != nil || len(used) > 0 {
		if err == nil {
			err = fault.New(fault.Conflict, "rename", id, "another process has the session open")
		}
		return err
	}
	c, err := f.parts.Sessions.Resume(ctx, wire.Config{SessionID: id, ClientName: "sidestick-terminal", DisableResume: true}, nil, nil)
	if err != nil {
		return err
	}
	defer c.Tail().Close()
	return errors.Join(c.Session().Settings().SetName(ctx, title), c.Detach(ctx))
}
