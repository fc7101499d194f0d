package known

import "cmp"

// Model is what is known about a model. Zero and nil mean that it is not known. The JSON names
// are those of the files, and of `sidestick models --json`.
type Model struct {
	// Provider is the vendor who offers the model, by the name that stands before the colon in
	// "anthropic:claude-opus-5-5"; "" in a user's file means every provider.
	Provider string `json:"provider,omitempty"`
	// ID is the name by which the provider knows the model, Aliases are others.
	ID      string   `json:"id"`
	Aliases []string `json:"aliases,omitempty"`
	// Tokens. ContextTokens bounds the sum of prompt and answer, PromptTokens the prompt,
	// OutputTokens the answer.
	ContextTokens int64 `json:"contextTokens,omitempty"`
	PromptTokens  int64 `json:"promptTokens,omitempty"`
	OutputTokens  int64 `json:"outputTokens,omitempty"`
	// Images and PDFs say whether it reads them, Tools whether it calls tools.
	Images *bool `json:"images,omitempty"`
	PDFs   *bool `json:"pdfs,omitempty"`
	Tools  *bool `json:"tools,omitempty"`
	// Reasoning says whether it can think before it answers, ReasoningEfforts which values the
	// reasoning effort may have.
	Reasoning        *bool    `json:"reasoning,omitempty"`
	ReasoningEfforts []string `json:"reasoningEfforts,omitempty"`
	// Prices are in the order of their first days.
	Prices []Price `json:"prices,omitempty"`
	// Request is what the user's file sets for calls of the model.
	Request *Request `json:"request,omitempty"`
	// Ends is the day on which the provider stops offering the model.
	Ends string `json:"ends,omitempty"`
	// Note is a sentence on what the fields cannot say, Source where they come from, and Date
	// when that was read.
	Note   string `json:"note,omitempty"`
	Source string `json:"source,omitempty"`
	Date   string `json:"date,omitempty"`
}

// Prompt returns how many tokens a prompt may have, 0 if that is not known.
func (m *Model) Prompt() int64 { return cmp.Or(m.PromptTokens, m.ContextTokens) }

// over returns m with what it leaves open taken from base.
func (m Model) over(base Model) Model {
	m.Provider, m.ID = cmp.Or(m.Provider, base.Provider), cmp.Or(m.ID, base.ID)
	if m.Prompt() == 0 { // one of the two alone must not be mixed with the other of base
		m.ContextTokens, m.PromptTokens = base.ContextTokens, base.PromptTokens
	}
	m.OutputTokens = cmp.Or(m.OutputTokens, base.OutputTokens)
	m.Images, m.PDFs = cmp.Or(m.Images, base.Images), cmp.Or(m.PDFs, base.PDFs)
	m.Tools, m.Reasoning = cmp.Or(m.Tools, base.Tools), cmp.Or(m.Reasoning, base.Reasoning)
	if m.ReasoningEfforts == nil {
		m.ReasoningEfforts = base.ReasoningEfforts
	}
	if m.Prices == nil {
		m.Prices = base.Prices
	}
	m.Request = m.Request.over(base.Request)
	m.Ends, m.Note = cmp.Or(m.Ends, base.Ends), cmp.Or(m.Note, base.Note)
	m.Source, m.Date = cmp.Or(m.Source, base.Source), cmp.Or(m.Date, base.Date)
	return m
}
