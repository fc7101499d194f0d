// Package plugin knows which plugins the user has installed, and what is in them. A plugin is
// a folder of this machine with skills and more; a marketplace is a folder that lists plugins.
// Git checkouts are such folders, too. Nothing is fetched from elsewhere, nothing is copied:
// a plugin is used where it is, so that a change to it is in force with the next search. No
// file of a plugin is run.
//
// manifest.go reads folders, store.go keeps the list of the user in plugins.json, installed.go
// changes it, marketplace.go has the marketplaces, and session.go the plugins that hosts add
// for their sessions.
package plugin
