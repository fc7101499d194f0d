package state

import "testing"

func TestArgumentsThatWereCutAreClosed(t *testing.T) {
	for begun, want := range map[string]string{
		`{"a":"b`:             `{"a":"b"}`,
		`{"a":"b\`:            `{"a":"b"}`,
		`{"a":"b\u00`:         `{"a":"b"}`,
		`{"a":"b\\`:           `{"a":"b\\"}`,
		`{"a":"}\"]","b":[1,`: `{"a":"}\"]","b":[1,null]}`,
		`{"a":[{"b":1}`:       `{"a":[{"b":1}]}`,
		`{"a":1,"b`:           `{"a":1,"b":null}`,
		`{"a":1,"b"`:          `{"a":1,"b":null}`,
		`{"a":`:               `{"a":null}`,
		`{"a":1, `:            `{"a":1}`,
		`{`:                   `{}`,
		``:                    `{}`,
		`[1`:                  `{}`,
		`nonsense "`:          `{}`,
		`{"a":1}`:             `{"a":1}`,
	} {
		if got := closed(begun); got != want {
			t.Errorf("closed(%s) = %s, want %s", begun, got, want)
		}
	}
}
