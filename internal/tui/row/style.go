package row

// Style says what a piece of text means: a role, and attributes that are added to it with |,
// such as Link|Underline. The zero value is plain text.
type Style uint16

// The roles of text. A style has one of them.
const (
	Plain   Style = iota
	Accent        // what the eye should find: the mark of the input box, the chosen entry
	Heading       // of markdown
	Code          // in a line of prose
	Link          // the text of a link
	Quote         // of markdown
	Added         // lines of a diff
	Removed       // lines of a diff
	Hunk          // the place of a hunk in a diff
	Failure       // errors
	Warning       // warnings, and questions that wait
	Success       // what has gone well
	Keyword       // of a programming language
	String        // of a programming language
	Comment       // of a programming language
	Number        // of a programming language
	Name          // names of functions and types in code, keys of data
	roles         // how many there are
)

// The attributes of text.
const (
	Bold Style = 1 << (iota + 8)
	Dim
	Italic
	Underline
	Strike
	Reverse // an entry that is chosen
	attributes
)

// role is the style without its attributes.
func (s Style) role() Style { return s & 0xff }

// Is reports whether the style has the role of the other one and all of its attributes. A style
// that has only attributes, such as Bold, is compared without the role.
func (s Style) Is(other Style) bool {
	attributes := other &^ 0xff
	return s&attributes == attributes && (s.role() == other.role() || other.role() == Plain && attributes != 0)
}
