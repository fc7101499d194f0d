package tool

import (
	"slices"
	"strings"
)

// filetypes are the kinds that grep knows, and the names of their files.
const filetypes = `
asm *.asm *.s *.S
c *.c *.h
clojure *.clj *.cljc *.cljs *.edn
cmake CMakeLists.txt *.cmake
cpp *.cc *.cpp *.cxx *.c++ *.h *.hh *.hpp *.hxx *.inl
cs *.cs
css *.css *.scss *.sass *.less
csv *.csv
dart *.dart
docker Dockerfile Dockerfile.* *.dockerfile
elixir *.ex *.exs *.heex
erlang *.erl *.hrl
go *.go
graphql *.graphql *.graphqls
haskell *.hs *.lhs
html *.html *.htm
java *.java *.jsp
js *.js *.jsx *.mjs *.cjs *.vue
json *.json *.jsonl *.json5
kotlin *.kt *.kts
lua *.lua
make Makefile makefile GNUmakefile *.mk *.mak
md *.md *.mdx *.markdown
perl *.pl *.pm *.t
php *.php *.phtml
proto *.proto
py *.py *.pyi
r *.r *.R *.Rmd
rst *.rst
ruby *.rb *.rake *.gemspec Gemfile Rakefile
rust *.rs
scala *.scala *.sbt
sh *.sh *.bash *.zsh *.ksh *.bashrc *.zshrc
sql *.sql
svelte *.svelte
swift *.swift
tf *.tf *.tfvars
toml *.toml Cargo.lock
ts *.ts *.tsx *.mts *.cts
txt *.txt
vue *.vue
xml *.xml *.xsd *.xsl *.xslt *.svg
yaml *.yaml *.yml
zig *.zig
`

// namesOf returns the patterns of a kind of file, nil if it is not known.
func namesOf(kind string) []string {
	for row := range strings.Lines(filetypes) {
		if fields := strings.Fields(row); len(fields) > 0 && fields[0] == kind {
			return fields[1:]
		}
	}
	return nil
}

// kinds returns the names of all kinds.
func kinds() []string {
	var names []string
	for row := range strings.Lines(filetypes) {
		if name, _, ok := strings.Cut(strings.TrimSpace(row), " "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
