package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func doctorCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is configured, what can be reached, and what to do next",
		Long: `Say what is configured and from where, whether sessions can be kept, whether the
provider answers and has the model, and what to do next. It exits 0 if a run
would work, else 1. No secret is printed.`,
		Example: `  sidestick doctor
  OPENAI_BASE_URL=http://localhost:11434/v1 sidestick doctor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := o.config()
			if err != nil {
				return err
			}
			return o.examine(cmd.Context(), cfg)
		},
	}
}

// examine prints the settings and the checks, and fails if a run would.
func (o *options) examine(ctx context.Context, cfg config.Config) error {
	look := terminal.PaintFor(o.sys.Stdout, o.sys.Getenv)
	found := []finding{checkHome(cfg)}
	found = append(found, checkProvider(ctx, cfg)...)
	report := settings(cfg, look) + "\n" + checks(found, look)
	next := `Ready. Try: sidestick run "Say hello."`
	var failed []string
	for _, f := range found {
		if f.grade == bad {
			failed = append(failed, f.about)
		}
	}
	if len(failed) > 0 {
		next = "To see it work without a model: sidestick demo"
	}
	if _, err := io.WriteString(o.sys.Stdout, report+"\n"+next+"\n"); err != nil {
		return err
	}
	if len(failed) > 0 {
		return errors.New("not ready: " + strings.Join(failed, ", "))
	}
	return nil
}

// settings is every setting and its origin, the unset ones in one line.
func settings(cfg config.Config, look terminal.Paint) string {
	var b strings.Builder
	var unset []string
	b.WriteString(look.Bold("Settings") + "\n")
	for _, l := range cfg.Describe() {
		if l.From == config.Unset {
			unset = append(unset, l.Name)
			continue
		}
		fmt.Fprintf(&b, "  %s  %s  %s\n", timeline.Pad(l.Name, 16), timeline.Pad(l.Value, 34), look.Dim(l.From))
	}
	if len(unset) > 0 {
		b.WriteString(look.Dim(wrap("  "+timeline.Pad("not set", 16)+"  ", strings.Join(unset, ", "))))
	}
	return b.String()
}

// checks is the findings, and below each what to do about it.
func checks(found []finding, look terminal.Paint) string {
	var b strings.Builder
	b.WriteString(look.Bold("Checks") + "\n")
	for _, f := range found {
		mark := map[grade]string{good: look.Green("ok  "), fair: look.Yellow("note"), bad: look.Red("FAIL")}[f.grade]
		b.WriteString("  " + mark + "  " + strings.TrimLeft(wrap(strings.Repeat(" ", 8)+timeline.Pad(f.about, 10), f.is), " "))
		if f.next != "" {
			b.WriteString(wrap(strings.Repeat(" ", 18)+"→ ", f.next))
		}
	}
	return b.String()
}

// wrap lays text out after a prefix in lines of at most [columns], those after
// the first indented by the prefix's width. It ends with a line feed.
func wrap(prefix, text string) string {
	var b strings.Builder
	indent := len([]rune(prefix))
	b.WriteString(prefix)
	used := indent
	for i, word := range strings.Fields(timeline.Harmless(text)) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case used+1+n > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String() + "\n"
}
