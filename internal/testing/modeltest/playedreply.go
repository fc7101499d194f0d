package modeltest

import "strings"

// playedPiece is how many characters a streamed chunk of a recording has.
// Source: the replaying proxy, see [Recording].
const playedPiece = 200

// say makes a reply of recorded messages.
func (p *Player) say(req *Request, said []Message) Reply {
	var choices []Choice
	for _, m := range said {
		c := Choice{Text: strings.ReplaceAll(m.Content, "${workdir}", p.workDir)}
		for _, call := range m.ToolCalls {
			c.ToolCalls = append(c.ToolCalls, p.expand(call))
		}
		c.Finish = finishOf(c.ToolCalls)
		choices = append(choices, c)
	}
	if req.Stream {
		return Reply{Events: played(req.Model, choices[0])}
	}
	return Reply{Body: wholeAnswer("cached-completion", req.Model, choices, (&Usage{}).wire())}
}

// expand puts real names and paths into a recorded call.
func (p *Player) expand(c ToolCall) ToolCall {
	for real, recorded := range shellNames.Get() {
		if c.Name == recorded {
			c.Name = real
		}
	}
	dir := encode(p.workDir)
	c.Arguments = strings.ReplaceAll(c.Arguments, "${workdir}", dir[1:len(dir)-1])
	return c
}

// played returns a stream's events as the replaying proxy sends them: each fragment of a
// call repeats its id, the first has the name, the last chunk has the finish reason, and
// there is no usage.
func played(model string, c Choice) []string {
	var parts []*wirePart
	for _, s := range split(c.Text, playedPiece) {
		parts = append(parts, &wirePart{Content: &s})
	}
	for i, call := range c.ToolCalls {
		name := call.Name
		for _, s := range split(call.Arguments, playedPiece) {
			parts = append(parts, &wirePart{ToolCalls: []wireCall{call.wire(&i, name, s)}})
			name = ""
		}
	}
	if len(parts) == 0 {
		parts = append(parts, &wirePart{})
	}
	var events []string
	for i, part := range parts {
		part.Role = "assistant"
		a := head("cached-completion", "chat.completion.chunk", model)
		a.Choices = append(a.Choices, wireChoice{Delta: part})
		if i == len(parts)-1 {
			a.Choices[0].Finish = &c.Finish
		}
		events = append(events, encode(a))
	}
	return append(events, "[DONE]")
}
