package usersettings_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/usersettings"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Settings of others in the file stay, and a damaged file is neither read nor replaced.
func TestSettingsKeepWhatTheyDoNotKnow(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	settings := usersettings.Open(disk, "/home")
	on := map[string]json.RawMessage{"disableAllHooks": json.RawMessage("true")}
	write := func(text string) {
		t.Helper()
		if err := disk.MkdirAll("/home", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, "/home/settings.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"theme":{"dark":1},"disableAllHooks":false}`)
	if err := settings.Set(ctx, on); err != nil {
		t.Fatal(err)
	}
	got, err := disk.ReadFile("/home/settings.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n  \"disableAllHooks\": true,\n  \"theme\": {\n    \"dark\": 1\n  }\n}\n", string(got)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	for _, damaged := range []string{"null", "{", `{"disableAllHooks":"no"}`} {
		write(damaged)
		if _, err := settings.Get(); err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("Get of %s: %v, want invalid", damaged, err)
		}
	}
	if _, err := settings.HooksDisabled(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("HooksDisabled: %v, want invalid", err)
	}
}
