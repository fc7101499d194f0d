package agent

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// The names of the built-in agents. Source: the agent types in the SDK's recordings, which
// models of the Copilot service know.
const (
	Explore        = "explore"
	Task           = "task"
	GeneralPurpose = "general-purpose"
	CodeReview     = "code-review"
)

// The instructions of the built-in agents, each in a file of its own.
var (
	//go:embed builtin/explore.md
	exploreText string
	//go:embed builtin/task.md
	taskText string
	//go:embed builtin/general-purpose.md
	generalText string
	//go:embed builtin/code-review.md
	reviewText string
)

// Builtins returns the agents that come with the program, in the order in which a model is
// offered them. The caller does not modify the slice.
func Builtins() []Definition { return builtins.Get() }

var builtins = lazy.Value[[]Definition]{Make: func() []Definition {
	reading := fact.Names(fact.Read, fact.Search)
	return []Definition{
		{
			Name: Explore, DisplayName: "Explore", Description: "Answers questions about code by searching and reading it; changes nothing.",
			Prompt: strings.TrimSpace(exploreText), Tools: reading, Infer: true,
		},
		{
			Name: Task, DisplayName: "Task", Description: "Runs one command or step, such as tests or a build, and reports briefly.",
			Prompt: strings.TrimSpace(taskText), Infer: true,
		},
		{
			Name: GeneralPurpose, DisplayName: "General purpose", Description: "Does a task of several steps on its own, with all tools.",
			Prompt: strings.TrimSpace(generalText), Infer: true,
		},
		{
			Name: CodeReview, DisplayName: "Code review", Description: "Reviews changes and reports real problems; changes nothing.",
			Prompt: strings.TrimSpace(reviewText), Tools: append(slices.Clip(reading), fact.Bash, fact.ReadBash, fact.StopBash), Infer: true,
		},
	}
}}
