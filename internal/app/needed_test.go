package app

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

func TestOnlyTheCommandsThatTheArgumentsAreAboutAreMade(t *testing.T) {
	for args, want := range map[string]string{
		"run hello":                            "run",
		"mcp add --help":                       "mcp",
		"--headless --log-level debug --stdio": "",
		"--no-auto-update --server":            "",
		"":                                     "all",
		"--help":                               "all",
		"-h":                                   "all",
		"--server --help":                      "all",
		"--server -vh":                         "all",
		"help run":                             "all",
		"completion bash":                      "all",
		"__complete run":                       "all",
		"rnu hello":                            "all",
		"--version":                            "all",
		"--headless run":                       "all",
		"--log-level debug --stdio --headless mcp": "all",
	} {
		var names []string
		for _, c := range needed(strings.Fields(args)) {
			names = append(names, c.name)
		}
		got := strings.Join(names, " ")
		if len(names) == len(commands()) {
			got = "all"
		}
		if got != want {
			t.Errorf("sidestick %s makes the commands %q, want %q", args, got, want)
		}
	}
}

func TestCommandsHaveTheNamesOfTheirList(t *testing.T) {
	for _, c := range commands() {
		if name := c.make(&cli.Options{}).Name(); name != c.name {
			t.Errorf("the command %s is called %s", c.name, name)
		}
	}
}
