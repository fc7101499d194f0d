package spelling

import "testing"

func TestClosest(t *testing.T) {
	words := []string{"shell", "read", "write", "url", "edit", "model", "log-level"}
	for typed, want := range map[string]string{
		"Shell": "shell", "wirte": "write", "Write": "write", "modle": "model", "loglevel": "log-level",
		"deploy": "", "x": "", "": "", "reads": "read",
	} {
		if got := Closest(typed, words); got != want {
			t.Errorf("Closest(%q) = %q, want %q", typed, got, want)
		}
	}
}
