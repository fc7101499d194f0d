package tool

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://example.com/docs/page")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestMarkdown(t *testing.T) {
	for _, tc := range []struct{ name, html, want string }{
		{"paragraphs", "<p>One\n two.</p><p>Three.</p>", "One two.\n\nThree."},
		{"spaces between pieces", "a<b> b</b> <i>c</i>d", "a b cd"},
		{"headings", "<h1>A <em>b</em></h1><h3>C</h3>text", "# A b\n\n### C\n\ntext"},
		{"the title, if there is no heading", "<head><title> A\nB </title></head><body><p>x", "# A B\n\nx"},
		{"the title, if there is one", "<title>A</title><h1>B</h1>", "# B"},
		{"links", `<a href="/a b?x=(1)">A <b>link</b></a>, <a href="p#s">x</a>`, "[A link](https://example.com/a%20b?x=%281%29), [x](https://example.com/docs/p#s)"},
		{"links that lead nowhere", `<a href="javascript:x()">a</a> <a>b</a> <a href="data:text/html,x">c</a>`, "a b c"},
		{"links without text", `x <a href="/a"><img src="i.png"></a> y`, "x y"},
		{"links around blocks", `<a href="/a"><div><h2>Card</h2><p>text</p></div></a>`, "[Card text](https://example.com/a)"},
		{"images", `<img alt="A  cat" src="cat.png"><img src="x.png">`, "![A cat](https://example.com/docs/cat.png)"},
		{"lists", "<ul><li>a<li><p>b</p><ol><li>c</li><li>d</li></ol></li></ul>after", "- a\n- b\n\n  1. c\n  2. d\n\nafter"},
		{"quotes", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc"},
		{"code", "use <code>x  y</code>.<pre><code>if a {\n\tb\n}\n</code></pre>end", "use `x y`.\n\n```\nif a {\n\tb\n}\n```\n\nend"},
		{"code with a fence", "<pre>```\nx</pre>", "````\n```\nx\n````"},
		{"tables", "<table><tr><th>a</th><th>b</th></tr><tr><td><p>1</p></td><td>2</td></tr></table>x", "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nx"},
		{"line breaks and rules", "a<br>b<hr>c", "a\nb\n\n---\n\nc"},
		{"entities", "&lt;a&gt; &amp; &eacute;&nbsp;x", "<a> & é x"},
		{"what is not seen", "a<script>if (a<b) x()</script><style>p{}</style><!-- c --><noscript>n</noscript><svg><title>t</title><svg></svg>s</svg><select><option>o</select>b", "ab"},
		{"a broken page", "<p>a<b>b</p></div></a></ul></blockquote></table><li>c<a href='/x'>d", "ab\n\n- c[d"},
		{"nothing", "", ""},
	} {
		if got := markdown(tc.html, base(t)); got != tc.want {
			t.Errorf("%s: %s\n%q\nwant\n%q", tc.name, tc.html, got, tc.want)
		}
	}
}

// Nesting costs nothing: no stack, no square.
func TestMarkdownOfHostilePages(t *testing.T) {
	for _, piece := range []string{"<div>", "<ul><li>a", "<blockquote>a", "<table><tr><td>a", "<a href=x>a", "<svg>", "</ul>", "<pre>", "<h1>a", "<title>"} {
		page := strings.Repeat(piece, 20_000)
		if got := markdown(page, base(t)); len(got) > 60*len(page) {
			t.Errorf("%s many times is %d bytes from %d", piece, len(got), len(page))
		}
	}
	if got := markdown("<p>a</p><p>"+strings.Repeat("x", maxTag+1), base(t)); !strings.HasSuffix(got, "x\n\n[The page could not be read further: max buffer exceeded]") {
		t.Errorf("%d bytes: …%q", len(got), got[max(0, len(got)-100):])
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("<p>a<ul><li><a href=/x>b</a></ul><pre>```</pre><table><tr><td>c</table>")
	f.Add("<blockquote><h1><title></svg><svg><a><br/>&#0;\xff")
	f.Fuzz(func(t *testing.T, page string) {
		got := markdown(page, base(t))
		if !utf8.ValidString(got) || len(got) > 1000+200*len(page) {
			t.Errorf("%q is %d bytes: %.200q", page, len(got), got)
		}
	})
}
