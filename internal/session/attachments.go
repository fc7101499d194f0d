package session

import (
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// events is a message as the log holds it: pictures that it refers to before it, what
// of it the model does not get to see after.
func (m *message) events(delivery string, u prompt.UserMessage) []wire.Data {
	var out []wire.Data
	for _, asset := range u.Assets {
		out = append(out, asset)
	}
	kept := *m
	kept.Send.Attachments = u.Attachments
	out = append(out, kept.addressed(kept.event(delivery, u.Text), u.References))
	for _, w := range u.Warnings {
		out = append(out, &wire.SessionWarning{WarningType: "attachment", Message: w})
	}
	return out
}

// fit makes the pictures of a result small enough to be sent; of one that cannot be
// the model reads why.
func fit(res tool.Result) tool.Result {
	var kept []tool.Image
	for _, p := range res.Images {
		mediaType, data, err := prompt.Fit(p.MediaType, p.Data)
		if err != nil {
			res.Text += "\nThe picture " + filepath.Base(p.Path) + " cannot be shown: " + err.Error()
			continue
		}
		kept = append(kept, tool.Image{Path: p.Path, MediaType: mediaType, Data: data})
	}
	res.Images = kept
	return res
}

// attached is a message with what is attached to it, as it is recorded and as the
// model reads it. It reads files, and does so on the caller's goroutine.
func (i input) attached(text string, m message) prompt.UserMessage {
	cwd := ""
	if at := i.s.at.Load(); at != nil {
		cwd = *at
	}
	if m.extension != "" {
		return prompt.ForExtension(text, m.Send.Attachments, prompt.UserOptions{Disk: i.s.reg.finder.Disk(), Cwd: cwd})
	}
	return prompt.User(text, m.Send.Attachments, prompt.UserOptions{
		Disk: i.s.reg.finder.Disk(), Cwd: cwd, Now: time.Now(), Mode: prompt.Mode(m.Send.AgentMode), Before: m.notice(),
	})
}
