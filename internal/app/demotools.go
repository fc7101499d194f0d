package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/client"
)

// todoTools are the tools that the demo's program brings. They run in that
// program, on a real file, as those of any program on an SDK do. Reading needs
// no permission; writing is asked for.
func todoTools(dir string, doing func(ctx context.Context, what string)) []client.Tool {
	path := filepath.Join(dir, "todo.txt")
	return []client.Tool{{
		Name: "read_todo", Description: "Returns todo.txt, a task a line: [ ] is open, [x] is done.", SkipPermission: true,
		Run: func(ctx context.Context, _ json.RawMessage) (string, error) {
			doing(ctx, "reads todo.txt")
			text, err := os.ReadFile(path)
			return string(text), err
		},
	}, {
		Name: "mark_done", Description: "Marks the task on a line of todo.txt as done. Lines count from 1.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"line":{"type":"integer","minimum":1}},"required":["line"]}`),
		Run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
			var a struct{ Line int }
			if err := json.Unmarshal(arguments, &a); err != nil {
				return "", err
			}
			doing(ctx, fmt.Sprintf("writes line %d of todo.txt", a.Line))
			return markDone(path, a.Line)
		},
	}}
}

func markDone(path string, line int) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(text), "\n")
	if line < 1 || line > len(lines) || !strings.HasPrefix(lines[line-1], "[ ]") {
		return "", fmt.Errorf("line %d of todo.txt is no open task", line)
	}
	lines[line-1] = strings.Replace(lines[line-1], "[ ]", "[x]", 1)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("line %d is marked as done", line), nil
}
