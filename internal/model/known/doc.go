// Package known is the catalogue of models: how long their prompts and answers may be, what they
// can do, and what they cost. It knows what vendors have published, which models.json holds with
// its sources and dates, and what the user's own file says.
//
//   - models.json: the models of vendors; it is part of the program, and read when it is first needed
//   - model.go: a [Model] and its fields, which are those of the files
//   - price.go: what a call costs
//   - find.go: the [Catalogue], and how the name of a model is looked up
//   - file.go: reads a file of models, and names the place of what is wrong in it
//   - hosts.go: which provider has an address
//   - kept.go: the windows that calls have shown, in a file for the next process
//
// A price in models.json holds for the provider that it is listed with and for no other. The
// limits of a model hold wherever a model of the same name is served, unless the server itself
// reports others.
package known
