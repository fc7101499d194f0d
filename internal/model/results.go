package model

// TextResults returns a conversation in which the results of tools are only text, for protocols
// and servers that take nothing else: each file of a result is a message of the user, with its name,
// after all results of the same answer, which must directly follow the calls. A conversation
// without such files is returned unchanged. No message is changed in place.
func TextResults(messages []Message) []Message {
	var out, shown []Message
	for i := range messages {
		m := &messages[i]
		if m.Role != RoleTool {
			out = append(out, shown...)
			shown = nil
		}
		if m.Role == RoleTool && len(m.Parts) > 0 {
			if out == nil {
				out = append(make([]Message, 0, len(messages)+len(m.Parts)/2), messages[:i]...)
			}
			shown = append(shown, shownBy(m)...)
			text := *m
			text.Parts = nil
			out = append(out, text)
		} else if out != nil {
			out = append(out, *m)
		}
	}
	if out == nil {
		return messages
	}
	return append(out, shown...)
}

// shownBy returns the files of a result as messages.
func shownBy(m *Message) (all []Message) {
	from := 0
	for i, p := range m.Parts {
		if p.ImageURL != "" || p.Document != nil || i == len(m.Parts)-1 {
			all = append(all, Message{Role: RoleUser, Parts: m.Parts[from : i+1]})
			from = i + 1
		}
	}
	return all
}
