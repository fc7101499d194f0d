package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
)

// checkWait bounds each check. The user waits for it.
const checkWait = 5 * time.Second

// checkHome finds out whether sessions can be stored, and the saved approvals read. If the disk hangs, as network disks
// do, the check is abandoned, because nothing can interrupt it.
func checkHome(cfg config.Config) []cli.Check {
	home := cli.Absolute(cfg.Home.Value)
	done := make(chan []cli.Check, 1)
	go func() { done <- tryHomeAndApprovals(home) }()
	select {
	case f := <-done:
		return f
	case <-time.After(checkWait):
		return []cli.Check{{About: "home", Is: fmt.Sprintf("%s did not answer in %v", home, checkWait), Next: "is it on a network disk?"}}
	}
}

func tryHomeAndApprovals(home string) []cli.Check {
	found := []cli.Check{tryHome(home)}
	if found[0].Grade != cli.Bad {
		found = append(found, checkApprovals(home)...)
	}
	return found
}

// tryHome writes a file in the home, or where the home would be, and removes it.
func tryHome(home string) cli.Check {
	f := cli.Check{About: "home", Next: "set SIDESTICK_HOME to another directory"}
	dir, err := existing(home)
	if err == nil {
		err = tryWriting(dir)
	}
	switch {
	case err != nil:
		f.Is = fmt.Sprintf("sessions cannot be stored in %s: %v", home, cli.Reason(err))
	case dir == home:
		f.Grade, f.Is, f.Next = cli.Good, "sessions can be stored", ""
	default:
		f.Grade, f.Is, f.Next = cli.Good, "is created with the first session", ""
	}
	return f
}

// existing is the nearest directory at or above path.
func existing(path string) (string, error) {
	for {
		info, err := os.Stat(path)
		switch parent := filepath.Dir(path); {
		case err == nil && info.IsDir():
			return path, nil
		case err == nil:
			return "", fmt.Errorf("%s is a file, not a directory", path)
		case !errors.Is(err, fs.ErrNotExist) || parent == path:
			return "", err
		default:
			path = parent
		}
	}
}

// tried is how many bytes are written as a test: a block of most file systems.
const tried = 4 << 10

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".sidestick-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, tried)) // a full disk creates files and stores nothing in them
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// checkProvider asks the provider for its models, and looks for the one that a
// run would use among them.
func checkProvider(ctx context.Context, o *cli.Options, cfg config.Config) []cli.Check {
	p := cfg.Provider()
	if address, ok := extensions.Address(p.Model); ok {
		return []cli.Check{checkAgentOf(ctx, cfg, address)}
	}
	if p.Kind == config.None {
		return []cli.Check{{
			About: "provider", Is: "none is configured",
			Next: "set OPENAI_BASE_URL, for example to http://localhost:11434/v1, or OPENAI_API_KEY alone for OpenAI; " +
				"sidestick run lists all five ways",
		}}
	}
	found := checkKey(ctx, o, cfg)
	if len(found) > 0 && found[0].Grade == cli.Bad {
		return found
	}
	begin := time.Now()
	list, err := offered(ctx, o, cfg)
	if err != nil {
		return append(found, unreachable(ctx, cfg, p, err))
	}
	took := time.Since(begin).Round(time.Millisecond)
	answers := cli.Check{About: "provider", Grade: cli.Good, Is: fmt.Sprintf("%s answered in %v; models listed: %d", model.PublicAddress(p.BaseURL), took, len(list))}
	return append(found, answers, checkModel(p.Model, list))
}

// unreachable is the check of a provider that could not list its models. Some providers
// have no list, which is no failure.
func unreachable(ctx context.Context, cfg config.Config, p config.Provider, err error) cli.Check {
	if fault.KindOf(err) == fault.NotFound && p.Model != "" && takesCalls(ctx, cfg, p) {
		return cli.Check{
			About: "provider", Grade: cli.Fair, Is: model.PublicAddress(p.BaseURL) + " answers, but lists no models",
			Next: "a run with " + p.Model + " may still work",
		}
	}
	f := cli.Check{About: "provider", Is: model.PublicAddress(p.BaseURL) + ": " + fault.Message(err), Next: "the base URL comes from " + p.From}
	if p.From == config.Default {
		f.Next = "the base URL is " + p.AddressFrom()
	}
	if fault.KindOf(err) == fault.Unavailable {
		f.Next += "; is the server running?"
	}
	return f
}

// takesCalls reports whether the provider has an address for model calls. It sends a call
// without content, which costs nothing: a provider refuses it, but not as an unknown page.
func takesCalls(ctx context.Context, cfg config.Config, p config.Provider) bool {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.BaseURL+"/chat/completions", strings.NewReader("{}"))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	if p.Key != "" {
		req.Header.Set("Authorization", "Bearer "+string(p.Key))
	}
	client := *wiring.HTTPClient(cfg)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // only the status counts
	return resp.StatusCode != http.StatusNotFound && resp.StatusCode/100 != 3
}

// checkModel looks for a model in the provider's list. A model that is missing there may
// still work: providers serve models and aliases that they do not list.
func checkModel(name string, list []modelRow) cli.Check {
	f := cli.Check{About: "model", Grade: cli.Good}
	switch {
	case len(list) == 0 && name == "":
		f.Grade, f.Is, f.Next = cli.Bad, "none is configured, and the provider lists none", "set SIDESTICK_MODEL, or use -m"
	case len(list) == 0:
		f.Grade, f.Is = cli.Fair, "the provider lists no models; "+name+" may still work"
	case name == "":
		f.Is = fmt.Sprintf("none is set; runs use the first listed, %s (SIDESTICK_MODEL sets another)", list[0].ID)
	case !slices.ContainsFunc(list, func(m modelRow) bool { return m.ID == name }):
		f.Grade, f.Is, f.Next = cli.Fair, name+" is not in the provider's list", "it may still work; models in the list: "+some(list)
	default:
		f.Is = name + " is in the provider's list"
	}
	return f
}

// some is the first few models, for a hint.
func some(list []modelRow) string {
	const few = 5
	var ids []string
	for _, m := range list[:min(few, len(list))] {
		ids = append(ids, m.ID)
	}
	if len(list) > few {
		ids = append(ids, "… (sidestick models)")
	}
	return strings.Join(ids, ", ")
}
