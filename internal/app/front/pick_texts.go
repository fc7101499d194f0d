package front

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The bounds of what the search in the list of sessions finds: sessions, the newest first, and of each
// session the last bytes that the user wrote; and how long logs are read for that.
const (
	maxTexts  = 100
	maxText   = 4000
	textsTime = 3 * time.Second
)

// readTexts has the search find what the user wrote in the sessions.
func (p *sessionPicker) readTexts(found []page.Session, view page.SessionView) {
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
			if p.view == view {
				p.set(found)
			}
		}
	})
}

func (f *embedded) written(ctx context.Context, id string) (text string, err error) {
	for line, err := range registry.Conversation(ctx, f.runtime.Parts.Sessions, id) {
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

// written finds nothing: the whole log of each session would come over the connection.
func (g *attached) written(context.Context, string) (string, error) { return "", nil }
