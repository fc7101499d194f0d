// Package toolsearch decides which tools a call of a model has, and finds the others for the model. A request with
// hundreds of tools costs tokens in each call, models choose badly among them, and some providers refuse it.
//
// [Offers] is what one conversation needs. [Offers.Of] gets all tools that an agent may call, as package offer has them.
// If there are few, the request has them all. Otherwise those of MCP servers and clients are deferred: the request has
// the tool tool_search_tool instead, and behind it the tools that were found, in the order in which they were. That
// keeps what the provider has cached of a request. What was found is in the log (package state, [state.Thread].Found).
//
// What is searched are names, servers, descriptions and parameters, by words (rank.go). A deferred tool that the model
// calls without a search is called, too (package turn).
package toolsearch
