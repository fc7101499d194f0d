package e2e_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// missed says what was to happen beside the conversation and did not.
func (h *holder) missed(conversation []modeltest.Message) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong != "" {
		return h.wrong
	}
	for name := range h.set.hooks {
		if h.hooked[name] == 0 != (name == "errorOccurred") { // nothing goes wrong
			return fmt.Sprintf("the hook %s was called %d times", name, h.hooked[name])
		}
	}
	for id := range h.set.sections {
		if h.hooked[id] == 0 {
			return fmt.Sprintf("the section %s was not offered for a change", id)
		}
	}
	for call, result := range calls(conversation) {
		if h.set.hooks["preToolUse"] != nil {
			break // it has a say in this
		}
		if want, got := h.permissions(call, result), h.permitted[call.ID]; want != got {
			return fmt.Sprintf("permission was asked %d times for the call %s of %s, want %d", got, call.ID, call.Name, want)
		}
	}
	requests := h.player.Requests()
	for _, w := range h.set.wants {
		if problem := w(&requests[len(requests)-1]); problem != "" {
			return problem
		}
	}
	return ""
}

// permissions returns how often permission is requested for a call: once for an existing
// tool, unless the tool only talks to the user or to models, or changes the session's database.
func (h *holder) permissions(call modeltest.ToolCall, result *string) int {
	talks := slices.Contains([]string{"ask_user", "skill", "sql", "task", "read_agent"}, call.Name)
	if talks || h.set.unasked || missing(call.Name, result) || slices.Contains(h.set.trusted, call.Name) {
		return 0
	}
	return 1
}

// sees reports whether there is a picture in the last request.
func (h *holder) sees() bool {
	requests := h.player.Requests()
	return strings.Contains(string(requests[len(requests)-1].Raw), `"image_url"`)
}
