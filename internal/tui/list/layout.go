package list

// Where the preview is: beside the list from widePreview columns on, below it from
// lowPreview columns on, and nowhere in a smaller terminal.
const (
	widePreview = 100
	lowPreview  = 60
	lowHeight   = 14 // rows that a list with a preview below it needs
)

// layout is the sizes of the parts of a list, in columns and rows.
type layout struct {
	width, height int // of all
	list          int // the width of the entries
	body          int // the rows of entries
	preview       int // the width of the preview, 0 for none
	previewRows   int
	beside        bool
}

// layoutOf divides the screen. above is how many rows are above the entries.
func (l *List) layoutOf(width, height, above int) layout {
	s := layout{width: width, height: height, list: width}
	s.body = max(height-above-1, 1)
	switch {
	case l.Preview == nil || len(l.shown) == 0:
	case width >= widePreview:
		s.beside = true
		s.list = width/2 - 1
		s.preview, s.previewRows = width-s.list-3, s.body
	case width >= lowPreview && height >= lowHeight:
		room := s.body - 1 // for the line between them
		s.body = min(room*3/5, max(l.full, 3))
		s.preview, s.previewRows = width, room-s.body
	}
	return s
}

// narrowPath is how many columns of a path are worth showing.
const narrowPath = 12

// columns are the widths of the columns that there is room for: the title keeps half of the
// width, unless no title is that long.
func (l *List) columns(width int) []int {
	var fit []int
	room := width - min(max(width/2, 20), l.longest) - 2
	for i, w := range l.widths {
		var c Column
		if i < len(l.Columns) {
			c = l.Columns[i]
		}
		if c.Most > 0 {
			w = min(w, c.Most)
		}
		if c.Front && room-2 >= narrowPath {
			w = min(w, room-2)
		}
		if room -= w + 2; room < 0 {
			break
		}
		fit = append(fit, w)
	}
	return fit
}
