// Package known is the catalogue of models: how long their prompts and answers may be, what they
// can do, and what they cost. It knows what vendors have published, which models.json holds with
// its sources and dates, and what the user's own file says.
//
//   - models.json: the models of vendors; it is part of the program, and read when it is first needed
//
// A price in models.json holds for the provider that it is listed with and for no other. The
// limits of a model hold wherever a model of the same name is served, unless the server itself
// reports others.
//
// A new vendor has a row in hosts.go, too: without it, a provider that a client names by its address has no prices.
//
// Begin with [Model] and [Catalogue].
package known
