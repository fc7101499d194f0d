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

// CallSkill calls the skill at url and returns its result, a text for a model. args is a
// JSON object; nil means {}. token is the user's token, "" for none. Requests, limits and
// errors are as for [Client.Call]; args that are not an object are [ErrInvalid].
//
// If the result arrives as server-sent events, CallSkill returns their data, one event per
// line.
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

// unwrapped returns the data of a stream of events. A body that is not one, because it has
// other lines or no data, is returned as it is.
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
