package app

import (
	"context"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// The list has each provider at once, and its models as soon as it has answered; one that fails says
// why.
func TestModelsAreOfferedAsTheyCome(t *testing.T) {
	server := modeltest.NewServer()
	defer server.Close()
	url, err := server.Listen()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SIDESTICK_HOME": t.TempDir(), "SIDESTICK_BASE_URL": url + "/v1", "SIDESTICK_MODEL": "scripted"}
	getenv := func(name string) string { return env[name] }
	cfg, err := config.Load(config.Flags{}, getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	var told [][]page.Provider
	if err := offerModels(context.WithoutCancel(t.Context()), &cli.Options{Sys: cli.System{Getenv: getenv}}, cfg, func(all []page.Provider) { told = append(told, all) }); err != nil {
		t.Fatal(err)
	}
	if len(told) < 2 || told[0][0].Asked || told[0][0].Name == "" {
		t.Fatalf("%+v", told)
	}
	last := told[len(told)-1][0]
	if !last.Asked || last.Err == "" && !slices.ContainsFunc(last.Models, func(m page.Model) bool { return m.Name != "" }) {
		t.Errorf("%+v", last)
	}
}
