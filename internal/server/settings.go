package server

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Here the parameters with the settings of sessions are read, in the form that version 3 of the protocol gives them: that of
// the fields of [wire.Config] and [wire.OptionsPatch]. Methods and sessions get these structs, with what was sent and has no
// effect. Version 4 groups the parameters in another way. Its readers belong beside these three and return the same
// structs, and conn.protocol, which is only told to clients today, chooses them.

// readSettings reads the parameters of session.create and session.resume.
func (c *conn) readSettings(params json.RawMessage) (wire.Config, error) {
	p, err := decodeFor[wire.Config](c, params)
	if err != nil {
		return p, err
	}
	p.Unread = wire.UnreadSettings(wire.Raw(params))
	return p, nil
}

// readChange reads the parameters of session.options.update.
func (c *conn) readChange(params json.RawMessage) (wire.OptionsPatch, error) {
	p, err := decodeFor[wire.OptionsPatch](c, params)
	if err != nil {
		return p, err
	}
	p.Unread = wire.UnreadOptions(wire.Raw(params))
	return p, nil
}

// readOpening reads the options of sessions.open, whose names are those of session.create with few exceptions.
// An option that this server does not act on is refused.
func readOpening(p *opening) (cfg wire.Config, err error) {
	var options wire.Options
	if len(p.Options) > 0 {
		d := json.NewDecoder(bytes.NewReader(p.Options))
		d.DisallowUnknownFields()
		switch err := d.Decode(&options); {
		case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
			return cfg, unfit("options: %s, which this server does not act on", strings.TrimPrefix(err.Error(), "json: "))
		case err != nil:
			return cfg, unfit("options: %s", misfit(p.Options, reflect.TypeFor[wire.Options](), err))
		}
	}
	cfg = options.AsConfig()
	cfg.Unread = wire.UnreadOpening(wire.Raw(p.Options))
	cfg.DisableResume = cfg.DisableResume || p.Resume != nil && !*p.Resume
	return cfg, nil
}
