package agentcmd

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

//go:embed newagent
var newAgentFiles embed.FS

func newCommand(o *cli.Options) *cobra.Command {
	n := &newAgent{}
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Create a small working agent in Go",
		Long: `Create a small working agent in Go: main.go, go.mod, README.md and platform.pem,
which is the public key of this Sidestick, so that others cannot call the agent.
DIR is created; if it exists, it must be empty.

The agent's go.mod requires the version of Sidestick that you have installed. If
your program was built from a checkout, go.mod points to a checkout instead: the
one of --replace, or the one that contains DIR or the working directory. Without
any of these nothing is written.`,
		Example: `  sidestick agent new parrot
  sidestick agent new ~/agents/tide --module example.com/tide
  sidestick agent new /tmp/parrot --replace ~/src/sidestick`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.typed, n.dir = args[0], cli.Absolute(args[0])
			return writeAgent(cmd.Context(), o, n)
		},
	}
	cmd.Flags().StringVar(&n.module, "module", "", "`name` of its module (default the folder's name)")
	cmd.Flags().StringVar(&n.replace, "replace", "", "`path` of a checkout of Sidestick to build against")
	return cmd
}

// newAgent is what the files are made from.
type newAgent struct {
	typed   string // the folder, as the command line has it
	dir     string // the same, absolute
	module  string
	replace string // the checkout, absolute; "" is none
	version string // of our module; "" is none
}

// Name is what the agent's program is called.
func (n *newAgent) Name() string { return n.module[strings.LastIndex(n.module, "/")+1:] }

// moduleName is what a Go module can be called, as far as we need to know.
// Source: golang.org/x/mod/module.CheckPath.
var moduleName = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)
}}

func writeAgent(ctx context.Context, o *cli.Options, n *newAgent) error {
	if err := n.complete(); err != nil {
		return err
	}
	signer, err := signerOf(ctx, o)
	if err != nil {
		return err
	}
	files, err := n.files()
	if err != nil {
		return err
	}
	if files["platform.pem"], err = publicPEM(signer); err != nil {
		return err
	}
	if err := n.write(files); err != nil {
		return err
	}
	err = cli.Print(o.Sys.Stdout, n.next())
	return err
}

// complete fills in defaults, and refuses what cannot work.
func (n *newAgent) complete() error {
	if n.module == "" {
		n.module = filepath.Base(n.dir)
	}
	if !moduleName.Get().MatchString(n.module) {
		return cli.NewUsageError(fmt.Errorf("%q cannot be the name of a Go module; give another with --module", n.module))
	}
	if err := vacant(n.dir); err != nil {
		return err
	}
	if n.replace != "" {
		n.replace = cli.Absolute(n.replace)
		if !isCheckout(n.replace) {
			return cli.NewUsageError(fmt.Errorf("--replace %s: there is no go.mod of %s", n.replace, modulePath))
		}
		return nil
	}
	if n.version = installed(); n.version == "" {
		n.replace = checkout(n.dir)
	}
	if n.version == "" && n.replace == "" {
		return cli.NewUsageError(errors.New("the agent could not be built: this Sidestick was built from a checkout that was not found, " +
			"and no version of its module is published yet (name a checkout with --replace PATH)"))
	}
	return nil
}

// vacant checks that a folder is empty or does not exist.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return &fault.Error{Op: "app.newAgent", On: dir, Kind: fault.Invalid, Err: cli.Reason(err)}
	}
	return &fault.Error{
		Op: "app.newAgent", On: dir, Kind: fault.Conflict, Hint: "give a folder that does not exist yet",
		Err: fmt.Errorf("the folder is not empty: %s is in it", entries[0].Name()),
	}
}

// modulePath is the module that agents import.
const modulePath = "github.com/sidestick-dev/sidestick"

// installed is the version of our module that this program was installed at; "" if
// it was built from a checkout, whose version need not be anywhere else.
func installed() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == modulePath && info.Main.Sum != "" {
		return info.Main.Version
	}
	return ""
}

// checkout is the checkout of our module that dir or the working directory is in; ""
// for none.
func checkout(dir string) string {
	for _, d := range []string{dir, cli.Absolute(".")} {
		for ; filepath.Dir(d) != d; d = filepath.Dir(d) {
			if isCheckout(d) {
				return d
			}
		}
	}
	return ""
}

func isCheckout(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && bytes.HasPrefix(mod, []byte("module "+modulePath+"\n"))
}

// goVersion is the oldest Go that builds the agent, since it is the oldest that
// builds package extension.
const goVersion = "1.26.0"

// goMod is the agent's go.mod, which requires our module at a version or in a checkout.
func (n *newAgent) goMod() string {
	text := "module " + n.module + "\n\ngo " + goVersion + "\n"
	if n.replace != "" {
		return text + "\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + quoted(n.replace) + "\n"
	}
	return text + "\nrequire " + modulePath + " " + n.version + "\n"
}

// quoted is a path as go.mod requires it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \"'`()[]{},") || strings.Contains(path, "//") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// files is the text of every file by its name.
func (n *newAgent) files() (map[string]string, error) {
	files := map[string]string{"go.mod": n.goMod()}
	for _, name := range []string{"main.go", "README.md"} {
		text, err := newAgentFiles.ReadFile("newagent/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		files[name] = strings.ReplaceAll(string(text), "{{.Name}}", n.Name())
	}
	return files, nil
}

// write writes the files, which must not exist.
func (n *newAgent) write(files map[string]string) error {
	if err := os.MkdirAll(n.dir, 0o755); err != nil {
		return &fault.Error{Op: "app.newAgent", On: n.dir, Kind: fault.Unavailable, Err: cli.Reason(err)}
	}
	for name, text := range files {
		f, err := os.OpenFile(filepath.Join(n.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return &fault.Error{Op: "app.newAgent", On: filepath.Join(n.dir, name), Kind: fault.Unavailable, Err: cli.Reason(err)}
		}
	}
	return nil
}

// next is what the user can do with the agent.
func (n *newAgent) next() string {
	steps := []string{"cd " + cli.ShellWord(n.typed)}
	about := "It is built against " + n.replace + "."
	if n.replace == "" {
		steps = append(steps, "go mod tidy")
		about = "It is built against Sidestick " + n.version + "."
	}
	steps = append(steps, "go run .")
	return "Wrote " + n.typed + ". " + about + "\n\nNext:\n  " + strings.Join(steps, "\n  ") +
		"\n\nThen, in another terminal:\n  sidestick agent check http://127.0.0.1:8080\n  sidestick agent chat http://127.0.0.1:8080\n" +
		"\nTo try it with gh-debug-cli, which signs nothing:\n  go run . -unsigned\n  gh debug-cli chat --url http://127.0.0.1:8080/ --username \"$USER\"\n"
}
