// Package complete offers what can stand at the cursor of the input box: files of the project
// after `@`, commands after `/`. It ranks candidates by a fuzzy match and draws the list of the
// best ones.
//
// A [List] is made once from all candidates and does not change. A [Popup] is the list on the
// screen while the user types: [Popup.Set] gives it what the user has typed, [Popup.Rows] draws it.
package complete
