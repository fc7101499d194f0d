package fault_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

type inner struct {
	Deep struct {
		List []int `json:"list"`
	} `json:"deep"`
}

type outer struct {
	Deep  inner             `json:"top"`
	Name  string            `json:"name"`
	On    *bool             `json:"on"`
	Bytes []byte            `json:"bytes"`
	Of    map[string]*inner `json:"of"`
	All   []inner           `json:"all"`
	Small uint8             `json:"small"`
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                              "it is a JSON array, want an object",
		`null`:                            "it is a JSON null, want an object",
		` null `:                          "it is a JSON null, want an object",
		`"x"`:                             "it is a JSON string, want an object",
		`3`:                               "it is a JSON number, want an object",
		`{`:                               "it is not JSON: unexpected end of JSON input at byte 1",
		``:                                "it is not JSON: unexpected end of JSON input at byte 0",
		`{"name":3}`:                      "name is a JSON number, want a string",
		`{"on":"x"}`:                      "on is a JSON string, want a bool",
		`{"bytes":{}}`:                    "bytes is a JSON object, want a string",
		`{"small":300}`:                   "small is a JSON number 300, want a number",
		`{"top":{"deep":{"list":["x"]}}}`: "top.deep.list is a JSON string, want a number",
		`{"of":{"a":{"deep":[]}}}`:        "of.deep is a JSON array, want an object",
		`{"all":[{"deep":{"list":1}}]}`:   "all.deep.list is a JSON number, want an array",
		`{"name":"x"}`:                    "",
	} {
		err := fault.DecodeObject([]byte(text), &outer{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	strict := json.NewDecoder(strings.NewReader(`{"nmae":1}`))
	strict.DisallowUnknownFields()
	if err := fault.JSON(strict.Decode(&outer{})); err == nil || err.Error() != `unknown field "nmae"` {
		t.Errorf("an unknown field is %v", err)
	}
	if err := fault.JSON(json.NewDecoder(strings.NewReader(`{"a"`)).Decode(&outer{})); err == nil || err.Error() != "it is not JSON: it ends too early" {
		t.Errorf("a text that ends is %v", err)
	}
	other := errors.New("other")
	if fault.JSON(other) != other || fault.JSON(nil) != nil {
		t.Error("another error is changed")
	}
}
