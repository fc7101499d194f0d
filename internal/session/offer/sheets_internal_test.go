package offer

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Each session looks up the sheets of some twenty tools before its first call of a model.
func TestAKnownSheetIsFoundWithoutACopyOfTheDefinition(t *testing.T) {
	var all Sheets
	d := tool.Definition{Name: "echo", Description: strings.Repeat("Echoes. ", 100), Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)}
	first := all.of(d)
	if n := testing.AllocsPerRun(100, func() {
		if all.of(d) != first {
			t.Error("the same definition has two sheets")
		}
	}); n != 0 {
		t.Errorf("finding a sheet allocates %v times, want 0", n)
	}
	other := d
	other.Parameters = []byte(`{"type":"object","required":["text"]}`)
	if all.of(other) == first {
		t.Error("two definitions have one sheet")
	}
}

// Definitions that differ in anything have two sheets: a sheet has the definition, and is that of many tools.
func TestASheetIsOfAWholeDefinition(t *testing.T) {
	var all Sheets
	first := all.of(tool.Definition{Name: "echo"})
	d := reflect.TypeFor[tool.Definition]()
	for i := range d.NumField() {
		other := tool.Definition{Name: "echo"}
		switch f := reflect.ValueOf(&other).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("other")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.SetBytes([]byte("{}"))
		default:
			t.Fatalf("%s is of a kind that the test does not know", d.Field(i).Name)
		}
		if found := all.of(other); found == first || !reflect.DeepEqual(found.Definition, other) {
			t.Errorf("definitions that differ in %s have one sheet", d.Field(i).Name)
		}
	}
}
