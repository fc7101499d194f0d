package screen

import (
	"reflect"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// The theme that the user has chosen stays, whatever the terminal tells about its background; with
// NO_COLOR there is none to choose.
func TestTheThemeOfTheUser(t *testing.T) {
	for _, tc := range []struct {
		name string
		want row.Theme
	}{{"light", row.Light}, {"dark", row.Dark}, {"mono", row.Mono}, {"auto", row.Light}, {"", row.Light}} {
		s, _ := open(t, 80, 24)
		s.Choose(tc.name)
		s.SetDark(false)
		if got := s.Theme(); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q: %+v", tc.name, got)
		}
	}
	s, _ := open(t, 80, 24, "NO_COLOR=1")
	s.Choose("dark")
	if got := s.Theme(); !reflect.DeepEqual(got, row.Mono) {
		t.Errorf("with NO_COLOR: %+v", got)
	}
}
