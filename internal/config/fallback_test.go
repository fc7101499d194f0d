package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestTheFallbackListIsReadAndChecked(t *testing.T) {
	for _, tc := range []struct {
		flag, env string
		want      []string
		wrong     bool
	}{
		{"", "", nil, false},
		{"a, b:c ,d", "x", []string{"a", "b:c", "d"}, false},
		{"", "x", []string{"x"}, false},
		{"a,,b", "", nil, true},
		{"extension:https://agent.test", "", nil, true},
		{strings.Repeat("m,", 16) + "m", "", nil, true},
	} {
		env := map[string]string{"SIDESTICK_FALLBACK": tc.env}
		cfg, err := config.Load(config.Flags{Fallback: tc.flag}, func(name string) string { return env[name] }, "/home/u")
		if tc.wrong != (fault.KindOf(err) == fault.Invalid) || !tc.wrong && !slices.Equal(cfg.FallbackModels(), tc.want) {
			t.Errorf("%q and %q: %q, %v", tc.flag, tc.env, cfg.FallbackModels(), err)
		}
	}
}
