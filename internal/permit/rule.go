package permit

import (
	"path"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Rule allows or denies one kind of request. Whether it allows or denies depends on the
// list that it is in.
type Rule struct {
	// Kind is the kind of request.
	Kind Kind
	// Argument narrows the rule; empty covers the whole kind. Its meaning depends on Kind:
	//
	//	shell        a program, with its subcommand where it has one: "ls", "git status".
	//	             "git:*" is every command that begins with these words. Three or more
	//	             words are exactly that command.
	//	read, write  a path below the primary folder, or an absolute one. * and ? do not
	//	             cross a slash, ** does.
	//	url          a host, with "*." before it for all hosts below it, and optionally a path:
	//	             "example.com", "*.example.com", "https://example.com/docs". Without
	//	             a scheme it is https.
	//	custom-tool  the tool's name, or that of an MCP server: all its tools
	//	mcp          a server, or a server with one of its tools: "github", "github(create_issue)"
	Argument string
	// From is where the rule came from, such as "flag --deny-tool". It is shown to the
	// user and never compared.
	From string
}

// String returns the rule as the command line writes it.
func (r Rule) String() string {
	switch {
	case r.Kind == CustomTool && r.Argument != "":
		return r.Argument
	case r.Argument == "":
		return string(r.Kind)
	}
	return string(r.Kind) + "(" + r.Argument + ")"
}

// Same reports whether two rules are equal, wherever they came from.
func (r Rule) Same(other Rule) bool { return r.Kind == other.Kind && r.Argument == other.Argument }

// withSource returns the rule and where it came from, for reasons.
func (r Rule) withSource() string {
	if r.From == "" {
		return r.String()
	}
	return r.String() + " (" + r.From + ")"
}

// maxRule bounds a rule, in bytes. Rules are written by hand.
const maxRule = 4096

// ParseRule parses a rule as the command line writes it: "shell", "shell(git:*)",
// "write(src/**)", "url(example.com)", or the name of a tool. Anything else, and a rule that
// could never match, is [fault.Invalid], and the message says what to write instead. From is
// left empty.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	kind, argument, narrowed := strings.Cut(text, "(")
	switch {
	case text == "":
		return Rule{}, invalid(text, "a rule cannot be empty")
	case len(text) > maxRule:
		return Rule{}, invalid(text[:40]+"…", "a rule is at most %d bytes", maxRule)
	case narrowed && !strings.HasSuffix(argument, ")"):
		return Rule{}, invalid(text, "the closing ) is missing at its end")
	case !narrowed && strings.ContainsAny(text, ") \t\n"):
		return Rule{}, invalid(text, "a command goes into shell(…), as in shell(git status)")
	}
	argument = strings.TrimSpace(strings.TrimSuffix(argument, ")"))
	if narrowed && argument == "" {
		return Rule{}, invalid(text, "there is nothing between ( and ); leave out the parentheses to cover the whole kind")
	}
	r, err := NewRule(strings.TrimSpace(kind), argument, narrowed)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return Rule{}, err
	}
	return r, nil
}

// NewRule returns the rule for a kind and argument of the protocol, where "commands" is
// another name for "shell". An unknown kind is the name of a tool, or an error if
// narrowed is set, as it is for a rule with an argument in parentheses. The rule may be one
// that never matches: approvals that were stored earlier, and those of other runtimes, are
// read as they are.
func NewRule(kind, argument string, narrowed bool) (Rule, error) {
	r := Rule{Kind: Kind(kind), Argument: argument}
	switch r.Kind {
	case "commands", Shell:
		if r.Kind = Shell; !hasInvisible(argument) {
			r.Argument = strings.Join(strings.Fields(argument), " ")
		}
		return r, checkShell(r.Argument)
	case Read, Write:
		return r, checkPattern(argument)
	case URL:
		return r, checkAddress(argument)
	case CustomTool:
		return r, nil
	case MCP:
		return r, checkServer(argument)
	}
	if narrowed {
		return Rule{}, invalid(r.String(), "there is no kind of rule %q; the kinds are shell, read, write, url and mcp; a tool is named without parentheses, and one of an MCP server is mcp(%s)", kind, serverTool(kind, argument))
	}
	return Rule{Kind: CustomTool, Argument: kind}, nil
}

// serverTool is what a rule with an unknown kind would be as one for a tool of an MCP server: other
// programs write "github(create_issue)". A kind in capitals is none of a server.
func serverTool(kind, argument string) string {
	for _, known := range []Kind{Shell, Read, Write, URL, MCP} {
		if strings.EqualFold(kind, string(known)) {
			return "SERVER(TOOL)"
		}
	}
	return kind + "(" + argument + ")"
}

func checkShell(argument string) error {
	words := strings.Fields(strings.TrimSuffix(argument, ":*"))
	switch {
	case argument == "":
		return nil
	case len(words) == 0 || words[0] == "*":
		return invalid("shell("+argument+")", "to cover every command, write shell")
	case strings.Contains(strings.Join(words, " "), "*") && len(words) < 3:
		return invalid("shell("+argument+")", "a * is allowed only at the end, after a colon, as in shell(git:*)")
	}
	return nil
}

func checkPattern(argument string) error {
	switch {
	case argument == "":
		return nil
	case strings.HasPrefix(argument, "~"):
		return invalid(argument, "write the path of the home folder; ~ is not expanded in rules")
	case argument != "." && path.Clean(argument) != strings.TrimSuffix(argument, "/") && argument != "/":
		return invalid(argument, "the path is not in its shortest form; write %s", path.Clean(argument))
	case argument == ".." || strings.HasPrefix(argument, "../"):
		return invalid(argument, "a path outside the folder that the session works in has to be absolute")
	}
	return nil
}

func checkAddress(argument string) error {
	if argument == "" {
		return nil
	}
	if _, ok := parseAddressRule(argument); !ok {
		return invalid("url("+argument+")", "an address is a host, optionally with * as its first label or with a path, as in *.example.com or https://example.com/docs")
	}
	return nil
}

func invalid(on, format string, args ...any) error {
	return fault.New(fault.Invalid, "rule", on, format, args...)
}
