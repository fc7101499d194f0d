package extension

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// CallSkill calls the skill at url with args, a JSON object, {} if nil, and returns
// its result, for a model to read. token is the person's, empty for none. Requests,
// limits and errors are those of [Client.Call].
//
// A result that came as server-sent events is unwrapped: their data, an event a line.
func (c *Client) CallSkill(ctx context.Context, url string, args json.RawMessage, token string) (string, error) {
	x := c.newExchange(ctx, "extension.CallSkill", url)
	defer x.close()
	if args = bytes.TrimSpace(args); len(args) == 0 {
		args = json.RawMessage("{}")
	}
	result, err := "", error(nil)
	if !json.Valid(args) || !isObject(args) {
		err = fault.New(fault.Invalid, "", "", "the arguments are not a JSON object")
	} else if err = x.post(args, nil, token); err == nil {
		result, err = x.result()
	}
	if err != nil {
		return "", x.failure(err)
	}
	return result, nil
}

func (x *exchange) result() (string, error) {
	in := bufio.NewReader(&bounded{r: x, left: x.c.o.MaxBody, max: x.c.o.MaxBody})
	if x.refused() {
		return "", x.statusError(in)
	}
	all, err := io.ReadAll(in)
	if err != nil {
		return "", replyError(err)
	}
	return strings.ToValidUTF8(unwrapped(all), "\uFFFD"), nil
}

// unwrapped returns the data of a stream of events, or all of what is none: a text
// with a line that no stream has, or without data.
func unwrapped(body []byte) string {
	var said []string
	lines := sse.NewLines(bytes.NewReader(body), len(body)+1)
	for line, err := lines.Next(); err == nil; line, err = lines.Next() {
		switch name, value := sse.Field(line); string(name) {
		case "data":
			if string(value) != "[DONE]" {
				said = append(said, string(value))
			}
		case "event", "":
		default:
			return string(body)
		}
	}
	if said == nil {
		return string(body)
	}
	return strings.Join(said, "\n")
}
