package mcpcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func addCommand(o *cli.Options) *cobra.Command {
	a := &adding{}
	cmd := &cobra.Command{
		Use:   "add NAME (-- COMMAND [ARGS...] | --url URL)",
		Short: "Add an MCP server to a file",
		Long: `Add an MCP server: a program that is started, or a web service. It is written
into your own file or, with --scope project, into .mcp.json of the project,
which others get with the repository. The rest of the file stays as it is.

Values may refer to variables of your environment as ${NAME}, which keeps
secrets out of the file; quote them for the shell. --env NAME alone does that
for a variable of the same name.`,
		Example: `  sidestick mcp add memory -- npx -y @modelcontextprotocol/server-memory
  sidestick mcp add db --env DB_PASSWORD --scope project -- ./tools/db-server
  sidestick mcp add issues --url https://mcp.example/ --header 'X-Key: ${KEY}'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n < 0 && len(args) > 1 || n > 1 {
				return cli.WrongUsage(cmd, errors.New("write the command of the server behind --, and only its name before"))
			} else if n == 0 {
				return cli.WrongUsage(cmd, errors.New("write the name of the server before --"))
			}
			s, err := open(o, o.Config)
			if err != nil {
				return err
			}
			return s.add(args[0], args[1:], a)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if meant := spelling.Closest(strings.TrimPrefix(err.Error(), "unknown flag: --"), names); meant != "" {
			return cli.WrongUsage(cmd, fmt.Errorf("%w; did you mean --%s?", err, meant))
		}
		return cli.WrongUsage(cmd, fmt.Errorf("%w; the command of a server goes behind --", err))
	})
	f := cmd.Flags()
	f.StringVar(&a.url, "url", "", "the `address` of a web service")
	f.StringVar(&a.kind, "type", "", "how the web service is called, a `protocol`: http or sse (default http)")
	f.StringArrayVar(&a.headers, "header", nil, "send this `header` to the web service, as 'Name: value'; repeatable")
	f.StringVar(&a.issuer, "issuer", "", "sign in although the metadata of the authorization server name this `issuer`")
	f.StringArrayVar(&a.env, "env", nil, "give the program this `variable`, as NAME=value, or NAME for the one of your environment; repeatable")
	f.StringVar(&a.cwd, "cwd", "", "start the program in this `folder` (default the working directory of the session)")
	f.BoolVar(&a.replace, "replace", false, "replace the server of this name in the file")
	a.scope.flag(cmd, "user", "write the file of this `scope`: user or project")
	return cmd
}

// adding is what `mcp add` was given.
type adding struct {
	url, kind, cwd string
	issuer         string
	headers, env   []string
	replace        bool
	scope          scope
}

// scope says whose file is meant: "user", "project", or "" if that is not said.
type scope string

func (s *scope) flag(cmd *cobra.Command, standard, usage string) {
	cmd.Flags().StringVar((*string)(s), "scope", standard, usage)
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"user", "project"}, cobra.ShellCompDirectiveNoFileComp))
}

func (s scope) check() error {
	if s != "" && s != "user" && s != "project" {
		return cli.NewUsageError(fmt.Errorf("--scope is %q, want user or project", string(s)))
	}
	return nil
}

// source is the scope as package mcp names it.
func (s scope) source() string {
	if s == "project" {
		return "workspace"
	}
	return string(s)
}

// written is a configuration in the order in which people write it.
type written struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Issuer  string            `json:"oauthIssuer,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// properName is the name of a server that rules and tools can have.
var properName = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) }}

func (s *opened) add(name string, command []string, a *adding) error {
	config, literal, err := a.configuration(name, command)
	if err != nil {
		return cli.NewUsageError(err)
	}
	if err := a.scope.check(); err != nil {
		return err
	}
	project := ""
	if a.scope == "project" {
		project = s.local.Project
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // people read it
	if err := e.Encode(config); err != nil {
		return err
	}
	if _, err := mcp.OutlineOf(name, text.Bytes()); err != nil {
		return cli.NewUsageError(err)
	}
	path, err := s.local.ServerFiles().Add(project, name, bytes.TrimSpace(text.Bytes()), a.replace)
	if err != nil {
		return err
	}
	if err := cli.Printf(s.Sys.Stdout, "added %s to %s; to try it: sidestick mcp test %s\n", name, s.shortPath(path), cli.IDArgument(name)); err != nil {
		return err
	}
	if project != "" && len(literal) > 0 {
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "note: others can read the values of "+strings.Join(literal, ", ")+" in this file; if they are secrets, write a reference such as ${NAME}"))
	}
	s.effect(name, path)
	return nil
}

// configuration returns what is written, and the names of variables and headers whose values are.
func (a *adding) configuration(name string, command []string) (w written, literal []string, err error) {
	switch {
	case !properName.Get().MatchString(name):
		return w, nil, fmt.Errorf("%q is not a name for a server: letters, digits, ., _ and - only, at most 64", timeline.OneLine(name, terminal.Columns))
	case len(command) == 0 && a.url == "":
		return w, nil, errors.New("what is the server? Write its command behind --, or its address with --url")
	case len(command) > 0 && a.url != "":
		return w, nil, errors.New("a server has either a command or --url")
	case a.url == "" && (len(a.headers) > 0 || a.kind != "" || a.issuer != ""):
		return w, nil, errors.New("--header, --type and --issuer are for a server with --url")
	case a.url != "" && (len(a.env) > 0 || a.cwd != ""):
		return w, nil, errors.New("--env and --cwd are for a server that is a program")
	case a.kind != "" && a.kind != "http" && a.kind != "sse":
		return w, nil, fmt.Errorf("--type is %q, want http or sse", a.kind)
	}
	if a.url != "" {
		w = written{Type: "http", URL: a.url, Headers: map[string]string{}, Issuer: a.issuer}
		if a.kind != "" {
			w.Type = a.kind
		}
		if strings.ContainsAny(a.url, "?@") { // it may hold a key
			literal = literally("the address", a.url)
		}
		for _, text := range a.headers {
			key, value, ok := strings.Cut(text, ":")
			if key, value = strings.TrimSpace(key), strings.TrimSpace(value); !ok || key == "" || value == "" {
				return w, nil, errors.New("a --header is not of the form 'Name: value'")
			}
			w.Headers[key] = value
			literal = append(literal, literally(key, value)...)
		}
		return w, literal, nil
	}
	w = written{Type: "stdio", Command: command[0], Args: command[1:], Cwd: a.cwd, Env: map[string]string{}}
	for _, text := range a.env {
		key, value, ok := strings.Cut(text, "=")
		if key == "" || strings.ContainsAny(key, " \t${}") {
			return w, nil, errors.New("an --env is not of the form NAME=value or NAME")
		}
		if !ok {
			value = "${" + key + "}"
		}
		w.Env[key] = value
		literal = append(literal, literally(key, value)...)
	}
	return w, literal, nil
}

// literally returns the name if its value refers to no variable.
func literally(name, value string) []string {
	if strings.Contains(value, "${") {
		return nil
	}
	return []string{name}
}

// effect prints why a server that was added is not started, if it is not.
func (s *opened) effect(name, path string) {
	all, _ := s.local.FoundServers()
	for _, one := range all {
		if one.Name != name || one.Path != path || one.Why == "" {
			continue
		}
		text := "note: sessions do not start it: " + one.Why
		if one.Untrusted && !strings.Contains(text, "sidestick trust") {
			text += "; to trust it: sidestick trust"
		}
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, timeline.Harmless(text)))
	}
}
