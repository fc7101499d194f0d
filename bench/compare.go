package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
)

// figure is one number that a scenario measured.
type figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// result is one run of one scenario with one runtime.
type result struct {
	Scenario string   `json:"scenario"`
	Runtime  string   `json:"runtime"` // a or b
	Round    int      `json:"round"`   // from 1
	Figures  []figure `json:"figures"`
	Error    string   `json:"error,omitempty"`
}

// measure runs every scenario in every round, the runtimes in turns. show gets each
// result as it is there. The error joins those of the runs that failed; their results
// are returned, too.
func (p plan) measure(ctx context.Context, model *model, show func(result) error) ([]result, error) {
	var results []result
	var failed []error
	for _, s := range p.scenarios {
		for round := range p.rounds {
			for _, of := range p.order(round) {
				r, err := p.once(ctx, model, s, of)
				if err != nil {
					r.Error = err.Error()
					failed = append(failed, fmt.Errorf("%s with -%s, round %d: %w", s.name, of.role, round+1, err))
				}
				r.Round = round + 1
				results = append(results, r)
				if err := show(r); err != nil {
					return results, err
				}
				if ctx.Err() != nil {
					return results, errors.Join(failed...)
				}
			}
		}
	}
	return results, errors.Join(failed...)
}

// order is the order of the runtimes in a round: they take turns at being first.
func (p plan) order(round int) []subject {
	order := slices.Clone(p.subjects)
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// once runs a scenario in a home and a working directory of its own.
func (p plan) once(ctx context.Context, model *model, s scenario, of subject) (result, error) {
	r := result{Scenario: s.name, Runtime: of.role}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	b, err := newBench(of, model, p.sizes, dir)
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	r.Figures, err = s.run(ctx, b)
	return r, err
}

func printJSON(out io.Writer, r result) error { return json.NewEncoder(out).Encode(r) }

// row is one figure over all rounds.
type row struct {
	scenario, name, unit string
	values               map[string][]float64 // by runtime, a round after the other
}

// rows gathers the figures of all results, in the order in which they first appear.
func rows(results []result) []row {
	var all []row
	for _, r := range results {
		for _, f := range r.Figures {
			i := slices.IndexFunc(all, func(o row) bool { return o.scenario == r.Scenario && o.name == f.Name })
			if i < 0 {
				i, all = len(all), append(all, row{r.Scenario, f.Name, f.Unit, map[string][]float64{}})
			}
			all[i].values[r.Runtime] = append(all[i].values[r.Runtime], f.Value)
		}
	}
	return all
}

// ratio is the median of b divided by a, round by round; false if a round of one of
// them is missing or a is 0.
func (r row) ratio() (float64, bool) {
	a, b := r.values["a"], r.values["b"]
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	ratios := make([]float64, len(a))
	for i := range a {
		if a[i] == 0 {
			return 0, false
		}
		ratios[i] = b[i] / a[i]
	}
	return median(ratios), true
}

// printTable prints a line for each figure: the median of each runtime with the
// smallest and largest value, and the ratio.
func printTable(out io.Writer, p plan, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "scenario\tfigure\tunit")
	for _, s := range p.subjects {
		fmt.Fprintf(w, "\t%s", s.role)
	}
	if len(p.subjects) == 2 {
		fmt.Fprint(w, "\tb/a")
	}
	fmt.Fprintln(w)
	for _, r := range rows(results) {
		fmt.Fprintf(w, "%s\t%s\t%s", r.scenario, r.name, r.unit)
		for _, s := range p.subjects {
			fmt.Fprintf(w, "\t%s", spread(r.values[s.role]))
		}
		if ratio, ok := r.ratio(); ok {
			fmt.Fprintf(w, "\t%.2f", ratio)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// spread is "2.1 (1.9 to 2.6)", or "2.1" of one value.
func spread(values []float64) string {
	switch len(values) {
	case 0:
		return "–"
	case 1:
		return number(values[0])
	}
	return fmt.Sprintf("%s (%s to %s)", number(median(values)), number(slices.Min(values)), number(slices.Max(values)))
}

// number prints three digits of a small number and all of a large one.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// percentile is the value below which the share p of the values lies, 0 of none.
// p is 0 to 1.
func percentile[T cmp.Ordered](values []T, p float64) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(p*float64(len(sorted)-1))]
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
