package markdown

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// written is a paragraph with its styles: b(bold), i(italic), s(struck), c(code), l(a link).
func written(source string, growing bool) string {
	var out []string
	for _, line := range spans(source, row.Plain, growing) {
		var b strings.Builder
		for _, s := range line {
			text := s.Text
			for _, a := range []struct {
				style row.Style
				name  string
			}{{row.Dim, "d"}, {row.Strike, "s"}, {row.Italic, "i"}, {row.Bold, "b"}} {
				if s.Style.Is(a.style) {
					text = a.name + "(" + text + ")"
				}
			}
			switch s.Style & 0xff {
			case row.Code:
				text = "c(" + text + ")"
			case row.Link:
				text = "l(" + text + ")"
			}
			b.WriteString(text)
		}
		out = append(out, b.String())
	}
	return strings.Join(out, "/")
}

func TestInline(t *testing.T) {
	for source, want := range map[string]string{
		"a *b* _c_ **d** __e__ ~~f~~ ~g~":         "a i(b) i(c) b(d) b(e) s(f) s(g)",
		"***a** b*":                               "b(i(a))i( b)",
		"***a***":                                 "b(i(a))",
		"**a *b **c":                              "**a *b **c",
		"*a **b* c":                               "*a *i(b) c",
		"snake_case_name 2*3*4 a * b":             "snake_case_name 2i(3)4 a * b",
		"**「重要」**です":                              "b(「重要」)です",
		"中文**（粗体）**中文":                            "中文b(（粗体）)中文",
		"`a` ``b`c`` ` d` `e\nf` ``g`":            "c(a) c(b`c) c( d) c(e f) ``g`",
		"`*a*` *`b`*":                             "c(*a*) c(i(b))",
		"\\*a\\* \\a \\\\":                        `*a* \a \`,
		"a\\\nb  \nc\nd":                          "a/b/c d",
		"&amp; &lt;b&gt; &#42;a&#42; &bogus; &":   "& <b> *a* &bogus; &",
		"&#27;[2J a&#10;b":                        "\ufffd[2J a b",
		"[a](https://x.example)":                  "l(a)d( (https://x.example))",
		"[https://x.example](https://x.example)":  "l(https://x.example)",
		"[https://x.example](https://y.example)":  "l(https://x.example)d( (https://y.example))",
		"[*a* `b`](c.md \"title\")":               "l(i(a))l( )c(b)d( (c.md))",
		"[a](<b c>) [d]() [](e)":                  "l(a)d( (b c)) l(d) d(e)",
		"[a](b(c)d) [e](f":                        "l(a)d( (b(c)d)) [e](f",
		"[a [b](c) d](e)":                         "[a l(b)d( (c)) d](e)",
		"[a] [b][c] [^1]":                         "[a] [b][c] [^1]",
		"![a cat](cat.png)":                       "l(a cat)d( (cat.png))",
		"[a](javascript:x) [b](a\u200bb)":         "l(a)d( (javascript:x)) l(b)d( (a<U+200B>b))",
		"<https://x.example/a_b_c> <a@b.example>": "l(https://x.example/a_b_c) l(a@b.example)",
		"see https://x.example/a_b_c(d). (https://y.example) xhttps://z": "see l(https://x.example/a_b_c(d)). (l(https://y.example)) xhttps://z",
		"<b>a *b*</b> <a href=\"*x*\"> a < b > c":                        "<b>a i(b)</b> <a href=\"*x*\"> a < b > c",
		"<details>\n<summary>a</summary>":                                "<details>/<summary>a</summary>",
		"a\tb":                                                           "a b",
	} {
		if got := written(source, false); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", source, got, want)
		}
	}
}

// A click opens only addresses of the web and of mail.
func TestLinks(t *testing.T) {
	for source, want := range map[string]string{
		"[a](https://x.example)": "https://x.example", "<HTTP://x.example>": "HTTP://x.example", "<a@b.example>": "mailto:a@b.example", "https://x.example": "https://x.example",
		"[a](file:///etc/passwd)": "", "[a](javascript:x)": "", "[a](vscode://x)": "", "[a](b.md)": "", "[a](https://x&#7;y)": "", "text": "",
	} {
		if got := spans(source, row.Plain, false)[0][0].Link; got != want {
			t.Errorf("%q links to %q, want %q", source, got, want)
		}
	}
}

// Emphasis that has begun is shown as such while its end is missing, so that its marks do not flicker.
func TestGrowing(t *testing.T) {
	for source, want := range map[string]string{
		"a **b c": "a b(b c)", "a `b c": "a c(b c)", "**a `b": "b(a )c(b(b))", "a *.go": "a *.go", "a **": "a **", "a `": "a `", "[a **b": "[a b(b)", "**a** b": "b(a) b",
	} {
		if got := written(source, true); got != want {
			t.Errorf("%q: %s, want %s", source, got, want)
		}
	}
}
