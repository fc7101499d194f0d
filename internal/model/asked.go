package model

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// waitIn is how long the headers of an answer ask to wait: in milliseconds, in seconds, as a
// date, or, if no calls or tokens are left, until there are some again. 0 if they do not say.
func waitIn(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(s)
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(t.Sub(now), 0)
	}
	for _, of := range []string{"Requests", "Tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+of) != "0" {
			continue
		}
		if wait, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + of)); err == nil && wait > 0 {
			return bounded(wait.Seconds())
		}
	}
	return 0
}

// bounded is a number of seconds, at most a year, so that no product overflows.
func bounded(seconds float64) time.Duration {
	const most = 366 * 24 * 3600
	if math.IsNaN(seconds) {
		return 0
	}
	return time.Duration(min(max(seconds, 0), most) * float64(time.Second))
}

// waitWords finds the wait in sentences such as "Please try again in 11.054s" (OpenAI), "Please
// retry in 34.07s." (Google) and "retry after 26 seconds" (Azure).
var waitWords = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+\b|\d+(?:\.\d+)? (?:milliseconds?|seconds?|minutes?))`)
}}

// waitInText is how long a message asks to wait, 0 if it does not say.
func waitInText(message string) time.Duration {
	if !strings.Contains(strings.ToLower(message), "try ") { // as in "retry in" and "try again"
		return 0
	}
	found := waitWords.Get().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	short := strings.NewReplacer(" milliseconds", "ms", " millisecond", "ms", " seconds", "s", " second", "s", " minutes", "m", " minute", "m")
	wait, err := time.ParseDuration(short.Replace(strings.ToLower(found[1])))
	if err != nil {
		return 0
	}
	return bounded(wait.Seconds())
}

// limitWords find the number of tokens that a model takes in the sentences of providers.
var limitWords = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:> |maximum (?:context|prompt|input) length (?:is|of) |exceeds the limit of |tokens allowed \(|` +
		`context size (?:of )?\(?|context (?:length|window)(?: size)?(?: is| of)?(?: only)? \(?|model token limit: ?|limit is )(\d[\d,]*)`)
}}

// limitIn is the number of tokens that a model takes, by a message; 0 if it does not say.
func limitIn(message string) int { return tokensIn(limitWords.Get(), message) }

// toolWords find the number of tools that a provider takes, in the sentences of OpenAI, Groq and Google.
var toolWords = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:maximum length |maximum number of items is |at most )(\d{1,5})\b`)
}}

// toolLimitIn is the number of tools that a provider takes, by a message; 0 if it does not say.
func toolLimitIn(message string) int {
	found := toolWords.Get().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return n
}

// promptWords find how many tokens a refused prompt has, in the sentences of OpenAI and Azure, vLLM,
// Anthropic, Google, the Copilot API, llama.cpp and LM Studio.
var promptWords = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:messages resulted in |(?:request|prompt) (?:has |contains )(?:at least )?|request \(|requested \d+ tokens \(|` +
		`prompt is too long: |input token count \(|prompt token count of |exceed context limit: |keep the first |n_keep: )(\d[\d,]*)`)
}}

// promptIn is the number of tokens that a refused prompt has, by a message; 0 if it does not say.
func promptIn(message string) int { return tokensIn(promptWords.Get(), message) }

// tokensIn is the number that words find in a message, 0 if there is none or if it cannot be one of tokens.
func tokensIn(words *regexp.Regexp, message string) int {
	found := words.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	if err != nil {
		return 0
	}
	return plausible(n)
}

// plausible is a context window in tokens, 0 for a number that cannot be one.
func plausible(tokens float64) int {
	const least, most = 256, 1 << 30
	if tokens >= least && tokens <= most {
		return int(tokens)
	}
	return 0
}

// outputWord finds the longest answer that a model gives, in tokens, in the sentences of
// providers. An "exclusive" bound is one more.
var outputWord = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:> |at most |less than or equal to .?|model limit of |\(inclusive\) to |limit is )(\d+)( \(exclusive\))?`)
}}

// outputLimitIn is the longest answer that a message allows, in tokens; 0 if it does not say.
func outputLimitIn(message string) int {
	found := outputWord.Get().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 2 || n > 1<<30 {
		return 0
	}
	if found[2] != "" {
		n--
	}
	return n
}

// restWords has the lengths of the prompt and of the answer, and what the model takes of both.
var restWords = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`(\d+) \+ (\d+) > (\d+)`) }}

// leastRest is the shortest answer, in tokens, that is worth a call which the prompt nearly fills.
const leastRest = 1024

// restIn is how many tokens a message leaves for the answer, 0 if that is too few.
func restIn(message string) int {
	found := restWords.Get().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	prompt, err := strconv.Atoi(found[1])
	window, failed := strconv.Atoi(found[3])
	if err != nil || failed != nil || window-prompt < leastRest {
		return 0
	}
	return window - prompt
}
