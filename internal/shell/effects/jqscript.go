package effects

import "strings"

// jqIsSafe reports whether a jq filter only works on its input: it reads neither the
// environment nor other files.
//
// The filter is split into tokens as jq does. A name counts only if it is a field, a key or a
// variable, if the filter defines it, or if jqFunctions lists it. Comments are not safe,
// because versions disagree about where they end. Source: jq 1.7 manual; src/lexer.l.
func jqIsSafe(filter string) bool {
	j := &jqReader{text: filter}
	return len(filter) <= maxScript && j.tokens("") && j.at == len(j.text)
}

// closing returns the bracket that closes another one.
func closing(bracket string) string {
	switch bracket {
	case "{":
		return "}"
	case "(":
		return ")"
	}
	return "]"
}

// jqReader splits a filter into tokens.
type jqReader struct {
	text    string
	at      int
	before  string // the token before
	defined []string
	clauses bool // a keyword was read after which a comma may separate other things than keys
}

// tokens reads tokens until the bracket that closes them, which is "" for the end of the
// text.
func (j *jqReader) tokens(until string) bool {
	for {
		t, ok := j.next()
		switch {
		case !ok || t == "":
			return ok && until == ""
		case t == until:
			j.before = t
			return true
		case t == "{" || t == "(" || t == "[":
			j.before = t
			if !j.tokens(closing(t)) {
				return false
			}
		case t == ")" || t == "]" || t == "}":
			return false
		case isNameByte(t[0]) && t[0] > '9' && !j.name(t, until):
			return false
		default:
			j.before = t
		}
	}
}

// name judges a name; within is the bracket that closes what it is in.
func (j *jqReader) name(name, within string) bool {
	defer func(before string) {
		if before == "def" {
			j.defined = append(j.defined, name)
		}
		j.before = name
	}(j.before)
	switch j.before {
	case "def":
		return !jqFunctions.Get()[name] && !jqOutside.Get()[name]
	case ".", "?.":
		return true
	case "$":
		return name != "ENV" && !strings.HasPrefix(name, "__prog")
	case "{", ",":
		if within == "}" && (j.before == "{" || !j.clauses) {
			return true // a key
		}
	}
	j.clauses = j.clauses || jqClauses.Get()[name]
	if jqFunctions.Get()[name] {
		return true
	}
	for _, d := range j.defined {
		if d == name {
			return true
		}
	}
	return false
}

// next reads one token; it is "" at the end. A string is `""`, after what is inserted into it
// has been judged.
func (j *jqReader) next() (token string, ok bool) {
	rest := strings.TrimLeft(j.text[j.at:], " \t\n")
	j.at = len(j.text) - len(rest)
	n := 1
	switch {
	case rest == "":
		return "", true
	case rest[0] == '"':
		return `""`, j.quoted()
	case isNameByte(rest[0]):
		n = len(rest) - len(strings.TrimLeft(rest, nameBytes))
	case strings.IndexByte("{}()[];,.+-*/%<>?:$=|@!", rest[0]) < 0:
		return "", false
	}
	j.at += n
	return rest[:n], true
}

// quoted reads a string and the filters in it.
func (j *jqReader) quoted() bool {
	for j.at++; j.at < len(j.text); j.at++ {
		switch j.text[j.at] {
		case '"':
			j.at++
			return true
		case '\\':
			j.at++
			if j.at < len(j.text) && j.text[j.at] == '(' {
				j.at++
				j.before = "("
				if !j.tokens(")") {
					return false
				}
				j.at--
			}
		}
	}
	return false
}

// jqClauses are the keywords of constructs that may hold a comma inside the value of a key.
var jqClauses = set{names: "if try reduce foreach def label"}

// jqOutside are functions that read something other than the input. A filter may not define
// them, because their own meaning returns where the definition ends.
var jqOutside = set{names: "env input_filename modulemeta get_search_list get_prog_origin get_jq_origin import include"}

// jqFunctions are the keywords and functions of jq that reach nothing outside its input.
var jqFunctions = set{names: `and or not if then elif else end as def reduce foreach try catch label break null true false
	length utf8bytelength keys keys_unsorted values has in map map_values pick path del getpath setpath delpaths paths leaf_paths to_entries
	from_entries with_entries select empty error recurse recurse_down add any all flatten range floor ceil round sqrt pow log log2 log10 exp
	exp2 exp10 fabs abs tostring tonumber toarray type infinite nan isinfinite isnan isnormal isvalid sort sort_by group_by min max min_by
	max_by unique unique_by reverse contains inside indices index rindex startswith endswith ltrimstr rtrimstr trimstr trim ltrim rtrim
	explode implode split splits join ascii ascii_downcase ascii_upcase while until repeat walk transpose first last nth limit skip
	combinations input inputs debug stderr input_line_number truncate_stream fromstream tostream fromjson tojson now todate fromdate
	fromdateiso8601 todateiso8601 dateadd datesub date mktime gmtime localtime strftime strptime strflocaltime test match capture scan sub gsub
	isempty bsearch arrays objects iterables booleans numbers strings nulls scalars finites normals halt halt_error
	text json csv tsv html uri sh base64 base64d base32 base32d INDEX IN JOIN GROUP_BY UNIQUE_BY __loc__
	significand trunc have_literal_numbers builtins`}
