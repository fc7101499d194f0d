package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session/usersettings"
)

func getUserSettings(_ context.Context, c *conn, _ none) (any, error) {
	all, err := c.home().Sessions.Settings().Get()
	return struct {
		Settings map[string]usersettings.Setting `json:"settings"`
	}{all}, err
}

// setUserSettings answers that no setting is hidden by another file: there is one file.
func setUserSettings(ctx context.Context, c *conn, p struct {
	Settings map[string]json.RawMessage `json:"settings"`
},
) (any, error) {
	return struct {
		ShadowedKeys []string `json:"shadowedKeys"`
	}{[]string{}}, c.home().Sessions.Settings().Set(ctx, p.Settings)
}

// reloadUserSettings has no copy to replace: the file is read each time. It reports whether it
// can be read.
func reloadUserSettings(_ context.Context, c *conn, _ none) (any, error) {
	_, err := c.home().Sessions.Settings().Get()
	return none{}, err
}
