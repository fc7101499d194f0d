package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// orders are the schemas that a server has sent lately, as it has written them: the SDK decodes them as maps, and models and users
// read properties in the order of the server. It is safe for concurrent use.
type orders struct {
	mu   sync.Mutex // guards the rest
	sent map[[sha256.Size]byte]json.RawMessage
	size int // bytes of sent
}

// maxOrders bounds the schemas that are kept, in bytes. The tools of a server have 1 MiB.
const maxOrders = 4 << 20

// schemasOf is what messages with schemas have: a list of tools, a question with a form, and an answer that asks such questions.
type schemasOf struct {
	Params struct {
		Form json.RawMessage `json:"requestedSchema"`
	} `json:"params"`
	Result struct {
		Tools []struct {
			Input json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
		Asks map[string]struct {
			Params struct {
				Form json.RawMessage `json:"requestedSchema"`
			} `json:"params"`
		} `json:"inputRequests"`
	} `json:"result"`
}

// note keeps the schemas in a message, before the SDK reads it.
func (o *orders) note(message []byte) {
	if !bytes.Contains(message, []byte(`"inputSchema"`)) && !bytes.Contains(message, []byte(`"requestedSchema"`)) {
		return
	}
	var m schemasOf
	if json.Unmarshal(message, &m) != nil {
		return // the SDK reports it
	}
	o.keep(m.Params.Form)
	for _, one := range m.Result.Tools {
		o.keep(one.Input)
	}
	for _, one := range m.Result.Asks {
		o.keep(one.Params.Form)
	}
}

func (o *orders) keep(schema json.RawMessage) {
	var decoded any
	if len(schema) == 0 || json.Unmarshal(schema, &decoded) != nil {
		return
	}
	key, ok := orderKey(decoded)
	if !ok {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent == nil || o.size+len(schema) > maxOrders {
		o.sent, o.size = map[[sha256.Size]byte]json.RawMessage{}, 0
	}
	o.sent[key] = schema
	o.size += len(schema)
}

// as returns a schema as the server has written it; nil if that is not known.
func (o *orders) as(decoded any) json.RawMessage {
	key, ok := orderKey(decoded)
	if !ok {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent[key]
}

func orderKey(decoded any) (key [sha256.Size]byte, ok bool) {
	text, err := json.Marshal(decoded)
	return sha256.Sum256(text), err == nil
}

// arranged returns decoded JSON with the members of its objects in the order that they have in like; further members follow in the
// order of the alphabet. Nothing else is taken from like.
func arranged(decoded any, like json.RawMessage) (json.RawMessage, error) {
	text, err := appendArranged(nil, decoded, wire.Raw(like))
	return text, err
}

func appendArranged(out []byte, decoded any, like wire.Raw) (_ []byte, err error) {
	switch v := decoded.(type) {
	case map[string]any:
		return appendMembers(out, v, like)
	case []any:
		likes := slices.Collect(like.Elements())
		out = append(out, '[')
		for i, one := range v {
			if i > 0 {
				out = append(out, ',')
			}
			var as wire.Raw
			if i < len(likes) {
				as = likes[i]
			}
			if out, err = appendArranged(out, one, as); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	text, err := json.Marshal(decoded)
	return append(out, text...), err
}

func appendMembers(out []byte, members map[string]any, like wire.Raw) (_ []byte, err error) {
	var names []string
	likes := map[string]wire.Raw{}
	for key, value := range like.Members() {
		name := wire.Raw(`"` + string(key) + `"`).Text()
		if _, twice := likes[name]; twice {
			likes[name] = value // the last one counts, as for the decoder
			continue
		}
		if _, there := members[name]; there {
			names = append(names, name)
			likes[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, known := likes[name]; !known {
			names = append(names, name)
		}
	}
	out = append(out, '{')
	for i, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendArranged(append(append(out, key...), ':'), members[name], likes[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
