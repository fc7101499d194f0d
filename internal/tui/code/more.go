package code

import "github.com/sidestick-dev/sidestick/internal/tui/row"

const strStyle = row.String

// others are the languages that begin comments with something else, data, and markup.
func others() []*Language {
	hash := []string{"#"}
	return []*Language{
		{
			names: "python py py3 python3 pyi starlark bzl", files: "build.bazel", line: hash, calls: true, ident: "@",
			quotes: []quote{escaped(`"""`, `"""`), escaped("'''", "'''"), str(`"`), str("'")},
			words:  "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try type while with yield bool bytes dict float int list object set str tuple",
			consts: "True False None",
		},
		{
			names: "ruby rb rake gemspec", files: "gemfile rakefile", line: hash, calls: true, ident: "@$", quotes: []quote{escaped(`"`, `"`), escaped("'", "'")},
			words:  "alias and begin break case class def defined? do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return self super then undef unless until when while yield attr_accessor attr_reader attr_writer",
			consts: "true false nil",
		},
		{
			names: "sh bash shell zsh ksh fish", files: ".bashrc .zshrc .profile .bash_profile", line: hash, ident: "-$",
			quotes: []quote{escaped(`"`, `"`), long("'", "'")},
			words:  "if then elif else fi for while until do done case esac in function return exit break continue export local declare readonly unset shift source alias eval exec trap cd echo sudo",
			consts: "true false",
		},
		{
			names: "powershell ps1 pwsh psm1", line: hash, ident: "$-", noCase: true, quotes: []quote{comment("<#", "#>"), long(`@"`, `"@`), {open: `"`, shut: `"`, style: strStyle}, {open: "'", shut: "'", style: strStyle}},
			words:  "begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while",
			consts: "$true $false $null",
		},
		{
			names: "sql psql mysql postgresql plpgsql sqlite", line: []string{"--"}, noCase: true, quotes: []quote{comment("/*", "*/"), long("'", "'"), {open: `"`, shut: `"`, style: strStyle}},
			words:  "add all alter and any as asc begin between by cascade case cast check column commit conflict constraint create cross database default delete desc distinct do drop else end except exists explain false foreign from full function group having if ilike in index inner insert intersect into is join key left like limit natural not nothing offset on or order outer over partition primary references replace returning right rollback row rows schema select set table temporary then to transaction trigger truncate union unique update using values view when where window with bigint blob boolean bytea char date decimal double float int integer interval json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
			consts: "true false null",
		},
		{names: "json jsonc json5 jsonl ndjson", files: ".prettierrc .eslintrc", line: []string{"//"}, keys: ':', quotes: []quote{comment("/*", "*/"), str(`"`), str("'")}, consts: "true false null"},
		{names: "yaml yml", line: hash, keys: ':', ident: "-./", quotes: []quote{{open: "'", shut: "'", style: strStyle}, str(`"`)}, consts: "true false null yes no on off"},
		{names: "toml", files: "cargo.lock poetry.lock", line: hash, keys: '=', ident: "-.", quotes: []quote{escaped(`"""`, `"""`), long("'''", "'''"), str(`"`), {open: "'", shut: "'", style: strStyle}}, consts: "true false inf nan"},
		{names: "ini cfg conf properties env dotenv editorconfig", files: ".env .editorconfig .gitconfig .npmrc", line: []string{"#", ";"}, keys: '=', ident: "-.", quotes: []quote{str(`"`)}, consts: "true false"},
		{names: "html xml xhtml svg vue svelte xsl plist htm", special: xml},
		{
			names: "css scss less sass", line: []string{"//"}, ident: "-@#.", keys: ':', calls: true, quotes: []quote{comment("/*", "*/"), str(`"`), str("'")},
			words: "@charset @container @extend @font-face @function @if @import @include @keyframes @layer @media @mixin @namespace @page @property @return @supports @use @else @each @for",
		},
		{names: "markdown md mdx", special: markdown},
		{
			names: "lua", line: []string{"--"}, calls: true, quotes: []quote{comment("--[[", "]]"), long("[[", "]]"), str(`"`), str("'")},
			words:  "and break do else elseif end for function goto if in local not or repeat return then until while",
			consts: "true false nil",
		},
		{
			names: "dockerfile docker containerfile", files: "dockerfile containerfile", line: hash, quotes: []quote{str(`"`), str("'")},
			words: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
		},
		{
			names: "make makefile mk mak", files: "makefile gnumakefile", line: hash, keys: ':', ident: "$-./", quotes: []quote{str(`"`), str("'")},
			words: "define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath",
		},
		{names: "diff patch udiff", special: changes},
		{
			names: "haskell hs", line: []string{"--"}, ident: "'", quotes: []quote{nested("{-", "-}"), str(`"`)},
			words:  "case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of qualified then type where",
			consts: "True False Nothing Just",
		},
		{
			names: "elixir ex exs", line: hash, calls: true, ident: "@?!", quotes: []quote{escaped(`"""`, `"""`), escaped(`"`, `"`), str("'")},
			words:  "after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with",
			consts: "true false nil",
		},
		{
			names: "hcl tf terraform tfvars nix", line: []string{"#", "//"}, keys: '=', ident: "-", quotes: []quote{comment("/*", "*/"), str(`"`)},
			words:  "data for if in inherit let locals module output provider provisioner rec resource terraform then else variable with import",
			consts: "true false null",
		},
		{
			names: "r", line: hash, calls: true, ident: ".", quotes: []quote{escaped(`"`, `"`), escaped("'", "'")},
			words:  "break else for function if in library next repeat require return while",
			consts: "TRUE FALSE NULL NA Inf NaN",
		},
		{
			names: "perl pl pm", line: hash, calls: true, ident: "$@%", quotes: []quote{escaped(`"`, `"`), escaped("'", "'")},
			words: "and cmp do else elsif eq foreach for ge gt if last le local lt my ne next no not or our package print redo require return say sub undef unless until use while",
		},
	}
}
