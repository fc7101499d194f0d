package app

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// checkToolSet says which set of tools a model of the list gets, and why. An empty name is the first of the list.
func checkToolSet(setting config.Setting[string], name string, list []modelRow) cli.Check {
	var window int64
	for i, r := range list {
		if r.ID == name || name == "" && i == 0 {
			window = r.PromptTokens
			if window == 0 {
				window = r.ContextTokens
			}
		}
	}
	f := cli.Check{About: "tools", Grade: cli.Good, Is: "all"}
	if session.SmallSet(setting.Value, window) {
		f.Is = "the small set"
	}
	switch {
	case setting.Value != config.ToolSetAuto:
		f.Is += fmt.Sprintf(", because %s says %q", setting.From, setting.Value)
	case window == 0:
		f.Is += ", because the window of the model is not known"
	default:
		f.Is += fmt.Sprintf(", because the window is %s tokens", timeline.Count(window))
	}
	return f
}

// testTool is the tool that the test call offers.
const testTool = "report"

// sentAsText says how the answer to the test call has called the tool, as the end of a sentence.
func sentAsText(resp *model.Response) string {
	looksSo := strings.Contains(resp.Text, testTool) && strings.ContainsAny(resp.Text, "{<[")
	switch {
	case len(resp.ToolCalls) > 0 && !resp.CallsInText:
		return "; it calls tools"
	case resp.CallsInText, looksSo:
		said := "; this server passes tool calls as text"
		if resp.CallsInText {
			said += ", which Sidestick reads"
		}
		return said + ": start llama-server with --jinja, or vLLM with --enable-auto-tool-choice --tool-call-parser NAME"
	}
	return "; it did not call the tool that it was offered"
}
