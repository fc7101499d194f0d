package timeline

import "testing"

// The last line feed of a file does not begin a line for the user, as it does for the model.
func TestLinesOfAView(t *testing.T) {
	for text, want := range map[string]string{
		"1. a\n2. b\n3. ": "2 lines",
		"1. a\n2. b":      "2 lines",
		"1. a\n2. ":       "1. a",
		"1. ":             "1. ",
	} {
		if got := result("view", text).Title; got != want {
			t.Errorf("the view %q is shown as %q, want %q", text, got, want)
		}
	}
}
